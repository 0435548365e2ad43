// SPDX-License-Identifier: Apache-2.0
// The collectors: every source of figures, whether it works on this machine, and if not why and what would help.
#include "profiler/record/catalog.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "engine/base/clock.h"
#include "profiler/model/roofs_trust.h"
#include "profiler/record/perf_counters.h"
#include "profiler/record/power.h"
#include "profiler/record/probe.h"

namespace profiler {
namespace {

Availability check_ops(const GpuChain&) {
  return {true, engine::ticks_are_tsc() ? "stamped with the invariant time-stamp counter"
                                        : "stamped with CLOCK_MONOTONIC (the kernel does not trust the time-stamp counter)", ""};
}

Availability check_alloc(const GpuChain&) { return {true, "memory is planned ahead: every tensor's place and lifetime is known exactly", ""}; }

Availability check_roofs(const GpuChain&) {
  const std::optional<Machine> known = cached_probe();
  if (!known) return {false, "this machine's roofs have not been measured yet", "tensortide probe"};
  const std::string weak = roofs_weakness(*known);
  return {true, fmt::format("measured {} in {:.1f} s{}", known->probed_at, known->probe_seconds, weak.empty() ? "" : "; weak: " + weak), ""};
}

/// Opens the counters and holds them against a stream of known bytes: some virtual machines open them and never count, or count wrongly.
Availability check_perf(const GpuChain&) {
  PerfRefusal refused;
  auto counters = PerfCounters::open(cache_events(), PerfSystem::kernel(), &refused);
  if (!counters || !check_on_stream(*counters, &refused)) return {false, refused.why, refused.remedy};
  return {true, "hardware counters count a stream of known bytes rightly; read around each op in steps of their own", ""};
}

Availability check_energy(const GpuChain&) {
  const PowerCounters counters;
  if (!counters.has_energy()) return {false, counters.why_no_energy(), counters.remedy()};
  return {true, fmt::format("{} processor package{}; counted for every run", counters.packages(), counters.packages() == 1 ? "" : "s"), ""};
}

enum class Needs : uint8_t { trace, counters, samples };

/// The first broken link, among those that matter.
Availability check_chain(const GpuChain& chain, Needs needs) {
  if (!chain) return {false, "this program cannot use GPUs", "tensortide run WORKLOAD --device cpu"};
  std::string found;
  for (const ChainLink& link : chain()) {
    if ((link.for_counters_only && needs == Needs::trace) || (link.for_samples_only && needs != Needs::samples)) continue;
    if (!link.works) return {false, fmt::format("{}: {}", link.name, link.found), link.remedy};
    found += fmt::format("{}{}: {}", found.empty() ? "" : "; ", link.name, link.found);
  }
  return {true, found, ""};
}

Availability check_cupti(const GpuChain& chain) { return check_chain(chain, Needs::trace); }

Availability check_counters(const GpuChain& chain) { return check_chain(chain, Needs::counters); }

Availability check_samples(const GpuChain& chain) { return check_chain(chain, Needs::samples); }

Availability check_simulate(const GpuChain&) {
  return {true, "after the timed run, on the caches this machine's system reports, sizes corrected where the probe saw less than half of one; policies beyond L1 assumed", ""};
}

constexpr std::array kCollectors{
    CollectorEntry{"ops", "Ops: time of each op on the host", check_ops},
    CollectorEntry{"alloc", "Memory: place and lifetime of each tensor", check_alloc},
    CollectorEntry{"roofs", "Roofs: what this machine can do at best", check_roofs},
    CollectorEntry{"perf", "CPU counters: measured bytes per cache level", check_perf},
    CollectorEntry{"energy", "Energy: joules of the processor packages", check_energy},
    CollectorEntry{"simulate", "Cache simulation: simulated bytes per level", check_simulate},
    CollectorEntry{"cupti", "GPU kernels and copies through CUPTI", check_cupti},
    CollectorEntry{"counters", "GPU counters: measured bytes per level", check_counters},
    CollectorEntry{"hit_rates", "GPU counters: hit rates of L2 and L1", check_counters},
    CollectorEntry{"pm_sampling", "GPU samples: device memory, PCIe, NVLink over time", check_samples},
};

}  // namespace

std::span<const CollectorEntry> collectors() { return kCollectors; }

}  // namespace profiler
