// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering (winograd_loops.h), for every vector width (Highway).
#pragma once

#include <cstdint>

#include "engine/kernels/convolution/winograd_gradient_loops.h"

namespace engine::cpu {

/// Images whose channels lie side by side; elements from one image, row and pixel to the next.
struct WinogradImages {
  int64_t image = 0, row = 0, pixel = 0;
};

/// Kernels [outputs, inputs, 3, 3] of any strides.
struct WinogradWeights {
  const float* data = nullptr;
  int64_t output = 0, input = 0, row = 0, column = 0;  ///< strides; of flipped kernels the last two are negative
};

struct WinogradCall {
  loops::WinogradShape shape;
  loops::WinogradCut cut;
  WinogradImages x_layout, y_layout;
  const float *x = nullptr, *u = nullptr, *bias = nullptr;  ///< bias: [outputs], or null
  float* y = nullptr;
};

/// dW of kernels [outputs, inputs, 3, 3], of x and dy.
struct WinogradGradientCall {
  loops::WinogradShape shape;
  loops::WinogradGradientCut cut;
  WinogradImages x_layout, y_layout;
  const float *x = nullptr, *dy = nullptr;
  float* u = nullptr;  ///< dU: WinogradGradientCut::weights() elements, 64-byte aligned
  float* dw = nullptr;
  int64_t output = 0, input = 0, row = 0, column = 0;  ///< strides of dw
};

/// Its steps. Scratch: WinogradGradientCut::scratch() elements, 64-byte aligned.
struct WinogradGradientLoops {
  void (*transform)(const WinogradGradientCall&, loops::Range unit, loops::Range tiles, float* scratch) = nullptr;
  void (*spread)(const WinogradGradientCall&, loops::Range unit, loops::Range tiles, float* scratch) = nullptr;
  void (*sums)(const WinogradGradientCall&, loops::Range unit, loops::Range sums, float* scratch) = nullptr;
  void (*gradients)(const WinogradGradientCall&, loops::Range inputs) = nullptr;
};

struct WinogradLoops {
  int64_t lanes = 0;
  /// U of some of the inputs. `factor`: what each output's weights are multiplied with, or null.
  void (*weights)(const loops::WinogradShape&, const loops::WinogradCut&, const WinogradWeights&, const float* factor,
                  loops::Range inputs, float* u) = nullptr;
  /// y of a unit. Scratch: WinogradCut::scratch() elements, 64-byte aligned.
  void (*unit)(const WinogradCall&, loops::Range unit, float* scratch) = nullptr;
  /// The steps of a unit: V and y of some of its tiles, M of some products of points and panels.
  void (*transform)(const WinogradCall&, loops::Range unit, loops::Range tiles, float* scratch) = nullptr;
  void (*multiply)(const WinogradCall&, loops::Range unit, loops::Range products, float* scratch) = nullptr;
  void (*results)(const WinogradCall&, loops::Range unit, loops::Range tiles, float* scratch) = nullptr;
  WinogradGradientLoops gradient = {};
};

WinogradLoops winograd_loops();

}  // namespace engine::cpu
