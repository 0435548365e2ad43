// SPDX-License-Identifier: Apache-2.0
// Inner loops of softmax, cross entropy and sums over rows of neighbouring elements, chosen at run
// time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Loops over `count` neighbours of element type T.
template <class T>
struct RowLoops {
  /// y = exp(x - max) / sum exp(x - max); returns max + log(sum).
  double (*softmax)(const T* x, int64_t count, T* y);
  /// dx = y * (dy - sum(dy * y)).
  void (*softmax_gradient)(const T* dy, const T* y, int64_t count, T* dx);
  /// y = x - (max + log sum exp(x - max)).
  void (*log_softmax)(const T* x, int64_t count, T* y);
  /// dx = dy - exp(y) * sum(dy), y not positive.
  void (*log_softmax_gradient)(const T* dy, const T* y, int64_t count, T* dx);
  /// y = factor * x.
  void (*scaled)(const T* x, int64_t count, T factor, T* y);
  /// Sum of all, gathered in T over stretches of 4096 elements, in double over those.
  double (*sum)(const T* x, int64_t count);
  /// to += x.
  void (*add)(const T* x, int64_t count, T* to);
};

RowLoops<float> row_loops_f32();
/// Null pointers on vector units without doubles.
RowLoops<double> row_loops_f64();

}  // namespace engine::cpu
