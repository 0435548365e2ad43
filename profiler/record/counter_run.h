// SPDX-License-Identifier: Apache-2.0
// A counter run: further steps of a plan with the hardware counters of every core read around each op; measured traffic
// and top-down figures come of them. Separate from the timed run, whose times it would spoil.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/plan.h"
#include "profiler/capture/capture.h"
#include "profiler/record/perf_counters.h"

namespace profiler {

/// One group of events on each thread of the team that runs kernels.
class TeamCounters {
 public:
  /// Fails (refused) as PerfCounters::open does, or where the system gives fewer threads than asked.
  static engine::Result<TeamCounters> open(const std::vector<PerfEvent>&, int threads, const PerfSystem&);
  /// Fails as open() does.
  engine::Result<void> start();
  /// Sums over the threads, in the events' order. A worker that did not run meanwhile adds nothing.
  engine::Result<std::vector<double>> stop();

 private:
  std::vector<PerfCounters> members_;
};

/// Counts per op: [OpId][event], medians over the steps; empty for ops that did not run or cannot be counted.
using OpCounts = std::vector<std::vector<double>>;
/// Runs `steps` steps from number `first_step` on. Fails (refused) where the counters do, and when stopped.
engine::Result<OpCounts> count_ops(engine::Plan&, const std::vector<PerfEvent>&, int threads, uint32_t first_step,
                                   int steps, const PerfSystem&, const std::atomic<bool>& stop);

/// The groups of events that the top-down method needs, each small enough for one run.
using TopDownEvents = std::array<std::vector<PerfEvent>, 4>;
/// Of cores of Ice Lake's family, told by /proc/cpuinfo's text and the events that the kernel offers in `events` (a
/// folder as /sys/bus/event_source/devices/cpu/events). Refused with why and what would help for others.
engine::Result<TopDownEvents> top_down_events(const std::string& cpuinfo, const std::filesystem::path& events);
/// From one op's counts of each group; nothing where slots or cycles were not counted. Formulas: Yasin 2014 (ISPASS) as
/// in pmu-tools' icx_server_ratios.py, without its correction of L2's share by fill-buffer stalls.
std::optional<TopDown> top_down_of(OpId, const std::array<std::span<const double>, 4>& counts);

/// Lines counted as traffic of the links into L1 and into L2; of memory's link the counters of a core say nothing.
TrafficSource measured_traffic(const Capture&, const std::vector<PerfEvent>& events, const OpCounts&, int steps);

/// All of it: cache events on every op, then the top-down groups where this processor has them. The source's method
/// says what was counted and what was not, and why.
engine::Result<TrafficSource> run_counters(const Capture&, engine::Plan&, int threads, const PerfSystem&,
                                           const std::atomic<bool>& stop);

}  // namespace profiler
