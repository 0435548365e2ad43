// SPDX-License-Identifier: Apache-2.0
// Walks from OpenCL's loader over its drivers (platforms) to the devices that can be used.
#pragma once

#include <vector>

#include "engine/opencl/api.h"
#include "engine/runtime/module.h"

namespace engine::opencl {

/// A device that can be used, and its driver's handles.
struct FoundDevice {
  DeviceInfo info;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  bool doubles = false;     ///< computes in f64
  int64_t most_bytes = 0;   ///< of one buffer
  int64_t group_items = 0;  ///< work-items of one group, at most
  int64_t local_bytes = 0;  ///< local memory of a group
};

/// What the walk found. `api` is complete where the loader opened.
struct Found {
  ModuleProbe probe;
  Api api;
  std::vector<FoundDevice> devices;  ///< as probe.devices, in the order of the drivers
};

/// Never crashes without a driver, makes no context. `library`: tests name another.
Found find_devices(const std::string& library = kLoader);
/// The same of this process's loader, once.
const Found& devices_here();

}  // namespace engine::opencl
