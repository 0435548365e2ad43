// SPDX-License-Identifier: Apache-2.0
// The linear layer with weights stored in fewer bits than it computes in.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// mixed_linear(x [..., K], w, scales) -> y [..., N]. w: bf16 or f16 [N, K], without scales; i8 [N, K] or u8 [N, K / 2]
/// (two of 4 bits each) in blocks of 32 with scales f16 [N, K / 32] (engine/tensor/quantization.h). With blocks, x is
/// rounded to blocks of 8 bits as well, so that products of a block add up in integers.
extern const Op kMixedLinear;

std::span<const Op* const> mixed_linear_ops();

/// `scales`: kNoValue for bf16 and f16.
ValueId mixed_linear(GraphBuilder&, ValueId x, ValueId w, ValueId scales = kNoValue);

}  // namespace engine::ops
