// SPDX-License-Identifier: Apache-2.0
// A simulated device: host memory that bears another device's name, computed by the kernels of a host backend. What
// several devices demand of a program (copies, refusals, one lane each) can be run and seen without a GPU; its times
// are the host's. Each has a half of the processor's cores, so that two of them work side by side.
#pragma once

#include <memory>

#include "engine/runtime/backend.h"

namespace engine::sim {

/// Cores, or threads, of a simulated device on a processor of `whole`: half of them, at least 1.
constexpr int share_of(int whole) { return whole < 4 ? 1 : whole / 2; }

/// "sim:<index>", whose work `host` does. CHECKs 0 <= index < kSimulatedDevices (engine/tensor/device_name.h).
std::unique_ptr<Backend> make_backend(int index, std::unique_ptr<Backend> host);
/// What that backend says of itself: the host's figures under its own name.
DeviceInfo describe(int index, DeviceInfo host);

}  // namespace engine::sim
