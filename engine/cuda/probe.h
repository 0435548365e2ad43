// SPDX-License-Identifier: Apache-2.0
// Probes for NVIDIA GPUs through the driver's library alone: works, and says why not, on machines without one.
#pragma once

#include <functional>
#include <string>

#include "engine/runtime/module.h"

namespace engine::cuda {

/// The oldest driver interface this code runs on: CUDA 13.0, as cuDriverGetVersion counts.
inline constexpr int kNeededDriverApi = 13'000;
inline constexpr const char* kNeededDriver = "580";
/// The oldest GPUs: Turing, compute capability 7.5.
inline constexpr int kNeededCapability = 75;

/// Where the probe looks. Tests point it elsewhere.
struct ProbeWorld {
  std::string library = "libcuda.so.1";
  std::string control_file = "/dev/nvidiactl";
  std::string version_file = "/proc/driver/nvidia/version";
  /// errno of opening a device file for reading and writing; 0: it can be opened.
  std::function<int(const std::string&)> open_error;
};

/// Library, driver version, cuInit, devices: the first link that is missing gives state, reason and remedy. Makes no
/// context.
ModuleProbe probe(const ProbeWorld& world = {});

/// "580.95.05" of the text of /proc/driver/nvidia/version; empty when it holds none.
std::string parse_driver_version(const std::string& text);

}  // namespace engine::cuda
