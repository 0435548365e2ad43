// SPDX-License-Identifier: Apache-2.0
// idle-cores: fewer threads than cores, and roofs that were measured for both.
#include <algorithm>
#include <limits>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

/// Time at the roofs with `threads` threads; nothing where the probe has not measured them all.
std::optional<double> roofs_ns(const FindingInput& in, const OpLimits& limits, int threads) {
  const Machine& machine = in.capture.machine();
  double ns = 0;
  if (limits.flops > 0) {
    const auto roof = machine.compute_roof(limits.dtype, threads);
    if (!roof || !(roof->flop_per_s.median > 0)) return {};
    ns = limits.flops / roof->flop_per_s.median * 1e9;
  }
  for (const LevelLimit& l : limits.levels) {
    const auto roof =
        traffic_bandwidth(machine, l.level, l.link + 1 == in.a.model.links.size(), l.read, l.written, threads);
    if (!roof) return {};
    ns = std::max(ns, l.bytes / *roof * 1e9);
  }
  return ns > 0 ? std::optional(ns) : std::nullopt;
}

/// What the op would take with `cores` threads, by what limits it: a roof gives as much more as was measured for it;
/// what no roof explains (instructions, misses under way) is shared as arithmetic is, but does not go beyond the roofs.
std::optional<double> shared_ns(const FindingInput& in, OpId op, int threads, int cores) {
  const OpLimits& limits = in.limits[op];
  const std::optional<double> now = roofs_ns(in, limits, threads), then = roofs_ns(in, limits, cores);
  const auto peak_now = in.capture.machine().compute_roof(limits.dtype, threads),
             peak_then = in.capture.machine().compute_roof(limits.dtype, cores);
  if (!now || !then || !peak_now || !peak_then || !(peak_now->flop_per_s.median > 0)) return {};
  const double scale = peak_then->flop_per_s.median / peak_now->flop_per_s.median;
  switch (in.a.verdicts[op].bound) {
    case Bound::memory:
    case Bound::compute:
    case Bound::balanced: return in.judged(op) * *then / *now;
    case Bound::overhead:
    case Bound::latency: return scale > 1 ? std::optional(std::max(in.judged(op) / scale, *then)) : std::nullopt;
    default: return {};
  }
}

}  // namespace

void find_idle_cores(const FindingInput& in, FindingList& list) {
  const int threads = in.capture.run().threads, cores = in.capture.machine().info.cores;
  if (threads < 1 || cores <= threads || !in.capture.device().is_processor) return;
  RunFinding f;
  double gain = 0;
  for (const OpRecord& op : in.capture.ops()) {
    const OpLimits& limits = in.limits[op.id];
    if (op.view || !(in.time(op.id) > 0) || !limits.known || limits.used_threads < threads)
      continue;  // a kernel that leaves threads idle leaves more of them idle
    if (!in.could_share(op.id)) continue;
    const std::optional<double> then = shared_ns(in, op.id, threads, cores);
    if (!then) continue;
    // Each op starts the threads again.
    const double won = in.judged(op.id) - *then - in.capture.machine().fork_join_ns;
    if (won <= 0) continue;
    f.ops.push_back(op.id);
    gain += won;
  }
  if (f.ops.empty()) return;
  std::ranges::stable_sort(f.ops, std::greater{}, [&](OpId op) { return in.time(op); });
  f.gain_ns = gain;
  f.sentence = say("The run used {}; this machine has {}.", counted(static_cast<uint64_t>(threads), "thread"),
                   counted(static_cast<uint64_t>(cores), "core"));
  f.advice = say("Use {}.", counted(static_cast<uint64_t>(cores), "thread"));
  f.evidence = {{"cores_count", "cores", static_cast<double>(cores), Quantity::count, Origin::specified},
                {"threads_count", threads == 1 ? say("thread used") : say("threads used"), static_cast<double>(threads),
                 Quantity::count, Origin::exact},
                {"fork_join_ns", say("to start and join the threads of an op"),
                 in.capture.machine().fork_join_ns > 0 ? in.capture.machine().fork_join_ns
                                                       : std::numeric_limits<double>::quiet_NaN(),
                 Quantity::duration_ns, Origin::measured}};
  f.gain_how =
      say("each op that threads can share: its roofs as measured at both thread counts, else as "
          "arithmetic "
          "scales; less the cost of starting threads");
  f.change = RunChange::of_run("threads", std::to_string(threads), std::to_string(cores));
  list.push_back(std::move(f));
}

}  // namespace profiler
