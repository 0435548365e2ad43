// SPDX-License-Identifier: Apache-2.0
// Inner loops of depthwise convolutions, whose channels lie side by side and never meet (Highway, chosen at run time).
#pragma once

#include <cstdint>

namespace engine::cpu {

template <class T>
struct DepthwiseLoops {
  /// y[c] = bias[c] + sum over i < count of x[i][c] * w[i][c]. `bias`: or null.
  void (*sum)(const T* const* x, const T* const* w, int64_t count, const T* bias, int64_t channels, T* y) = nullptr;
  /// to[i][c] += x[i][c] * dy[c], for i < count.
  void (*accumulate)(const T* const* x, const T* dy, int64_t count, int64_t channels, T* const* to) = nullptr;
};

DepthwiseLoops<float> depthwise_loops_f32();
/// Null pointers on vector units without doubles.
DepthwiseLoops<double> depthwise_loops_f64();

}  // namespace engine::cpu
