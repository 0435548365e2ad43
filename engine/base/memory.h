// SPDX-License-Identifier: Apache-2.0
// The host's memory as the kernel reports it, and byte counts in words.
#pragma once

#include <cstdint>
#include <string>

namespace engine {

/// Bytes that this process may use; 0: unknown. Where nothing is left of a limit, 1 byte is.
struct HostMemory {
  int64_t total_bytes = 0;  ///< MemTotal, less where a limit of memory_limits() is less
  int64_t available_bytes =
      0;              ///< what a new allocation can get without swapping: MemAvailable, less where a limit leaves less
  std::string limit;  ///< what leaves least: "ulimit -v", "control group /slurm/job_7"; empty: the machine itself
};
HostMemory host_memory();

/// "512 B", "3.2 MiB", "3.2 EiB": binary units, two to three digits.
std::string format_bytes(double bytes);

}  // namespace engine
