// SPDX-License-Identifier: Apache-2.0
// What tensors of 16-bit floats are for kernels that compute in f32 between conversions.
#pragma once

#include "engine/tensor/tensor.h"

namespace engine {

inline bool is_16_bit_float(DType dtype) { return dtype == DType::bfloat16 || dtype == DType::float16; }

/// The same dense layout in f32, or a dense one in its axis order; other types as they are.
inline TensorType widened(const TensorType& type) {
  if (!is_16_bit_float(type.dtype)) return type;
  TensorType wide{DType::float32, type.shape, type.strides};
  if (!is_dense(type.shape, type.strides)) wide.strides = dense_strides_like(type.shape, type.strides);
  if (!is_dense(wide.shape, wide.strides)) wide = TensorType::contiguous(DType::float32, type.shape);
  return wide;
}

}  // namespace engine
