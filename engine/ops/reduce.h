// SPDX-License-Identifier: Apache-2.0
// Reductions over axes other than sums, sums along an axis, and what is computed along one axis.
#pragma once

#include "engine/graph/builder.h"

namespace engine::ops {

// ---- reduce.cpp: "axes" and "keep_axes" as for sum: none named is all of them; row-major results
// ---------------------------------- Numbers unless said otherwise; integers wrap around, and what is no whole number
// is cut towards zero.
extern const Op kMean;  ///< mean(x) -> y: NaN where nothing is averaged (0 in integers)
extern const Op
    kReduceMax;  ///< reduce_max(x) -> y: any dtype; of nothing -infinity or the least integer; NaN if any is
extern const Op
    kReduceMin;  ///< reduce_min(x) -> y: any dtype; of nothing infinity or the greatest integer; NaN if any is
extern const Op kProduct;       ///< product(x) -> y: of nothing 1
extern const Op kL1Norm;        ///< l1_norm(x) -> y: the sum of |x|
extern const Op kL2Norm;        ///< l2_norm(x) -> y: the square root of the sum of x^2; its gradient is 0 where y = 0
extern const Op kSumOfSquares;  ///< sum_of_squares(x) -> y
extern const Op kLogSum;        ///< log_sum(x) -> y: floating types; the logarithm of the sum
extern const Op kLogSumExp;     ///< log_sum_exp(x) -> y: floating types; without overflow
/// extremum_grad(dy, x, y) -> dx {axes}: dy, shared equally, where x equals y, else 0; dy and y have all axes of x.
extern const Op kExtremumGrad;
/// product_grad(dy, x) -> dx {axes}: dy times the product of the others; dy has all axes of x.
extern const Op kProductGrad;
extern const Op
    kLogSumExpGrad;  ///< log_sum_exp_grad(dy, x, y) -> dx: dy * exp(x - y), broadcast; 0 where x is -infinity

// ---- along_axis.cpp: along one axis, "axis", the last unless said otherwise
// -------------------------------------------------------
/// argmax(x) -> y {axis, keep_axis, select_last_index}: i64, row-major, any dtype; the first of equal elements unless
/// select_last_index; NaN counts as the greatest. The axis must have elements.
extern const Op kArgmax;
extern const Op kArgmin;  ///< argmin(x) -> y {as argmax}: NaN counts as the least
/// cumulative_sum(x) -> y {axis, exclusive, reverse}: numbers; y[i] sums x up to i, without i itself (exclusive), from
/// the end (reverse).
extern const Op kCumulativeSum;
extern const Op kLogSoftmax;      ///< log_softmax(x) -> y {axis}: x - log sum exp x
extern const Op kLogSoftmaxGrad;  ///< log_softmax_grad(dy, y) -> dx {axis}: dy - exp(y) sum(dy)
extern const Op kHardmax;         ///< hardmax(x) -> y {axis}: floating types; 1 where argmax says, else 0; gradient 0

ValueId mean(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
/// Of its gradient equal greatest elements get equal shares, as of reduce_min the least.
ValueId reduce_max(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId reduce_min(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId product(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId l1_norm(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId l2_norm(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId sum_of_squares(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId log_sum(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId log_sum_exp(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId argmax(GraphBuilder&, ValueId x, int64_t axis, bool keep_axis = false, bool select_last_index = false);
ValueId argmin(GraphBuilder&, ValueId x, int64_t axis, bool keep_axis = false, bool select_last_index = false);
ValueId cumulative_sum(GraphBuilder&, ValueId x, int64_t axis, bool exclusive = false, bool reverse = false);
ValueId log_softmax(GraphBuilder&, ValueId x, int64_t axis = -1);
ValueId hardmax(GraphBuilder&, ValueId x, int64_t axis = -1);

std::span<const Op* const> reduce_ops();
std::span<const Op* const> along_axis_ops();

}  // namespace engine::ops
