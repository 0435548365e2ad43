// SPDX-License-Identifier: Apache-2.0
// Gradients of 3x3 convolutions as matrix products over weights as they lie: a block of channels, one vector wide,
// after another. Computed by convolution_product_simd-inl.h, described by convolution_product_access.cpp.
#pragma once

#include <algorithm>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// A block's nine vectors of columns (kernels of 3 x 3) are computed three at a time: with 8 rows 24 of 32 registers,
/// with 4 rows 12 of 16.
inline constexpr int kProductTaps = 9, kProductVectors = 3, kProductPanels = 3;

struct WindowProduct {
  int64_t rows = 0;     ///< pixels of y, of all images
  int64_t outputs = 0;  ///< channels
  Range blocks;         ///< of input channels
};

/// Which pixels of x the taps of a pixel of y meet; rows, then columns.
struct TapWindow {
  int64_t x[2] = {0, 0}, y[2] = {0, 0};  ///< pixels of an image
  int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, before[2] = {0, 0};

  /// Of all images' pixels; -1: padding.
  constexpr int64_t pixel(int64_t row, int64_t tap) const {
    const int64_t column = row % y[1], line = row / y[1] % y[0], image = row / (y[1] * y[0]);
    const int64_t i = line * stride[0] + tap / 3 * dilation[0] - before[0],
                  j = column * stride[1] + tap % 3 * dilation[1] - before[1];
    return i < 0 || i >= x[0] || j < 0 || j >= x[1] ? -1 : (image * x[0] + i) * x[1] + j;
  }
};

/// `high`: rows of a tile. visitor.pack(outputs): dy of these as steps, one per row of y. visitor.gather(block): the
/// block's columns of im2col, one row of y after another. visitor.tile(block, panel, outputs): dW of these, sums over
/// the rows of y.
template <class Visitor>
void convolution_by_weight(const WindowProduct& p, int64_t high, Visitor& visitor) {
  const auto some = [&](int64_t o) { return Range{o, std::min(p.outputs, o + high)}; };
  for (int64_t o = 0; o < p.outputs && !visitor.stopped(); o += high) visitor.pack(some(o));
  for (int64_t block = p.blocks.begin; block < p.blocks.end && !visitor.stopped(); ++block) {
    visitor.gather(block);
    for (int64_t panel = 0; panel < kProductPanels; ++panel) {
      for (int64_t o = 0; o < p.outputs && !visitor.stopped(); o += high) visitor.tile(block, panel, some(o));
    }
  }
}

/// visitor.tile(block, panel, rows, vector_ahead): columns of `high` rows of y, sums over the outputs; a vector of the
/// next panel's weights is fetched meanwhile, or none (-1). visitor.scatter(block): adds the columns to the pixels that
/// they were read from.
template <class Visitor>
void convolution_by_input(const WindowProduct& p, int64_t high, Visitor& visitor) {
  for (int64_t block = p.blocks.begin; block < p.blocks.end && !visitor.stopped(); ++block) {
    for (int64_t panel = 0; panel < kProductPanels; ++panel) {
      const bool more = block + 1 < p.blocks.end || panel + 1 < kProductPanels;
      for (int64_t i = 0; i * high < p.rows && !visitor.stopped(); ++i) {
        const int64_t row = std::min(i * high, p.rows - high);  // the last tile computes some rows again
        visitor.tile(block, panel, Range{row, row + high}, more && i < kProductVectors ? i : -1);
      }
    }
    visitor.scatter(block);
  }
}

}  // namespace engine::loops
