// SPDX-License-Identifier: Apache-2.0
// What the kernels that pick and place elements share: indices, patterns of bytes, offsets.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/index_reader.h"
#include "engine/tensor/element.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// One element's bytes, to be written many times.
class ElementPattern {
 public:
  ElementPattern(DType dtype, double value) : size_(size_bytes(dtype)) { store_element(dtype, bytes_.data(), value); }
  template <class M = ScalarMemory>
  void fill(std::byte* to, int64_t count) const {
    with_bytes(size_, [&](auto value) {
      std::memcpy(&value, bytes_.data(), sizeof(value));
      M::fill(reinterpret_cast<decltype(value)*>(to), count, value);
    });
  }

 private:
  alignas(8) std::array<std::byte, 8> bytes_{};
  int64_t size_;
};

/// Axes [begin, end) of a type, as a type of their own.
inline TensorType some_axes(const TensorType& type, size_t begin, size_t end) {
  const auto first = static_cast<int64_t>(begin), last = static_cast<int64_t>(end);
  return {type.dtype, Shape(type.shape.begin() + first, type.shape.begin() + last),
          Strides(type.strides.begin() + first, type.strides.begin() + last)};
}

inline bool row_major(const TensorType& type) { return is_contiguous(type.shape, type.strides); }

}  // namespace engine::cpu
