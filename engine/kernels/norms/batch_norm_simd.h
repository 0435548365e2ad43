// SPDX-License-Identifier: Apache-2.0
// Inner loops of batch normalisation over rows of channels ([rows, channels], channels side by
// side), chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Loops for one element type T. Sums are gathered in T over at most kRowsPerFlush rows, then added
/// to doubles.
template <class T>
struct BatchNormLoops {
  /// sums[0, C) += sum (x - shift); sums[C, 2C) += sum (x - shift)^2 over the rows. `scratch`: 2 C
  /// elements.
  void (*moments)(const T* x, int64_t rows, int64_t channels, const T* shift, T* scratch, double* sums);
  /// y = (x - mean) * factor + bias, all per channel.
  void (*normalize)(const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* bias, T* y);
  /// sums[0, C) += sum dy; sums[C, 2C) += sum dy * (x - mean). `scratch`: 2 C elements.
  void (*gradient_sums)(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, T* scratch,
                        double* sums);
  /// dx = factor * (dy - a - (x - mean) * b), all per channel.
  void (*gradient)(const T* dy, const T* x, int64_t rows, int64_t channels, const T* mean, const T* factor, const T* a,
                   const T* b, T* dx);
};

BatchNormLoops<float> batch_norm_loops_f32();
/// Null pointers on vector units without doubles.
BatchNormLoops<double> batch_norm_loops_f64();

}  // namespace engine::cpu
