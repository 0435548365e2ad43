// SPDX-License-Identifier: Apache-2.0
// Indices as operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/core/scalar_memory.h"
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

}  // namespace engine::cpu
