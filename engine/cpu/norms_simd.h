// SPDX-License-Identifier: Apache-2.0
// Inner loops of layer, root-mean-square and group normalisation over lines of neighbours, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Loops over `count` neighbours of element type T. Sums are gathered in T over stretches, in double over those.
template <class T>
struct NormLoops {
  /// The sum of (x - shift)^2.
  double (*squares)(const T* x, int64_t count, T shift);
  /// y = (x - mean) * factor * scale (+ bias unless it is null).
  void (*normalize)(const T* x, int64_t count, T mean, T factor, const T* scale, const T* bias, T* y);
  /// With g = dy * scale and xhat = (x - mean) * factor: sums[0] = sum g, sums[1] = sum g * xhat; dscale += dy * xhat,
  /// dbias += dy (unless it is null).
  void (*gradient_sums)(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T* dscale, T* dbias, double* sums);
  /// dx = factor * (dy * scale - a - xhat * b).
  void (*gradient)(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T a, T b, T* dx);

  // Of a line that is one channel:
  /// y = (x - mean) * factor + bias.
  void (*affine)(const T* x, int64_t count, T mean, T factor, T bias, T* y);
  /// sums[0] = sum dy, sums[1] = sum dy * (x - mean).
  void (*channel_sums)(const T* dy, const T* x, int64_t count, T mean, double* sums);
  /// dx = factor * dy - shift - (x - mean) * slope.
  void (*channel_gradient)(const T* dy, const T* x, int64_t count, T mean, T factor, T shift, T slope, T* dx);
  /// The same of a line that has all channels side by side.
  void (*channels_gradient)(const T* dy, const T* x, int64_t count, const T* mean, const T* factor, const T* shift, const T* slope, T* dx);
};

NormLoops<float> norm_loops_f32();
/// Null pointers on vector units without doubles.
NormLoops<double> norm_loops_f64();

}  // namespace engine::cpu
