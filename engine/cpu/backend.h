// SPDX-License-Identifier: Apache-2.0
// The CPU backend: oneDNN for convolution and matrix products, own kernels for the rest, one thread
// pool (libgomp).
#pragma once

#include <memory>

#include "engine/runtime/backend.h"

namespace engine::cpu {

/// `threads`: worker count, fixed for the backend's life; 0 = all physical cores this process may
/// use. Fails (usage) for a negative count or more than four times the hardware threads.
Result<std::unique_ptr<Backend>> make_backend(int threads = 0);

/// What hwloc and the OS say of this machine (MemTotal and MemAvailable from /proc/meminfo). Sizes
/// are *specified*: VMs lie.
DeviceInfo describe();

}  // namespace engine::cpu
