// SPDX-License-Identifier: Apache-2.0
// What the kernels that pick and place elements share: indices, patterns of bytes, offsets.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "engine/kernels/core/copy-inl.h"
#include "engine/tensor/element.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// Row-major indices of i32 or i64, read in place.
class IndexReader {
 public:
  /// `indices` must be row-major.
  explicit IndexReader(const Tensor& indices)
      : data_(indices.data()), wide_(indices.dtype() == DType::int64), count_(indices.type().elements()) {}

  int64_t count() const { return count_; }
  /// Index number i along an axis of `extent` elements, counted from the front; -1: it lies outside.
  template <class M = ScalarMemory>
  int64_t at(int64_t i, int64_t extent) const {
    const int64_t index = wide_ ? M::load(reinterpret_cast<const int64_t*>(data_) + i)
                                : int64_t{M::load(reinterpret_cast<const int32_t*>(data_) + i)};
    if (index < -extent || index >= extent) return -1;
    return index < 0 ? index + extent : index;
  }

 private:
  const std::byte* data_;
  bool wide_;
  int64_t count_;
};

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
