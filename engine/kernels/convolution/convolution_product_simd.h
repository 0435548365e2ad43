// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions with 3x3 kernels as matrix products over plain weights [O, C, 3, 3], for every vector width
// (Highway). A block of channels, one vector wide, is computed at a time: its columns are those of im2col, [C, 3, 3] as
// weights lie, so that no weight is moved.
#pragma once

#include <cstdint>

#include "engine/kernels/convolution/convolution_rule.h"

namespace engine::cpu {

/// Images and their results lie channels last and dense, images one after another.
struct ProductConvolution {
  static constexpr int64_t kTaps = convolution_rule::kTaps;

  int64_t rows = 0;                   ///< pixels of y, of all images
  int64_t pixels = 0;                 ///< of x
  int64_t inputs = 0, outputs = 0;    ///< channels; inputs: a multiple of ProductConvolutionLoops::lanes
  int64_t weight_row = 0;             ///< elements from one output's weights to the next
  const int32_t* pixel_of = nullptr;  ///< [rows, kTaps]: the pixel of x that a tap reads, or `pixels` for padding
};

/// A thread's share of the work: blocks of `lanes` channels from `first` up to `last`. By weights every thread packs dy
/// for itself, which takes less than fetching it from another's cache; by input dy is read as it lies. Scratch is
/// 64-byte aligned.
struct ProductConvolutionLoops {
  int64_t lanes = 0;
  /// Elements of one thread's scratch.
  int64_t (*weight_scratch)(const ProductConvolution&) = nullptr;
  int64_t (*input_scratch)(const ProductConvolution&) = nullptr;

  /// dW[o, c, tap] = sum over rows of dy[row, o] x[pixel_of[row, tap], c]; padding adds nothing, whatever dy is there.
  void (*grad_weight)(const ProductConvolution&, const float* dy, const float* x, float* dw, int64_t first,
                      int64_t last, float* scratch) = nullptr;

  /// dx[pixel, c] = sum over o and the rows and taps with pixel_of[row, tap] = pixel of dy[row, o] W[o, c, tap].
  void (*grad_input)(const ProductConvolution&, const float* dy, const float* weight, float* dx, int64_t first,
                     int64_t last, float* scratch) = nullptr;
};

ProductConvolutionLoops product_convolution_loops();

}  // namespace engine::cpu
