// SPDX-License-Identifier: Apache-2.0
// What a module (a device's code, opened at run time) shows of itself: one exported function that gives a table of
// entry points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/library_search.h"
#include "engine/base/result.h"
#include "engine/runtime/backend.h"
#include "engine/tensor/device.h"
#include "engine/tensor/product_format.h"

namespace engine {

/// Raised with every change of ModuleEntry or of a type it speaks of. Module and program are of one build: C++ types
/// cross, so the product version must be equal as well.
inline constexpr uint32_t kModuleAbi = 4;

/// How far the way from the module to a device of it leads.
enum class DriverState : uint8_t {
  ready,           ///< there is at least one device
  no_driver,       ///< the driver's library is not on this machine
  driver_too_old,  ///< the driver cannot run what this module was built with
  no_device,       ///< the driver works and finds no device that can be used
  no_permission,   ///< this user may not open the device files
  failed,          ///< the driver answers with an error of its own
};

struct ModuleProbe {
  DriverState state = DriverState::failed;
  std::string why;                  ///< one sentence, also when ready: what was found, or which link is missing
  std::string remedy;               ///< what helps; empty when ready
  std::string driver_version;       ///< "580.95.05"; empty: unknown
  std::vector<DeviceInfo> devices;  ///< in the driver's order (index = Device::index); empty unless ready
};

/// What a module's backend is asked for.
struct ModuleBackendOptions {
  int index = 0;               ///< which device
  bool deterministic = false;  ///< only kernels whose result does not depend on the order in which threads finish
  bool tf32 = false;           ///< products of f32 may round their operands to 10 bits of mantissa
  bool pageable =
      false;  ///< copies take host memory as it is, which the driver stages; else ours stages it through pinned buffers
  Fp8 fp8 = Fp8::off;  ///< refused by devices without tensor cores for it; products whose shape does not allow it say
                       ///< so in their kernel's name
};

/// The table. The first two fields never move: they are compared before anything else is read.
struct ModuleEntry {
  uint32_t abi = kModuleAbi;
  const char* product_version = nullptr;
  /// Walks from the driver's library to the devices; never crashes without a driver, makes no context.
  ModuleProbe (*probe)() = nullptr;
  /// Refused when there is no such device, with what probe() says.
  Result<std::unique_ptr<Backend>> (*make_backend)(const ModuleBackendOptions&) = nullptr;
  /// The first error of work submitted to a backend of this module. A GPU reports the failure of an op only after the
  /// op was started. Ask after synchronize().
  Result<void> (*health)(const Backend&) = nullptr;
  /// The profiler's own table, which the engine does not look into; null: this module observes nothing.
  const void* collector = nullptr;
  /// Libraries of others that the module opens by name: where each was looked for, what was taken, what refused. Null:
  /// it opens none.
  std::vector<LibraryReport> (*libraries)() = nullptr;
};

/// The one exported function: extern "C" const engine::ModuleEntry* tensortide_module().
using ModuleEntryFunction = const ModuleEntry* (*)();
inline constexpr const char* kModuleEntryName = "tensortide_module";

}  // namespace engine
