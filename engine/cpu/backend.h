// SPDX-License-Identifier: Apache-2.0
// The CPU backend: oneDNN for convolutions and GEMMs where it is there, own kernels for the rest, one thread pool.
#pragma once

#include <memory>

#include "engine/kernels/convolution/winograd_choice.h"
#include "engine/kernels/core/options.h"
#include "engine/kernels/gemm/matmul_choice.h"
#include "engine/kernels/quantized/integer_speed.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// Fails (usage) for a negative count of threads or more than four times the hardware threads.
Result<std::unique_ptr<Backend>> make_backend(const BackendOptions&);
inline Result<std::unique_ptr<Backend>> make_backend(int threads = 0) {
  return make_backend(BackendOptions{.threads = threads});
}

/// What hwloc and the OS say of this machine (MemTotal and MemAvailable from /proc/meminfo). Sizes
/// are *specified*: VMs lie.
DeviceInfo describe();

}  // namespace engine::cpu
