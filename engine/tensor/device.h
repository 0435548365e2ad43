// SPDX-License-Identifier: Apache-2.0
// A device's name, the traits of its kind, and what it says of itself: cores, caches, memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Which device: "cpu", "null", "cuda" with an index.
struct Device {
  std::string kind = "cpu";
  int index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu"; "cuda:1" where the index is not 0.
std::string to_string(const Device&);

/// Whose GPU it is: who reads its trace, its counters and its data sheet. Emulated GPUs have none of them.
enum class Vendor : uint8_t { none, nvidia };

/// What all devices of a kind have in common. Whoever decides something by a device asks for one of these, never for
/// its name. Each kind is one row in engine/tensor/device.cpp. Devices of unknown kinds (an imported trace's "NVIDIA
/// A100") compute, and nothing else is known.
struct DeviceTraits {
  bool is_processor =
      false;  ///< this machine's processor under its own name: its roofs, caches and counters are those of the run
  bool is_gpu = false;              ///< computes as CUDA's devices do, in memory of its own
  bool shares_host_memory = false;  ///< the processor reads its tensors where they are
  bool computes = true;             ///< false: runs no kernel, so times are dispatch alone and no result is known
  bool emulated = false;            ///< a GPU emulated on the processor: its results are a GPU's, its times are not
  bool simulated = false;           ///< a second name for host memory, whose ops the processor computes
  Vendor vendor = Vendor::none;
  friend bool operator==(const DeviceTraits&, const DeviceTraits&) = default;
};

/// Of the device that to_string(), a user or a capture calls so.
const DeviceTraits& traits_of(std::string_view name);
inline const DeviceTraits& traits_of(const Device& device) { return traits_of(device.kind); }
inline bool is_gpu(const Device& device) { return traits_of(device).is_gpu; }

/// Traits as a capture keeps them: "gpu nvidia". The way back passes over words it does not know; none: of no known
/// kind.
std::string to_words(const DeviceTraits&);
DeviceTraits traits_from_words(std::string_view words);

/// One cache level as the topology library (or driver) reports it. `specified`: virtual machines report wrong sizes;
/// see the probe.
struct CacheLevel {
  std::string name;        ///< "L1d", "L2", "L3"
  int64_t size_bytes = 0;  ///< of one instance
  int line_bytes = 64;
  int ways = 0;             ///< 0: unknown, -1: fully associative
  int shared_by_cores = 1;  ///< cores that share one instance
};

/// What a device reports of itself (specified, not measured). Unknown figures are 0 and must be shown as unknown.
struct DeviceInfo {
  Device device;
  const DeviceTraits& traits() const { return traits_of(device); }
  std::string model;  ///< brand string
  int cores = 0;      ///< physical cores usable by this process
  int hardware_threads = 0;
  int vector_bits = 0;                 ///< widest vector unit in use: 128, 256, 512
  std::vector<std::string> features;   ///< "avx2", "avx512f", "amx-bf16", ...
  std::vector<CacheLevel> caches;      ///< nearest first
  int64_t memory_bytes = 0;            ///< total memory of the device
  int64_t memory_available_bytes = 0;  ///< free for a run now
  std::vector<std::string> libraries;  ///< "oneDNN 2.6.3", "OpenBLAS 0.3.21"
};

}  // namespace engine
