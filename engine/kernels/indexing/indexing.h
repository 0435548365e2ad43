// SPDX-License-Identifier: Apache-2.0
// What the kernels that pick and place elements share: indices, offsets.
#pragma once

#include <vector>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/element_pattern.h"
#include "engine/kernels/core/index_reader.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// Axes [begin, end) of a type, as a type of their own.
inline TensorType some_axes(const TensorType& type, size_t begin, size_t end) {
  const auto first = static_cast<int64_t>(begin), last = static_cast<int64_t>(end);
  return {type.dtype, Shape(type.shape.begin() + first, type.shape.begin() + last),
          Strides(type.strides.begin() + first, type.strides.begin() + last)};
}

inline bool row_major(const TensorType& type) { return is_contiguous(type.shape, type.strides); }

}  // namespace engine::cpu
