// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling of any rank (1 to 3 spatial axes), transposed convolution, and convolution as a matrix
// product.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/builder.h"

// Volumes are [N, C, D, H, W]; results lie channels last (N, D, H, W, C in memory). Attributes as those of two axes
// (op_list.h), one entry more each: stride, dilation, kernel {d, h, w}, padding {front, top, left, back, bottom,
// right}.
namespace engine::ops {

// ---- convolution_3d.cpp
// -------------------------------------------------------------------------------------------------------
extern const Op kConv3d;            ///< conv3d(x, weight, [bias]) -> y {stride, padding, dilation, groups}
extern const Op kConv3dGradInput;   ///< conv3d_grad_input(dy, weight) -> dx {as conv3d, input_shape, input_strides}
extern const Op kConv3dGradWeight;  ///< conv3d_grad_weight(dy, x) -> dw {as conv3d, weight_shape, weight_strides}

// ---- pooling_3d.cpp
// -----------------------------------------------------------------------------------------------------------
/// max_pool3d(x) -> y, indices {kernel, stride, padding, dilation, ceil_mode}; indices i32: (d * H + h) * W + w
extern const Op kMaxPool3d;
extern const Op kMaxPool3dGrad;      ///< max_pool3d_grad(dy, indices) -> dx {as max_pool3d, input_shape, input_strides}
extern const Op kAveragePool3d;      ///< average_pool3d(x) -> y {kernel, stride, padding, ceil_mode, count_include_pad}
extern const Op kAveragePool3dGrad;  ///< average_pool3d_grad(dy) -> dx {as average_pool3d, input_shape, input_strides}

// ---- im2col.cpp
// ---------------------------------------------------------------------------------------------------------------
/// im2col(x) -> columns {kernel, stride, padding, dilation}: x [N, C, H, W] -> [N, C * KH * KW, OH * OW], row-major:
/// column (i, j) holds what the window of output (i, j) covers, 0 for padding.
extern const Op kIm2col;
/// col2im(columns) -> x {as im2col, input_shape, input_strides}: adds the columns up where their windows lie; im2col's
/// transpose.
extern const Op kCol2im;

std::span<const Op* const> convolution_nd_ops();

/// One entry per spatial axis; empty: 1 everywhere (padding, output_padding: 0).
struct ConvolutionOptions {
  std::vector<int64_t> stride = {}, dilation = {};
  std::vector<int64_t> padding = {};  ///< before each axis, then after each axis
  int64_t groups = 1;
  std::vector<int64_t> output_padding = {};  ///< transposed convolution only
};
/// x [N, C, spatial...], weight [O, C / groups, kernel...], bias [O] or kNoValue. One axis is computed as two with a
/// height of 1.
ValueId convolution(GraphBuilder&, ValueId x, ValueId weight, ValueId bias, const ConvolutionOptions& = {});
/// The gradient of a convolution by its input, as a layer: x [N, C, spatial...], weight [C, O / groups, kernel...],
/// bias [O]. Extents (input - 1) * stride - paddings + dilation * (kernel - 1) + 1 + output_padding.
ValueId conv_transpose(GraphBuilder&, ValueId x, ValueId weight, ValueId bias, const ConvolutionOptions& = {});

/// As ConvolutionOptions; an empty stride is 1 everywhere.
struct PoolOptions {
  std::vector<int64_t> kernel, stride = {};
  std::vector<int64_t> padding = {};
  std::vector<int64_t> dilation = {};  ///< max pooling only
  bool count_include_pad = false;      ///< average pooling only
  bool ceil_mode = false;
};
/// y and, for each, where in its plane it came from (i32, row-major). One and two axes without dilation are max_pool2d.
struct MaxPoolResult {
  ValueId y = kNoValue, indices = kNoValue;
};
MaxPoolResult max_pool(GraphBuilder&, ValueId x, const PoolOptions&);
ValueId average_pool(GraphBuilder&, ValueId x, const PoolOptions&);
/// [N, C, spatial...] -> [N, C, 1...]: the largest of each plane.
ValueId global_max_pool(GraphBuilder&, ValueId x);
/// (sum of |x|^p over the window) ^ (1 / p), p >= 1; padding counts as 0.
ValueId lp_pool(GraphBuilder&, ValueId x, double p, const PoolOptions&);

struct UnfoldOptions {
  std::vector<int64_t> kernel, stride = {1, 1}, padding = {0, 0, 0, 0}, dilation = {1, 1};
};
ValueId im2col(GraphBuilder&, ValueId x, const UnfoldOptions&);
/// `shape`: [N, C, H, W] of the image.
ValueId col2im(GraphBuilder&, ValueId columns, const Shape& shape, const UnfoldOptions&);
/// The convolution of two axes as im2col and matmul: what the copies cost. Row-major result.
ValueId conv2d_im2col(GraphBuilder&, ValueId x, ValueId weight, ValueId bias, const ConvolutionOptions& = {});

}  // namespace engine::ops
