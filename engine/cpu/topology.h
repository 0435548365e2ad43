// SPDX-License-Identifier: Apache-2.0
// What this machine's CPU is: cores, caches, vector units and memory as hwloc, CPUID and the kernel report them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/device.h"

namespace engine::cpu {

/// Total and available bytes of host memory.
struct HostMemory {
  int64_t total_bytes = 0;      ///< MemTotal; 0: unknown
  int64_t available_bytes = 0;  ///< MemAvailable, or what the control group still allows when that is less; 0: unknown
};

/// Reads the two lines out of the text of /proc/meminfo (kB are KiB).
HostMemory parse_meminfo(std::string_view text);
/// /proc/meminfo and, where there is one, the control group's limit. hwloc's figure is wrong where memory is hot-plugged.
HostMemory host_memory();

/// Vector and matrix features whose registers the operating system saves: "avx2", "avx512f", "amx-bf16", ...
std::vector<std::string> cpu_features();
/// Widest vector unit: 512, 256 or 128 bits, from the feature bits (never from the model number).
int vector_bits(const std::vector<std::string>& features);

}  // namespace engine::cpu
