// SPDX-License-Identifier: Apache-2.0
// The host's memory as the kernel reports it, and byte counts in words.
#pragma once

#include <cstdint>
#include <string>

namespace engine {

/// Bytes of the host; 0: unknown.
struct HostMemory {
  int64_t total_bytes = 0;      ///< MemTotal
  int64_t available_bytes = 0;  ///< what a new allocation can get without swapping: MemAvailable,
                                ///< less where a cgroup allows less
};
HostMemory host_memory();

/// "512 B", "3.2 MiB", "3.2 EiB": binary units, two to three digits.
std::string format_bytes(double bytes);

}  // namespace engine
