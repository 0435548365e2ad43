// SPDX-License-Identifier: Apache-2.0
// One element's bytes, to be written many times.
#pragma once

#include <array>
#include <cstring>

#include "engine/kernels/core/copy-inl.h"
#include "engine/tensor/element.h"

namespace engine::cpu {

class ElementPattern {
 public:
  ElementPattern(DType dtype, double value) : size_(size_bytes(dtype)) { store_element(dtype, bytes_.data(), value); }
  /// As it lies at `element`.
  ElementPattern(DType dtype, const std::byte* element) : size_(size_bytes(dtype)) {
    std::memcpy(bytes_.data(), element, static_cast<size_t>(size_));
  }
  /// Whether the element at `other` has the same bytes.
  bool is_at(const std::byte* other) const {
    return std::memcmp(bytes_.data(), other, static_cast<size_t>(size_)) == 0;
  }
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

}  // namespace engine::cpu
