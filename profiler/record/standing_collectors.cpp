// SPDX-License-Identifier: Apache-2.0
// The collectors that every run has: ops, memory, roofs, energy.
#include <fmt/format.h>

#include <optional>

#include "engine/base/clock.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/catalog.h"
#include "profiler/record/power.h"
#include "profiler/record/probe.h"

namespace profiler {
namespace {

Availability check_ops(const GpuChain&) {
  return {true,
          engine::ticks_are_tsc() ? "stamped with the invariant time-stamp counter"
                                  : "stamped with CLOCK_MONOTONIC (the kernel does not trust the time-stamp counter)",
          ""};
}

Availability check_alloc(const GpuChain&) {
  return {true, "memory is planned ahead: every tensor's place and lifetime is known exactly", ""};
}

Availability check_roofs(const GpuChain&) {
  const std::optional<Machine> known = cached_probe();
  if (!known) return {false, "this machine's roofs have not been measured yet", "run `tensortide probe`"};
  const std::string weak = roofs_weakness(*known);
  return {true,
          fmt::format("measured {} in {:.1f} s{}", known->probed_at, known->probe_seconds,
                      weak.empty() ? "" : "; weak: " + weak),
          ""};
}

Availability check_energy(const GpuChain&) {
  const PowerCounters counters;
  if (!counters.has_energy()) return {false, counters.why_no_energy(), counters.remedy()};
  return {true,
          fmt::format("{} processor package{}; counted for every run", counters.packages(),
                      counters.packages() == 1 ? "" : "s"),
          ""};
}

}  // namespace

const Collector kOpsCollector{
    .name = "ops", .title = "Ops: time of each op on the host", .check = check_ops, .in_sweeps = true};
const Collector kAllocCollector{
    .name = "alloc", .title = "Memory: place and lifetime of each tensor", .check = check_alloc, .in_sweeps = true};
const Collector kRoofsCollector{.name = "roofs",
                                .title = "Roofs: peak arithmetic and bandwidths of this machine",
                                .check = check_roofs,
                                .in_sweeps = true};
const Collector kEnergyCollector{
    .name = "energy", .title = "Energy: joules of the processor packages", .check = check_energy, .in_sweeps = true};

}  // namespace profiler
