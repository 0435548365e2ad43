// SPDX-License-Identifier: Apache-2.0
// The upper or lower triangle of matrices: which stretch of a row is kept. Computed by indexing.cpp, whose threads
// share the rows, described by moves_access.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

struct Triangle {
  int64_t rows = 1, columns = 1;  ///< of one matrix
  int64_t k = 0;                  ///< of the diagonal at the border, above the main one
  bool upper = true;
};

/// Row number `row` of all matrices. visitor.zero(row, columns), visitor.copy(row, columns).
template <class Visitor>
void triangle_row(const Triangle& t, int64_t row, Visitor& visitor) {
  const int64_t border = std::clamp<int64_t>(row % t.rows + t.k + (t.upper ? 0 : 1), 0, t.columns);
  const Range kept = t.upper ? Range{border, t.columns} : Range{0, border};
  visitor.zero(row, Range{0, kept.begin});
  visitor.copy(row, kept);
  visitor.zero(row, Range{kept.end, t.columns});
}

}  // namespace engine::loops
