// SPDX-License-Identifier: Apache-2.0
// Ready-made tangent rules: most ops name one of these as their Op::tangent. All set the tangent of output 0 alone.
#pragma once

#include "engine/graph/tangent.h"

namespace engine::ops {

/// y is linear in all its floating operands together (sums, views, copies, gathers): the op itself, on the tangents;
/// operands that do not move count as zeros, integer operands stay.
void tangent_linear(TangentContext&);
/// The same where the gradient costs less when some operand does not move: sums of two operands.
void tangent_sum(TangentContext&);
/// The same for views of one operand whose reshape may need a copy first.
void tangent_reshape(TangentContext&);
/// y is linear in each operand alone (products): the op with one operand replaced by its tangent, summed over the
/// operands.
void tangent_multilinear(TangentContext&);
/// y = product(x, weight) + bias along axis 1, the bias optional: linear layers and convolutions.
void tangent_product_with_bias(TangentContext&);
/// The Jacobian by each operand, once that operand is broadcast to the shape of y, is symmetric (elementwise ops,
/// softmax): the op's gradient with the tangent in place of dy.
void tangent_symmetric(TangentContext&);
/// Each element of an operand reaches one element of y (reductions over "axes", losses): the gradient for dy = 1, times
/// the tangent, summed the same way.
void tangent_reduction(TangentContext&);

/// max_pool2d_tangent(dx, indices) -> dy: the elements of dx that max_pool2d chose; results are channels last.
extern const Op kMaxPool2dTangent;
std::span<const Op* const> tangent_ops();

/// A view of a zero (a one) in the shape and dtype of `type`.
ValueId zeros_like(GraphBuilder&, TensorType type);
ValueId ones_like(GraphBuilder&, TensorType type);
/// Their sum, where kNoValue counts as zero.
ValueId add_tangents(GraphBuilder&, ValueId a, ValueId b);

}  // namespace engine::ops
