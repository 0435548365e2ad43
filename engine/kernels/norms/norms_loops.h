// SPDX-License-Identifier: Apache-2.0
// Norms of lines: how often a line is gone through, and what is read and written each time. Computed by
// norms_simd-inl.h and norms-inl.h, described by norms_access.cpp.
#pragma once

#include <algorithm>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// Layer norms, and those by the root mean square. visitor.sum(): of x, for the mean. visitor.squares(): of x less the
/// mean. visitor.normalize(): x to y. visitor.keep(): the statistics.
template <class Visitor>
[[gnu::always_inline]] inline void norm_row(bool has_mean, Visitor& visitor) {
  if (has_mean) visitor.sum();
  visitor.squares();
  visitor.normalize();
  visitor.keep();
}

/// Lines whose dscale and dbias are summed near before they go to doubles.
inline constexpr int64_t kLinesPerFlush = 256;

/// Backwards. visitor.gradient_sums(line): of dy scale and its product with x, and dscale and dbias.
/// visitor.gradient(line): dx. visitor.flush(): dscale and dbias to doubles.
template <class Visitor>
void norm_gradient_rows(Range lines, Visitor& visitor) {
  for (int64_t from = lines.begin; from < lines.end && !visitor.stopped(); from += kLinesPerFlush) {
    for (int64_t line = from; line < std::min(lines.end, from + kLinesPerFlush) && !visitor.stopped(); ++line) {
      visitor.gradient_sums(line);
      visitor.gradient(line);
    }
    visitor.flush();
  }
}

}  // namespace engine::loops
