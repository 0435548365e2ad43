// SPDX-License-Identifier: Apache-2.0
// Integers that stand for real numbers: value = (integer - zero_point) * scale. Quantising, and products of u8 and i8
// with i32 sums, with the meaning ONNX gives them.
#pragma once

#include <span>

#include "engine/graph/builder.h"
#include "engine/ops/ops.h"

namespace engine::ops {

// A scale is f32, a zero point has the dtype of what it belongs to. Both have one element, or one per index of "axis"
// of x, per column of b (matrix products) or per output channel of w (convolutions). Zero points of weights are added
// to nothing in the padding of a convolution: padding stands for the real 0.

/// quantize_linear(x, scale, zero_point) -> y {axis}: x / scale to the nearest integer (ties to even) + zero_point,
/// held in the range of zero_point's dtype, u8 or i8.
extern const Op kQuantizeLinear;
/// dequantize_linear(x, scale, zero_point) -> y {axis}: f32 (x - zero_point) * scale; x u8, i8 or i32.
extern const Op kDequantizeLinear;
/// dynamic_quantize_linear(x) -> y, scale, zero_point: u8, with the scale that just holds 0 and all of x.
extern const Op kDynamicQuantizeLinear;
/// matmul_integer(a, b, a_zero_point, b_zero_point) -> c: i32 product; a [..., m, k], b [..., k, n], each u8 or i8.
extern const Op kMatmulInteger;
/// qlinear_matmul(a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point) -> y: the product,
/// quantised again.
extern const Op kQlinearMatmul;
/// conv_integer(x, w, x_zero_point, w_zero_point) -> y {as conv2d}: i32, channels last.
extern const Op kConvInteger;
/// qlinear_conv(x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, [bias]) -> y {as conv2d};
/// bias i32 in units of x_scale * w_scale.
extern const Op kQlinearConv;

std::span<const Op* const> quantized_ops();

/// An integer tensor with what it stands for.
struct Quantized {
  ValueId values = kNoValue, scale = kNoValue, zero_point = kNoValue;
};

ValueId quantize_linear(GraphBuilder&, ValueId x, ValueId scale, ValueId zero_point, int64_t axis = 1);
ValueId dequantize_linear(GraphBuilder&, const Quantized& x, int64_t axis = 1);
Quantized dynamic_quantize_linear(GraphBuilder&, ValueId x);
/// Zero points may be kNoValue: 0.
ValueId matmul_integer(GraphBuilder&, ValueId a, ValueId b, ValueId a_zero_point = kNoValue,
                       ValueId b_zero_point = kNoValue);
ValueId qlinear_matmul(GraphBuilder&, const Quantized& a, const Quantized& b, ValueId y_scale, ValueId y_zero_point);
ValueId conv_integer(GraphBuilder&, ValueId x, ValueId w, ValueId x_zero_point, ValueId w_zero_point,
                     const Conv2dOptions& = {});
ValueId qlinear_conv(GraphBuilder&, const Quantized& x, const Quantized& w, ValueId y_scale, ValueId y_zero_point,
                     ValueId bias, const Conv2dOptions& = {});

}  // namespace engine::ops
