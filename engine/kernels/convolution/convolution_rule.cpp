// SPDX-License-Identifier: Apache-2.0
// Which operands of a convolution's gradient a product over plain weights takes.
#include "engine/kernels/convolution/convolution_rule.h"

#include <algorithm>

namespace engine::convolution_rule {
namespace {

/// Columns of im2col, [C, 3, 3] of one output side by side, are rows of these weights.
bool has_plain_rows(const TensorType& weight) {
  const Shape& s = weight.shape;
  if (s.size() != 4 || s[2] != 3 || s[3] != 3 || weight.strides[2] != 3 || weight.strides[3] != 1) return false;
  return (s[1] == 1 || weight.strides[1] == kTaps) &&
         weight.strides[0] >= s[1] * kTaps;  // is_product() asks for many outputs
}

}  // namespace

int64_t pixels(const TensorType& images) { return images.shape[0] * images.shape[2] * images.shape[3]; }

bool is_product(bool by_input, const Attributes& attributes, const TensorType& x, const TensorType& weight,
                const TensorType& y, int64_t lanes) {
  if (std::ranges::any_of(std::initializer_list<DType>{x.dtype, weight.dtype, y.dtype},
                          [](DType t) { return t != DType::float32; }))
    return false;
  if (attributes.get_int("groups", 1) != 1 || !has_plain_rows(weight)) return false;
  if (!is_channels_last(x.shape, x.strides) || !is_channels_last(y.shape, y.strides)) return false;
  const int64_t inputs = weight.shape[1], outputs = weight.shape[0], rows = pixels(y);
  if (rows <= 0 || rows > kMostPixels || pixels(x) > kMostInputPixels || outputs < kFewestOutputs || inputs <= 0 ||
      inputs % lanes != 0)
    return false;
  return !by_input || rows <= kFewPixels || inputs * outputs * kTaps >= kManyWeights;
}

}  // namespace engine::convolution_rule
