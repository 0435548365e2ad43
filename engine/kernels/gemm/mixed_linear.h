// SPDX-License-Identifier: Apache-2.0
// mixed_linear as a kernel: weights of 16, 8 or 4 bits times rows of f32.
#pragma once

#include <memory>

#include "engine/kernels/core/kernels.h"

namespace engine::cpu {

/// Null: operands that do not lie row by row, or x is not f32.
std::unique_ptr<PreparedOp> prepare_mixed_linear(Context&, const PrepareRequest&);
int64_t mixed_linear_workspace(Context&, const Node&, const Call&);

}  // namespace engine::cpu
