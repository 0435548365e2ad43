// SPDX-License-Identifier: Apache-2.0
// Casts between element types.
#pragma once

#include "engine/graph/builder.h"

namespace engine::ops {

/// cast(x) -> y {dtype}: x in another element type (`dtype` is a string such as "bf16"), in the layout of x.
/// To floating types rounds once to nearest even, what is too large becomes infinite. Floats are cut towards zero on
/// their way to an integer; what lies outside the integer's range, infinities included, becomes its nearest end, NaN
/// becomes 0 (ONNX leaves these undefined). An integer outside of a narrower integer's range keeps its lowest bits
/// (two's complement), as ONNX's Cast, onnxruntime and PyTorch have it: 200 becomes -56 in i8. To bool: x != 0 (so NaN
/// is true). Its gradient is the output's gradient cast back to the dtype of x.
extern const Op kCast;

/// x itself when it has this dtype already.
ValueId cast(GraphBuilder&, ValueId x, DType dtype);

std::span<const Op* const> casting_ops();

}  // namespace engine::ops
