// SPDX-License-Identifier: Apache-2.0
// Copies of single elements at any strides and of elements side by side, over memory that is plain (copy.cpp) or, in a
// test, notes each access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/kernels/core/scalar_memory.h"

namespace engine::cpu {

/// body(T{}), T an unsigned integer of `bytes` bytes: 1, 2, 4 or 8.
template <class Body>
[[gnu::always_inline]] inline auto with_bytes(int64_t bytes, const Body& body) {
  switch (bytes) {
    case 8: return body(uint64_t{});
    case 4: return body(uint32_t{});
    case 2: return body(uint16_t{});
    default: return body(uint8_t{});
  }
}

/// As copy_row().
template <class M>
void copy_row_over(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count,
                   int64_t element_bytes) {
  if (from_stride == element_bytes && to_stride == element_bytes)
    return M::copy_elements(from, to, count * element_bytes, element_bytes);
  with_bytes(element_bytes, [=](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i)
      M::store(M::load(reinterpret_cast<const T*>(from + i * from_stride)), reinterpret_cast<T*>(to + i * to_stride));
  });
}

}  // namespace engine::cpu
