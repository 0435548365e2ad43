// SPDX-License-Identifier: Apache-2.0
// The rungs of the ladder up to own registers: c = a b, or its sigmoid, by ever better loops. Computed by
// ladder_scalar-inl.h and ladder_simd-inl.h, described by ladder_access.cpp.
#pragma once

#include <algorithm>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// c is m x n, sums have k steps.
struct LadderShape {
  int64_t m = 0, n = 0, k = 0;
  bool sigmoid = false;
};

/// visitor.element(i, j): c[i, j] = row i of a times column j of b, or its sigmoid.
template <class Visitor>
void ladder_naive(const LadderShape& p, Visitor& visitor) {
  for (int64_t i = 0; i < p.m && !visitor.stopped(); ++i) {
    for (int64_t j = 0; j < p.n && !visitor.stopped(); ++j) visitor.element(i, j);
  }
}

/// A tile of b, tile x tile, serves tile rows of a before the next one comes.
/// visitor.clear(): c = 0. visitor.add_tile(i, k, j): c[i, j] += a[i, k] b[k, j] for these ranges, none of them empty:
/// row after row of c, for each step after step, which goes along the row. visitor.sigmoid(): c = sigmoid(c), one
/// element after the other.
template <class Visitor>
void ladder_tiled(const LadderShape& p, int64_t tile, Visitor& visitor) {
  visitor.clear();
  for (int64_t i = 0; i < p.m && !visitor.stopped(); i += tile) {
    for (int64_t k = 0; k < p.k && !visitor.stopped(); k += tile) {
      for (int64_t j = 0; j < p.n && !visitor.stopped(); j += tile)
        visitor.add_tile(Range{i, std::min(p.m, i + tile)}, Range{k, std::min(p.k, k + tile)},
                         Range{j, std::min(p.n, j + tile)});
    }
  }
  if (p.sigmoid) visitor.sigmoid();
}

/// One tile: b goes by row after row, once per row of a.
template <class Visitor>
void ladder_reordered(const LadderShape& p, Visitor& visitor) {
  ladder_tiled(p, std::max({p.m, p.n, p.k, int64_t{1}}), visitor);
}

/// Rows of c held in registers, of two vectors each: 16 of 32 registers with vectors of 64 bytes, 8 of 16 below.
constexpr int64_t ladder_rows_in_registers(bool wide_vectors) { return wide_vectors ? 8 : 4; }

/// visitor.tile(i, rows, j): rows by two vectors of c, each of `lanes` columns, summed up in registers and stored;
/// rows: `high` or 1. visitor.element(i, j): one sum, without the sigmoid. visitor.sigmoid(): of all of c, at the end.
template <class Visitor>
void ladder_registers(const LadderShape& p, int64_t lanes, int64_t high, Visitor& visitor) {
  int64_t j = 0;
  for (; j + 2 * lanes <= p.n; j += 2 * lanes) {
    int64_t i = 0;
    for (; i + high <= p.m && !visitor.stopped(); i += high) visitor.tile(i, high, j);
    for (; i < p.m && !visitor.stopped(); ++i) visitor.tile(i, int64_t{1}, j);
  }
  for (; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m && !visitor.stopped(); ++i) visitor.element(i, j);
  }
  if (p.sigmoid) visitor.sigmoid();
}

}  // namespace engine::loops
