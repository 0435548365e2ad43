// SPDX-License-Identifier: Apache-2.0
// Lines along any axis of row-major tensors, walked side by side, a stretch of neighbouring lines at a time. Computed
// by along_axis.cpp, whose threads share the stretches, described by along_axis_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Lines behind one another that are walked side by side: their running values stay in the first cache level.
inline constexpr int64_t kSideBySide = 1024;

/// x as [outer, length, inner], lines along `length`; cut into pieces of up to kSideBySide lines.
struct RowsAlong {
  int64_t outer = 1, length = 1, inner = 1;

  /// `axis` may count from the end.
  static RowsAlong of(std::span<const int64_t> shape, int64_t axis) {
    RowsAlong lines;
    const auto rank = static_cast<int64_t>(shape.size());
    if (axis < 0) axis += rank;
    for (int64_t i = 0; i < rank; ++i)
      (i < axis ? lines.outer : i == axis ? lines.length : lines.inner) *= shape[static_cast<size_t>(i)];
    return lines;
  }
  int64_t pieces_per_outer() const { return (inner + kSideBySide - 1) / kSideBySide; }
  int64_t pieces() const { return outer * pieces_per_outer(); }
  int64_t elements() const { return outer * length * inner; }

  /// Of one piece: the number of its first line among outer * inner, that line's first element, lines.
  struct Piece {
    int64_t line = 0, first = 0, count = 0;
  };
  Piece piece(int64_t number) const {
    const int64_t block = number / pieces_per_outer(), from = number % pieces_per_outer() * kSideBySide;
    return {block * inner + from, block * length * inner + from, std::min(kSideBySide, inner - from)};
  }
};

/// visitor.clear(count): the lines' sums. visitor.add(at, count): neighbours from element `at` on to them, and what
/// comes of it to y.
template <class Visitor>
[[gnu::always_inline]] inline void cumulative_sum(const RowsAlong& lines, int64_t number, bool reverse,
                                                  Visitor& visitor) {
  const RowsAlong::Piece piece = lines.piece(number);
  visitor.clear(piece.count);
  for (int64_t k = 0; k < lines.length && !visitor.stopped(); ++k)
    visitor.add(piece.first + (reverse ? lines.length - 1 - k : k) * lines.inner, piece.count);
}

}  // namespace engine::loops
