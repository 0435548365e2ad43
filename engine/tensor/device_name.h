// SPDX-License-Identifier: Apache-2.0
// Devices as users write them.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace engine {

/// How many simulated devices ("sim": host memory under another name) there are: sim:0 to sim:7.
inline constexpr int kSimulatedDevices = 8;

/// The device that "cpu", "null", "cuda", "cuda:k", "sim:k" or "emu:0" names; "cuda" and "cuda:0" are one. The inverse
/// of to_string(), which leaves an index of 0 away but for "sim:0" and "emu:0". Says nothing of whether there is such a
/// device here. Fails (usage) naming the text and what would be right.
Result<Device> parse_device(std::string_view text);

/// The kind of GPUs that the text means without being a device's name: "cuda" for "gpu", "GPU:1", "nvidia". Empty:
/// none.
std::string_view meant_gpu(std::string_view text);

/// What people call devices of this one's kind: "NVIDIA GPUs", "OpenCL devices". Empty: nothing of its own.
std::string_view people_name(std::string_view device);

}  // namespace engine
