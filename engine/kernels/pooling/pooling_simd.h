// SPDX-License-Identifier: Apache-2.0
// Inner loops of pooling over channels that lie side by side, f32, chosen at run time (Highway).
#pragma once

#include <cstdint>

#include "engine/kernels/pooling/pooling_loops.h"

namespace engine::cpu {

using loops::Window;

/// All images are [height, width, channels] of one sample; `width` counts pixels of a row of the
/// image the window lies in.
struct PoolingLoops {
  /// y[c] = largest pixel of the window in image x; index[c] = row * width + column of the first
  /// such pixel. A NaN wins.
  void (*max)(const float* x, const Window&, int64_t width, int64_t channels, float* y, int32_t* index);
  /// y[c] = factor * sum of the window's pixels.
  void (*average)(const float* x, const Window&, int64_t width, int64_t channels, float factor, float* y);
  /// to[c] += factor * from[c], or = with `first`.
  void (*accumulate)(const float* from, int64_t channels, float factor, bool first, float* to);
};

PoolingLoops pooling_loops();

}  // namespace engine::cpu
