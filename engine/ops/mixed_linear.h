// SPDX-License-Identifier: Apache-2.0
// The linear layer with weights stored in fewer bits than it computes in, of one matrix or of experts.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// mixed_linear(x [..., K], w, scales) -> y [..., N]. Without scales w is bf16 or f16 [N, K]. With scales f16 [N, K /
/// 32] it is in blocks (engine/tensor/quantization.h): i8 [N, K], or u8 [N, K / 2] of two 4-bit weights each. Then x is
/// rounded to blocks of 8 bits as well, so that a block adds up in integers.
extern const Op kMixedLinear;

/// expert_linear(x, w, experts [T, k], scales) -> y [T, k, N]: row t times the matrices that experts[t] names. w is as
/// mixed_linear's with an axis of experts in front, [E, N, K], or has x's dtype. x is [T, K], or [T, k, K] with a row
/// for each. Negative experts count from the end, as gather has them; rows of those outside are NaN. No gradient.
extern const Op kExpertLinear;

std::span<const Op* const> mixed_linear_ops();

/// `scales`: kNoValue for bf16 and f16.
ValueId mixed_linear(GraphBuilder&, ValueId x, ValueId w, ValueId scales = kNoValue);
ValueId expert_linear(GraphBuilder&, ValueId x, ValueId w, ValueId experts, ValueId scales = kNoValue);

}  // namespace engine::ops
