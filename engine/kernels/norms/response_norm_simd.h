// SPDX-License-Identifier: Apache-2.0
// Inner loops of local response normalisation over lines of neighbours, chosen at run time (Highway). f32.
#pragma once

#include <cstdint>

namespace engine::cpu {

/// d = bias + alpha * (sum of squares of the channels around).
struct ResponseSettings {
  float alpha, beta, bias;  ///< alpha: divided by the size
};

struct ResponseLoops {
  /// to = x^2.
  void (*square)(const float* x, int64_t count, float* to);
  /// to += x.
  void (*add)(const float* x, int64_t count, float* to);
  /// y = x d^-beta.
  void (*normalize)(const ResponseSettings&, const float* x, const float* sums, int64_t count, float* y);
  /// to = dy x d^(-beta - 1).
  void (*terms)(const ResponseSettings&, const float* dy, const float* x, const float* sums, int64_t count, float* to);
  /// dx = dy d^-beta - 2 alpha beta x term_sums.
  void (*gradient)(const ResponseSettings&, const float* dy, const float* x, const float* sums, const float* term_sums,
                   int64_t count, float* dx);
};
ResponseLoops response_loops();

}  // namespace engine::cpu
