// SPDX-License-Identifier: Apache-2.0
// A device's name and what it says of itself: cores, caches, memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Which device: "cpu", "null", later "cuda" with an index.
struct Device {
  std::string kind = "cpu";
  int index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu"; "cuda:1" where the index is not 0.
std::string to_string(const Device&);

/// One cache level as the topology library (or driver) reports it. `specified`: virtual machines report wrong sizes; see the probe.
struct CacheLevel {
  std::string name;         ///< "L1d", "L2", "L3"
  int64_t size_bytes = 0;   ///< of one instance
  int line_bytes = 64;
  int ways = 0;             ///< 0: unknown, -1: fully associative
  int shared_by_cores = 1;  ///< cores that share one instance
};

/// What a device reports of itself (specified, not measured). Unknown figures are 0 and must be shown as unknown.
struct DeviceInfo {
  Device device;
  std::string model;                ///< brand string
  int cores = 0;                    ///< physical cores usable by this process
  int hardware_threads = 0;
  int vector_bits = 0;              ///< widest vector unit in use: 128, 256, 512
  std::vector<std::string> features;  ///< "avx2", "avx512f", "amx-bf16", ...
  std::vector<CacheLevel> caches;   ///< nearest first
  int64_t memory_bytes = 0;         ///< total memory of the device
  int64_t memory_available_bytes = 0;  ///< free for a run now
  std::vector<std::string> libraries;  ///< "oneDNN 2.6.3", "OpenBLAS 0.3.21"
};

}  // namespace engine
