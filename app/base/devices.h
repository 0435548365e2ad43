// SPDX-License-Identifier: Apache-2.0
// The devices of this program: built-in backends, one line each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/runtime/backend.h"

namespace app {

/// One kind of device: how it is named, what it is for, and how its backend is made.
struct DeviceEntry {
  std::string_view name;  ///< "cpu"
  std::string_view help;  ///< one sentence
  /// `threads` = 0: the backend's default.
  engine::Result<std::unique_ptr<engine::Backend>> (*make)(int threads);
  /// What the device says of itself (specified).
  engine::DeviceInfo (*describe)();
};
std::span<const DeviceEntry> devices();

/// A kind of device this build does not have, and what would make it available.
struct AbsentDevice {
  std::string_view name, why, remedy;
};
std::span<const AbsentDevice> absent_devices();

/// Makes the backend of "cpu", "null", ... Fails (usage) on an unknown name, naming the nearest; refused for an absent one.
engine::Result<std::unique_ptr<engine::Backend>> make_device(const std::string& name, int threads);

}  // namespace app
