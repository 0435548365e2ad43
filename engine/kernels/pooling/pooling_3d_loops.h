// SPDX-License-Identifier: Apache-2.0
// Pooling of volumes [N, C, D, H, W], channels last: which voxel of which window comes after which. Computed by
// pooling_3d.cpp, whose threads share the rows, described by pooling_3d_access.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "engine/kernels/pooling/pooling_loops.h"

namespace engine::loops {

using Voxel = std::array<int64_t, 3>;  ///< depth, height, width

/// One axis: output i covers inputs i * stride - padding + t * dilation, 0 <= t < kernel, as far as they exist.
struct VolumeAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, padding = 0, padding_after = 0, dilation = 1;

  constexpr int64_t position(int64_t out, int64_t tap) const { return out * stride - padding + tap * dilation; }
  constexpr bool covers(int64_t out, int64_t tap) const {
    return position(out, tap) >= 0 && position(out, tap) < input;
  }
  /// One input of each output, the same.
  constexpr bool passes() const { return kernel == 1 && stride == 1 && padding == 0 && input == output; }
  /// Outputs that neighbour each other and whose windows lie within the input; none where neighbours' windows are not
  /// neighbours.
  constexpr Range whole_windows() const {
    if (stride != 1 || dilation != 1) return {0, 0};
    const int64_t begin = std::clamp<int64_t>(padding, 0, output);
    return {begin, std::clamp(input - kernel + padding + 1, begin, output)};
  }
  /// Inputs an average counts; dilation is 1.
  constexpr int64_t counted(int64_t out, bool with_padding) const {
    const int64_t begin = out * stride - padding, end = begin + kernel;
    return with_padding ? std::min(end, input + padding_after) - begin
                        : std::min(end, input) - std::max<int64_t>(begin, 0);
  }
  /// Outputs whose windows cover input `in`; dilation is 1.
  constexpr Range outputs_over(int64_t in) const {
    const int64_t from = in + padding - kernel + 1;
    return {from <= 0 ? 0 : (from + stride - 1) / stride, std::min(output, (in + padding) / stride + 1)};
  }
};

struct VolumeGeometry {
  int64_t batch = 0, channels = 0;
  std::array<VolumeAxis, 3> axes;

  constexpr Voxel inputs() const { return {axes[0].input, axes[1].input, axes[2].input}; }
  constexpr Voxel outputs() const { return {axes[0].output, axes[1].output, axes[2].output}; }
  /// The first input of a window; -1: it covers none.
  constexpr int64_t first_input(const Voxel& out) const {
    int64_t at = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      int64_t tap = 0;
      while (tap < axes[axis].kernel && !axes[axis].covers(out[axis], tap)) ++tap;
      if (tap == axes[axis].kernel) return -1;
      at = at * axes[axis].input + axes[axis].position(out[axis], tap);
    }
    return at;
  }
};

constexpr int64_t voxels(const Voxel& extents) { return extents[0] * extents[1] * extents[2]; }
constexpr int64_t voxel_number(const Voxel& extents, const Voxel& at) {
  return (at[0] * extents[1] + at[1]) * extents[2] + at[2];
}

/// Of shapes [N, C, D, H, W]; padding: before each axis, then after each.
inline VolumeGeometry volume_geometry(std::span<const int64_t> x, std::span<const int64_t> y,
                                      std::span<const int64_t> kernel, std::span<const int64_t> stride,
                                      std::span<const int64_t> padding, std::span<const int64_t> dilation) {
  VolumeGeometry g{.batch = x[0], .channels = x[1], .axes = {}};
  for (size_t i = 0; i < 3; ++i)
    g.axes[i] = {x[2 + i], y[2 + i], kernel[i], stride[i], padding[i], padding[3 + i], dilation[i]};
  return g;
}

/// For averages: axes that pass are taken as further channels where they lie next to these, and as further samples
/// where they lie next to those. So that of one channel, windows along the depth alone go over whole planes.
inline VolumeGeometry average_geometry(std::span<const int64_t> x, std::span<const int64_t> y,
                                       std::span<const int64_t> kernel, std::span<const int64_t> stride,
                                       std::span<const int64_t> padding, std::span<const int64_t> dilation) {
  VolumeGeometry g = volume_geometry(x, y, kernel, stride, padding, dilation);
  size_t first = 0, last = g.axes.size();
  for (; last > first && g.axes[last - 1].passes(); --last) g.channels *= g.axes[last - 1].input;
  for (; first < last && g.axes[first].passes(); ++first) g.batch *= g.axes[first].input;
  std::array<VolumeAxis, 3> axes;
  std::copy(g.axes.begin() + static_cast<int64_t>(first), g.axes.begin() + static_cast<int64_t>(last),
            axes.end() - static_cast<int64_t>(last - first));
  g.axes = axes;
  return g;
}
/// Elements of a stretch: they stay in the first cache level while the window goes by.
inline constexpr int64_t kLongestStretch = 2048;

/// Row number `row` of voxels with these extents, counted through all samples: sample and voxel of its first.
struct VolumeRow {
  int64_t sample = 0;
  Voxel at{0, 0, 0};

  static constexpr VolumeRow of(const Voxel& extents, int64_t row) {
    return {row / (extents[0] * extents[1]), {row / extents[1] % extents[0], row % extents[1], 0}};
  }
};
constexpr int64_t volume_rows(const VolumeGeometry& g, const Voxel& extents) {
  return g.batch * extents[0] * extents[1];
}

/// Of the gradient of maxima, as of images.
constexpr ScatterShape scatter_shape(const VolumeGeometry& g, int64_t threads) {
  return {.batch = g.batch,
          .channels = g.channels,
          .inputs = voxels(g.inputs()),
          .outputs = voxels(g.outputs()),
          .at_once = g.batch >= threads ? std::max<int64_t>(1, g.channels) : kScatterLine};
}

/// The window of one voxel of y: visitor.take(input, first): a voxel of x within it, in their order; visitor.nothing():
/// there was none.
template <class Visitor>
void pool_window(const VolumeGeometry& g, const Voxel& at, Visitor& visitor) {
  const auto& [d, h, w] = g.axes;
  bool first = true;
  for (int64_t t = 0; t < d.kernel; ++t) {
    if (!d.covers(at[0], t)) continue;
    for (int64_t u = 0; u < h.kernel; ++u) {
      if (!h.covers(at[1], u)) continue;
      for (int64_t v = 0; v < w.kernel; ++v) {
        if (!w.covers(at[2], v)) continue;
        visitor.take((d.position(at[0], t) * h.input + h.position(at[1], u)) * w.input + w.position(at[2], v), first);
        first = false;
      }
    }
  }
  if (first) visitor.nothing();
}

/// One row of y. visitor.begin(sample, at): a voxel of y; then pool_window() of it.
template <class Visitor>
void pool_volume_row(const VolumeGeometry& g, int64_t row, Visitor& visitor) {
  auto [sample, at] = VolumeRow::of(g.outputs(), row);
  for (; at[2] < g.axes[2].output && !visitor.stopped(); ++at[2]) {
    visitor.begin(sample, at);
    pool_window(g, at, visitor);
  }
}

/// One row of averages. visitor.begin(sample, at, count): so many voxels of y beside each other, whose windows go
/// along; then pool_window() of the first.
template <class Visitor>
void average_volume_row(const VolumeGeometry& g, int64_t row, Visitor& visitor) {
  auto [sample, at] = VolumeRow::of(g.outputs(), row);
  const Range whole = g.axes[2].whole_windows();
  const int64_t most = std::max<int64_t>(1, kLongestStretch / std::max<int64_t>(1, g.channels));
  for (int64_t count = 1; at[2] < g.axes[2].output && !visitor.stopped(); at[2] += count) {
    count = at[2] >= whole.begin && at[2] < whole.end ? std::min(most, whole.end - at[2]) : 1;
    visitor.begin(sample, at, count);
    pool_window(g, at, visitor);
  }
}

/// Backwards through averages, in gather form, one row of dx. visitor.begin(sample, at): a voxel of dx;
/// visitor.add(out, first): its part of dy there; visitor.nothing(): no window covers it.
template <class Visitor>
void average_pool_volume_grad_row(const VolumeGeometry& g, int64_t row, Visitor& visitor) {
  auto [sample, at] = VolumeRow::of(g.inputs(), row);
  for (; at[2] < g.axes[2].input && !visitor.stopped(); ++at[2]) {
    visitor.begin(sample, at);
    bool first = true;
    const Range depth = g.axes[0].outputs_over(at[0]), height = g.axes[1].outputs_over(at[1]),
                width = g.axes[2].outputs_over(at[2]);
    for (int64_t k = depth.begin; k < depth.end; ++k) {
      for (int64_t i = height.begin; i < height.end; ++i) {
        for (int64_t j = width.begin; j < width.end; ++j, first = false) visitor.add(Voxel{k, i, j}, first);
      }
    }
    if (first) visitor.nothing();
  }
}

}  // namespace engine::loops
