// SPDX-License-Identifier: Apache-2.0
// Inner loops of layer, root-mean-square and group normalisation over lines of neighbours, chosen at run time
// (Highway).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace engine::cpu {

/// Of values x about a point: the sums of x - point and of (x - point)^2.
struct Moments {
  double sum = 0, squares = 0;
};

struct MeanAndVariance {
  double mean = 0, variance = 0;
};

/// Of `count` values, from their moments about a rounded mean. Values that are all the same get themselves as mean and
/// 0 as variance: they lie whole units in the last place from it, and few of them, so that the sums are exact.
inline MeanAndVariance mean_and_variance(double rounded_mean, const Moments& about, double count) {
  const double off = about.sum / count;
  if (!std::isfinite(off)) return {rounded_mean, about.squares / count};
  // max's first operand is the one a NaN stays in.
  return {rounded_mean + off, std::max(about.squares / count - off * off, 0.0)};
}

/// Loops over `count` neighbours of element type T. Sums are gathered in T over stretches, in double over those.
template <class T>
struct NormLoops {
  Moments (*moments)(const T* x, int64_t count, T shift);
  /// The sum of x^2.
  double (*squares)(const T* x, int64_t count);
  /// y = (x - mean) * factor * scale (+ bias unless it is null).
  void (*normalize)(const T* x, int64_t count, T mean, T factor, const T* scale, const T* bias, T* y);
  /// With g = dy * scale and xhat = (x - mean) * factor: sums[0] = sum g, sums[1] = sum g * xhat; dscale += dy * xhat,
  /// dbias += dy (unless it is null).
  void (*gradient_sums)(const T* dy, const T* x, int64_t count, T mean, T factor, const T* scale, T* dscale, T* dbias,
                        double* sums);
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
  void (*channels_gradient)(const T* dy, const T* x, int64_t count, const T* mean, const T* factor, const T* shift,
                            const T* slope, T* dx);
};

NormLoops<float> norm_loops_f32();
/// Null pointers on vector units without doubles.
NormLoops<double> norm_loops_f64();

}  // namespace engine::cpu
