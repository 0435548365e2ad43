// SPDX-License-Identifier: Apache-2.0
// Inner loops of Adam, AdamW and gradient clipping, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// What one step of Adam multiplies by, the corrections for the step already in them.
struct AdamFactors {
  double rate = 0;  ///< learning rate / (1 - beta1^step)
  double beta1 = 0, beta2 = 0;
  double root = 1;  ///< 1 / sqrt(1 - beta2^step)
  double epsilon = 0;
  double gradient_factor = 1;  ///< of the gradient: 1 / loss scale
  double gradient_decay = 0;   ///< g = gradient_factor * gradient + gradient_decay * weight (Adam)
  double weight_decay = 0;     ///< weight is first shrunk by this share (AdamW: learning rate * decay)
};

template <class T>
struct OptimizerLoops {
  void (*adam)(const AdamFactors&, int64_t count, const T* gradient, T* weight, T* m, T* v);
  /// Sum of squares, gathered in T over stretches of 4096 elements, in double over those.
  double (*squared_norm)(const T* x, int64_t count);
};

OptimizerLoops<float> optimizer_loops_f32();
/// Null pointers on vector units without doubles.
OptimizerLoops<double> optimizer_loops_f64();

}  // namespace engine::cpu
