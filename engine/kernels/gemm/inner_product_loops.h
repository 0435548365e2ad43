// SPDX-License-Identifier: Apache-2.0
// Own matrix products inside of other ops: what they keep beside their operands, and where. Computed by products-inl.h,
// described by matrix_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/kernels/gemm/gemm_blocking_loops.h"

namespace engine::loops {

/// c (m x n) = alpha a b, sums of k steps.
struct ProductShape {
  int64_t m = 0, n = 0, k = 0;
  bool scaled = false;  ///< alpha is not 1: a times alpha is made first
};

/// Packed panels, and a times alpha behind them. room(m, n, k): elements of panels.
template <class Room>
int64_t product_scratch(const ProductShape& s, const Room& room) {
  return in_lines(room(s.m, s.n, s.k)) + (s.scaled ? in_lines(s.m * s.k) : 0);
}
/// Of the largest of them; where a product of one row may be a vector's (`vectors`), that has room, too.
template <class Room>
int64_t product_scratch(std::span<const ProductShape> shapes, bool matrices, bool vectors, const Room& room) {
  int64_t most = 0;
  for (const ProductShape& s : shapes) {
    if (matrices) most = std::max(most, product_scratch(s, room));
    if (vectors) most = std::max(most, product_scratch(ProductShape{1, s.n, s.k, s.scaled}, room));
  }
  return most;
}

/// visitor.scale(): a times alpha, row after row, which is read instead of a. visitor.multiply().
template <class Visitor>
void inner_product(bool scaled, Visitor& visitor) {
  if (scaled) visitor.scale();
  visitor.multiply();
}

}  // namespace engine::loops
