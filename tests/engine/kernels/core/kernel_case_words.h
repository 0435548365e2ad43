// SPDX-License-Identifier: Apache-2.0
// Short words for the operands and attributes that kernel cases are written with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/kernels/core/kernel_case.h"

namespace engine {

using Ints = std::vector<int64_t>;
inline constexpr DType f32 = DType::float32, f64 = DType::float64;

inline TensorType row_major(Shape shape, DType dtype = f32) { return TensorType::contiguous(dtype, std::move(shape)); }
inline TensorType nhwc(Shape shape, DType dtype = f32) { return TensorType::channels_last(dtype, std::move(shape)); }
inline TensorType strided(Shape shape, Strides strides, DType dtype = f32) {
  return {dtype, std::move(shape), std::move(strides)};
}

/// Attributes of a gradient op that names its result's type.
inline Attributes with_result(Attributes attributes, const std::string& what, const TensorType& type) {
  attributes.set(what + "_shape", type.shape);
  attributes.set(what + "_strides", type.strides);
  return attributes;
}

/// Attributes of a convolution.
inline Attributes conv(Ints stride, Ints padding, Ints dilation = {1, 1}, int64_t groups = 1) {
  return {{"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}};
}

}  // namespace engine
