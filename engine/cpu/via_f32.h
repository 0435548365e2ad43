// SPDX-License-Identifier: Apache-2.0
// bf16 and f16 operands on f32 kernels: operands are converted into the workspace, computed on with f32 sums, and the results
// rounded once on their way back. What no kernel of its own type takes is computed so.
#pragma once

#include <memory>

#include "engine/cpu/kernels.h"

namespace engine::cpu {

/// Whether some operand is bf16 or f16.
bool has_16_bit_floats(const Call&);
/// Room for all 16-bit operands as f32, and the f32 kernel's own workspace behind them; 0 when a kernel takes the operands as
/// they are.
int64_t via_f32_workspace(Context&, const Node&, const Call&);
/// Null when no f32 kernel takes the op.
std::unique_ptr<PreparedOp> prepare_via_f32(Context&, const PrepareRequest&);

}  // namespace engine::cpu
