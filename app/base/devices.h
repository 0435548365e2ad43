// SPDX-License-Identifier: Apache-2.0
// The devices of this program: built-in backends, one line each, and the GPUs that a module finds.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/kernels/core/winograd_timing.h"
#include "engine/runtime/backend.h"
#include "engine/tensor/product_format.h"

namespace app {

/// What a backend is made with.
struct DeviceOptions {
  int threads = 0;                                              ///< 0: the backend's default
  engine::WinogradUse winograd = engine::WinogradUse::fastest;  ///< of the CPU: see engine/cpu/backend.h
  bool without_onednn = false, without_openblas = false;        ///< of the CPU: do without these libraries
  // of GPUs alone; others have no such choice
  bool tf32 = false;           ///< products of f32 may round their operands to 10 bits of mantissa
  bool deterministic = false;  ///< only kernels whose result does not depend on the order in which threads finish
  bool pageable = false;       ///< copies take host memory as it is instead of through pinned buffers
  engine::Fp8 fp8 = engine::Fp8::off;  ///< matrix multiplications may round their operands to 8 bits
};

/// One device: how it is named, what it is for, and how its backend is made.
struct DeviceEntry {
  std::string name;  ///< "cpu", "cuda", "cuda:1"
  std::string help;  ///< one sentence
  std::function<engine::Result<std::unique_ptr<engine::Backend>>(const DeviceOptions&)> make;
  /// What the device says of itself (specified).
  std::function<engine::DeviceInfo()> describe;
};
/// All devices of this machine. The GPUs among them are looked for once, at the first call.
std::span<const DeviceEntry> devices();

/// A kind of device that cannot be used here, and what would make it available.
struct AbsentDevice {
  std::string name, why, remedy;
};
std::span<const AbsentDevice> absent_devices();

/// Whether make_device() would find it: "cuda" asks the driver, without a context and without a crash where there is
/// none. False for what is no name of a device.
bool is_available(const std::string& name);

/// Makes the backend of "cpu", "null", "sim:0", "cuda:1", ... (see engine/tensor/device_name.h). Fails (usage) on what
/// names no device, naming the nearest; refused for an absent one.
engine::Result<std::unique_ptr<engine::Backend>> make_device(const std::string& name, const DeviceOptions&);

/// The first error that work submitted to this backend met, where it is of a module; devices of the program report at
/// once.
engine::Result<void> device_health(const engine::Backend&);

}  // namespace app
