// SPDX-License-Identifier: Apache-2.0
// expert_linear as a kernel: the tokens of an expert meet its matrix together.
#pragma once

#include <memory>

#include "engine/kernels/core/kernels.h"

namespace engine::cpu {

/// Null: operands that do not lie row by row, or of types that neither rows of f32 nor weights in fewer bits have.
std::unique_ptr<PreparedOp> prepare_expert_linear(Context&, const PrepareRequest&);
int64_t expert_linear_workspace(Context&, const Node&, const Call&);

}  // namespace engine::cpu
