// SPDX-License-Identifier: Apache-2.0
// Host load: how much of the processor others used while something was measured; and how the host gives memory.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace profiler {

/// Cumulative processor time [clock ticks of sysconf(_SC_CLK_TCK)], all processors together.
struct HostTicks {
  int64_t busy = 0;   ///< user + nice + system + irq + softirq
  int64_t total = 0;  ///< busy + idle + iowait + steal
  int64_t steal = 0;  ///< wanted by this virtual machine, given by its host to others
  int64_t own = 0;    ///< this process: user + system
};

/// The "cpu" line of a /proc/stat; nothing when it has another form. `own` stays 0.
std::optional<HostTicks> parse_proc_stat(std::istream&);
/// Now; nothing where /proc/stat cannot be read.
std::optional<HostTicks> host_ticks_now();

/// Share of all processors' time that went to other processes or was stolen between two readings, 0
/// to 1. NaN when no time passed.
double foreign_load(const HostTicks& before, const HostTicks& after);

/// The system's setting of transparent huge pages: "always", "madvise" or "never"; empty: it does not say.
std::string huge_page_setting();

}  // namespace profiler
