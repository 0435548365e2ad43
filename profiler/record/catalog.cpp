// SPDX-License-Identifier: Apache-2.0
// The collectors: every source of figures, whether it works on this machine, and if not why and what would help.
#include "profiler/record/catalog.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "engine/base/clock.h"
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
  return {true, fmt::format("measured {} in {:.1f} s", known->probed_at, known->probe_seconds), ""};
}

std::string perf_refusal(int error) {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  file >> level;
  switch (error) {
    case EACCES:
    case EPERM: return fmt::format("the kernel does not allow it (perf_event_paranoid = {})", level.empty() ? "?" : level);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV: return "the kernel has no driver for this processor's counters, as in most virtual machines";
    case ENOSYS: return "the kernel was built without perf events, or a container blocks them";
    default: return fmt::format("perf_event_open fails: {}", std::strerror(error));
  }
}

/// Opens an instruction counter, spins, and looks whether it counts: some virtual machines open it and never count.
Availability check_perf(const GpuChain&) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_INSTRUCTIONS;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const int fd = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
  if (fd < 0) {
    const int error = errno;
    const bool permission = error == EACCES || error == EPERM;
    return {false, "hardware counters: " + perf_refusal(error),
            permission ? "sudo sysctl kernel.perf_event_paranoid=1"
                       : "run on bare metal, or on a virtual machine whose host passes the counters through"};
  }
  const int64_t until = engine::now_ns() + 10'000'000;
  while (engine::now_ns() < until) {
  }
  uint64_t count = 0;
  const bool counted = read(fd, &count, sizeof count) == sizeof count && count > 0;
  close(fd);
  if (!counted) {
    return {false, "hardware counters open but do not count, as in some virtual machines",
            "run on bare metal, or on a virtual machine whose host passes the counters through"};
  }
  return {false, "hardware counters work here, but this version does not read them yet", ""};
}

/// The first broken link, among those that matter.
Availability check_chain(const GpuChain& chain, bool counters) {
  if (!chain) return {false, "this program cannot use GPUs", "tensortide run WORKLOAD --device cpu"};
  std::string found;
  for (const ChainLink& link : chain()) {
    if (link.for_counters_only && !counters) continue;
    if (!link.works) return {false, fmt::format("{}: {}", link.name, link.found), link.remedy};
    found += fmt::format("{}{}: {}", found.empty() ? "" : "; ", link.name, link.found);
  }
  return {true, found, ""};
}

Availability check_cupti(const GpuChain& chain) { return check_chain(chain, false); }

Availability check_counters(const GpuChain& chain) {
  const Availability a = check_chain(chain, true);
  if (!a.available) return a;
  return {false, "GPU counters could be read here, but this version does not read them yet", ""};
}

Availability check_simulate(const GpuChain&) {
  return {true, "after the timed run, on the caches this machine's system reports, sizes corrected by the probe; policies beyond L1 assumed", ""};
}

constexpr std::array kCollectors{
    CollectorEntry{"ops", "Ops: time of each op on the host", check_ops},
    CollectorEntry{"alloc", "Memory: place and lifetime of each tensor", check_alloc},
    CollectorEntry{"roofs", "Roofs: what this machine can do at best", check_roofs},
    CollectorEntry{"perf", "CPU counters: measured bytes per cache level", check_perf},
    CollectorEntry{"simulate", "Cache simulation: simulated bytes per level", check_simulate},
    CollectorEntry{"cupti", "GPU kernels and copies through CUPTI", check_cupti},
    CollectorEntry{"counters", "GPU counters: measured bytes per level", check_counters},
};

}  // namespace

std::span<const CollectorEntry> collectors() { return kCollectors; }

}  // namespace profiler
