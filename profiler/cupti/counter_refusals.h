// SPDX-License-Identifier: Apache-2.0
// Why counters are out of reach, in words: permission, a virtual machine's host, another tool, a device that has none.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "profiler/cupti/cupti_api.h"

namespace profiler::cupti {

/// A parameter block of CUPTI: zeros and its own size.
template <class Params>
Params params_of(size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

/// What this process runs in.
struct Surroundings {
  std::string
      virtual_machine;  ///< "Amazon EC2 p5.48xlarge", or "unknown"; empty: the machine itself, as far as it tells
  bool container = false;
  bool administrator = false;  ///< CAP_SYS_ADMIN or CAP_PERFMON
};
/// From /proc/cpuinfo, /sys/class/dmi/id, /proc/self/status below `root`.
Surroundings surroundings(const std::filesystem::path& root = "/");

/// Whether this process may read counters whatever the driver's setting: by its capabilities, which root in a container
/// may lack.
bool is_administrator(const std::filesystem::path& root = "/");

/// What CUPTI_ERROR_INSUFFICIENT_PRIVILEGES means here and what helps.
std::string privilege_words(const Surroundings&);

/// Refused in words where CUPTI refuses.
engine::Result<void> check_counters(const CuptiApi&, CUptiResult, const char* doing);

/// Asks CUPTI whether the device has counters of this kind. Refused: with each obstacle that CUPTI names (vGPU,
/// confidential computing, ...).
engine::Result<void> check_device(const CuptiApi&, CUdevice, CUpti_Profiler_API);

}  // namespace profiler::cupti
