// SPDX-License-Identifier: Apache-2.0
// Softmax of a row: how often it is gone through, and what is read and written each time. Computed by
// rows_simd-inl.h, described by engine/kernels/softmax/softmax_access.cpp.
#pragma once

#include <cstdint>

namespace engine::loops {

/// y = softmax(x). visitor.largest(): of x. visitor.exponentials(): of x less the largest, to y, and their sum.
/// visitor.scale(): y by one over it.
template <class Visitor>
[[gnu::always_inline]] inline void softmax_row(Visitor& visitor) {
  visitor.largest();
  visitor.exponentials();
  visitor.scale();
}

/// y = log softmax(x). visitor.largest(), visitor.sum_exponentials(): of x. visitor.subtract(): both from x, to y.
template <class Visitor>
[[gnu::always_inline]] inline void log_softmax_row(Visitor& visitor) {
  visitor.largest();
  visitor.sum_exponentials();
  visitor.subtract();
}

/// dx from dy and y, of both. visitor.sum(): of dy y, or of dy for the logarithm. visitor.gradient(): dx from y, dy and
/// it.
template <class Visitor>
[[gnu::always_inline]] inline void softmax_gradient_row(Visitor& visitor) {
  visitor.sum();
  visitor.gradient();
}

/// Sums of a row are gathered in its type over so many elements, in doubles over those.
inline constexpr int64_t kRowStretch = 4096;

}  // namespace engine::loops
