// SPDX-License-Identifier: Apache-2.0
// Pooling of images [N, C, H, W], channels last: which window of which pixel comes after which. Computed by
// pooling.cpp, whose threads share the rows, described by pooling_access.cpp.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// A rectangle of pixels of one plane: rows [top, bottom), columns [left, right).
struct Window {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  constexpr bool empty() const { return top >= bottom || left >= right; }
};

/// One spatial axis: output i covers inputs [i * stride - padding, + kernel) as far as they exist.
struct PoolAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, padding = 0, padding_after = 0;

  constexpr int64_t begin(int64_t out) const { return std::max<int64_t>(0, out * stride - padding); }
  constexpr int64_t end(int64_t out) const { return std::min(input, out * stride - padding + kernel); }
  /// Outputs whose windows cover input `in`: [first_out, last_out).
  constexpr int64_t first_out(int64_t in) const {
    const int64_t from = in + padding - kernel + 1;
    return from <= 0 ? 0 : (from + stride - 1) / stride;
  }
  constexpr int64_t last_out(int64_t in) const { return std::min(output, (in + padding) / stride + 1); }
  /// Window length with the paddings it covers, as far as those exist.
  constexpr int64_t padded_length(int64_t out) const {
    const int64_t start = out * stride - padding;
    return std::min(start + kernel, input + padding_after) - start;
  }
};

struct PoolGeometry {
  int64_t batch = 0, channels = 0;
  PoolAxis height, width;

  constexpr int64_t input_pixels() const { return height.input * width.input; }
  constexpr int64_t output_pixels() const { return height.output * width.output; }
  constexpr Window inputs_of(int64_t i, int64_t j) const {
    return {height.begin(i), height.end(i), width.begin(j), width.end(j)};
  }
  constexpr Window outputs_over(int64_t h, int64_t w) const {
    return {height.first_out(h), height.last_out(h), width.first_out(w), width.last_out(w)};
  }
};

/// Of shapes [N, C, H, W]; padding: before each axis, then after each.
inline PoolGeometry pool_geometry(std::span<const int64_t> x, std::span<const int64_t> y,
                                  std::span<const int64_t> kernel, std::span<const int64_t> stride,
                                  std::span<const int64_t> padding) {
  const auto axis = [&](size_t i) {
    return PoolAxis{.input = x[2 + i],
                    .output = y[2 + i],
                    .kernel = kernel[i],
                    .stride = stride[i],
                    .padding = padding[i],
                    .padding_after = padding[2 + i]};
  };
  return {.batch = x[0], .channels = x[1], .height = axis(0), .width = axis(1)};
}
/// One window that is all of the plane.
inline PoolGeometry pool_geometry_of_planes(std::span<const int64_t> x) {
  const auto axis = [](int64_t extent) {
    return PoolAxis{.input = extent, .output = 1, .kernel = extent, .stride = extent};
  };
  return {.batch = x[0], .channels = x[1], .height = axis(x[2]), .width = axis(x[3])};
}

/// Maxima are taken of so many vectors of channels at a time: one comparison waits for the one before it, those of
/// other channels do not.
inline constexpr int64_t kPoolVectors = 4;

/// visitor.window(sample, row, column, window): the pixel of y that this window of x makes.
template <class Visitor>
void pool_row(const PoolGeometry& g, int64_t sample, int64_t row, Visitor& visitor) {
  for (int64_t column = 0; column < g.width.output && !visitor.stopped(); ++column)
    visitor.window(sample, row, column, g.inputs_of(row, column));
}

/// Backwards through averages, in gather form. visitor.uncovered(sample, row, column): a pixel of dx that no window
/// covers is 0. visitor.add(sample, row, column, i, j, first): dx gets its part of dy at (i, j), or with `first` is it.
template <class Visitor>
void average_pool_grad_row(const PoolGeometry& g, int64_t sample, int64_t row, Visitor& visitor) {
  for (int64_t column = 0; column < g.width.input && !visitor.stopped(); ++column) {
    const Window outputs = g.outputs_over(row, column);
    if (outputs.empty()) visitor.uncovered(sample, row, column);
    bool first = true;
    for (int64_t i = outputs.top; i < outputs.bottom; ++i) {
      for (int64_t j = outputs.left; j < outputs.right; ++j, first = false)
        visitor.add(sample, row, column, i, j, first);
    }
  }
}

/// Backwards through maxima, of images or volumes: tasks of some channels of a sample each.
struct ScatterShape {
  int64_t batch = 0, channels = 0;
  int64_t inputs = 0, outputs = 0;  ///< pixels of a sample, of dx and of dy
  int64_t at_once = 1;              ///< channels of a task

  constexpr int64_t tasks() const { return batch * ((channels + at_once - 1) / at_once); }
};
/// Channels whose dx fill a cache line: tasks of so many do not write into one.
inline constexpr int64_t kScatterLine = 16;

/// Of images: by samples, or, where these are fewer than threads, by lines of channels.
constexpr ScatterShape scatter_shape(const PoolGeometry& g, int64_t threads) {
  return {.batch = g.batch,
          .channels = g.channels,
          .inputs = g.input_pixels(),
          .outputs = g.output_pixels(),
          .at_once = g.batch >= threads ? std::max<int64_t>(1, g.channels) : kScatterLine};
}

/// visitor.clear(sample, pixel, channels): dx = 0. visitor.scatter(sample, pixel, channels): dy is added to the pixels
/// that its indices name.
template <class Visitor>
void max_pool_grad(const ScatterShape& s, int64_t task, Visitor& visitor) {
  const int64_t parts = (s.channels + s.at_once - 1) / s.at_once, sample = task / parts,
                first = task % parts * s.at_once;
  const Range channels{first, std::min(s.channels, first + s.at_once)};
  for (int64_t pixel = 0; pixel < s.inputs && !visitor.stopped(); ++pixel) visitor.clear(sample, pixel, channels);
  for (int64_t pixel = 0; pixel < s.outputs && !visitor.stopped(); ++pixel) visitor.scatter(sample, pixel, channels);
}

}  // namespace engine::loops
