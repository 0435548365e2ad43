// SPDX-License-Identifier: Apache-2.0
// The CPU backend: oneDNN for convolution and matrix products, own kernels for the rest, one thread
// pool (libgomp).
#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/matmul_choice.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// `threads`: worker count, fixed for the backend's life; 0 = all physical cores this process may
/// use. Fails (usage) for a negative count or more than four times the hardware threads.
/// `matmul_timings`: what measure_matmul() found on this machine; empty: a rule chooses the library of each matrix product.
/// `winograd`: convolutions with a batch norm folded in that go image by image are computed by Winograd's minimal filtering where oneDNN
/// has it (3x3, stride 1, f32): a quarter to less than a half of the multiplications, for transforms, larger weights and a few times
/// the rounding error. PreparedOp::spared_flops() says how much.
Result<std::unique_ptr<Backend>> make_backend(int threads = 0, std::vector<MatmulTiming> matmul_timings = {}, bool winograd = false);

/// What hwloc and the OS say of this machine (MemTotal and MemAvailable from /proc/meminfo). Sizes
/// are *specified*: VMs lie.
DeviceInfo describe();

}  // namespace engine::cpu
