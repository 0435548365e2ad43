// SPDX-License-Identifier: Apache-2.0
// What our own convolutions share: geometry of conv2d and conv3d, how images lie, and which elements of an image the
// columns of a tile of pixels (im2col) are made of.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "engine/kernels/core/visitor_loops.h"
#include "engine/kernels/gemm/gemm_blocking_loops.h"

namespace engine::loops {

/// Depth, height, width; axes that a convolution lacks have extent 1.
using Axes3 = std::array<int64_t, 3>;

/// A convolution of x [N, G * C, in] by W [G * O, C, kernel] to y [N, G * O, out].
struct ConvolutionGeometry {
  int64_t batch = 1, groups = 1, inputs = 1, outputs = 1;  ///< inputs, outputs: C and O, of one group
  Axes3 in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1},
      padding{0, 0, 0};  ///< padding: before the image

  constexpr int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  /// Where tap number `tap`, in row-major order, lies in the kernel.
  constexpr Axes3 position(int64_t tap) const {
    return {tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1], tap % kernel[2]};
  }
  /// Elements from a pair of channels' first weight to that of a tap; `weight`: strides of the weights, of all their
  /// axes.
  constexpr int64_t weight_offset(int64_t tap, std::span<const int64_t> weight) const {
    const Axes3 at = position(tap);
    int64_t offset = 0;
    for (size_t axis = 2; axis < weight.size(); ++axis) offset += at[axis + 3 - weight.size()] * weight[axis];
    return offset;
  }
  constexpr int64_t pixels() const { return out[0] * out[1] * out[2]; }  ///< of one image of y
  double multiply_adds() const {
    return static_cast<double>(batch * pixels()) * static_cast<double>(groups * outputs) *
           static_cast<double>(inputs * taps());
  }
  /// Whether some tap of some pixel lies beside x.
  constexpr bool meets_padding() const {
    for (size_t axis = 0; axis < 3; ++axis) {
      if (padding[axis] > 0 ||
          (out[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] - padding[axis] >= in[axis])
        return true;
    }
    return false;
  }
  /// Each pixel of y reads one of x, the one at its place.
  constexpr bool is_pointwise() const { return taps() == 1 && in == out && padding == Axes3{0, 0, 0}; }
};

/// Of the shapes of x, the weights and y; stride, dilation: one per spatial axis; padding: at least those before each
/// axis.
inline ConvolutionGeometry convolution_geometry(std::span<const int64_t> x, std::span<const int64_t> weight,
                                                std::span<const int64_t> y, int64_t groups,
                                                std::span<const int64_t> stride, std::span<const int64_t> dilation,
                                                std::span<const int64_t> padding) {
  ConvolutionGeometry g;
  const size_t axes = x.size() - 2, missing = 3 - axes;
  g.batch = x[0];
  g.groups = groups;
  g.inputs = weight[1];
  g.outputs = weight[0] / groups;
  for (size_t axis = 0; axis < axes; ++axis) {
    const size_t to = missing + axis;
    g.in[to] = x[2 + axis];
    g.out[to] = y[2 + axis];
    g.kernel[to] = weight[2 + axis];
    g.stride[to] = stride[axis];
    g.dilation[to] = dilation[axis];
    g.padding[to] = padding[axis];
  }
  return g;
}

/// How images lie, in elements.
struct ImageLayout {
  int64_t batch = 0, channel = 0;  ///< from one to the next
  Axes3 pixel{0, 0, 0};            ///< likewise, along each axis
  int64_t step = 0;                ///< from each pixel to the next in row-major order; 0: that varies
  bool across = false;             ///< also from the last pixel of an image to the first of the next

  static ImageLayout of(std::span<const int64_t> shape, std::span<const int64_t> strides) {
    ImageLayout layout{.batch = strides[0], .channel = shape[1] == 1 ? 1 : strides[1]};
    int64_t dense = 1;  // pixels of the axes behind
    bool even = true;
    for (size_t axis = shape.size(); axis-- > 2;) {
      layout.pixel[axis + 3 - shape.size()] = strides[axis];
      if (shape[axis] == 1) continue;
      if (layout.step == 0) layout.step = strides[axis];
      even = even && strides[axis] == layout.step * dense;
      dense *= shape[axis];
    }
    if (dense == 1) layout.step = shape[0] == 1 ? shape[1] : strides[0];  // one pixel: the next is the next image's
    if (!even || layout.step <= 0) layout.step = 0;
    layout.across = layout.step > 0 && (shape[0] == 1 || strides[0] == layout.step * dense);
    return layout;
  }
  /// From an image's first pixel to another; `extents`: of its axes.
  constexpr int64_t offset(int64_t number, const Axes3& extents) const {
    if (step > 0) return number * step;
    return number / (extents[1] * extents[2]) * pixel[0] + number / extents[2] % extents[1] * pixel[1] +
           number % extents[2] * pixel[2];
  }
};

/// Arrays that a convolution works on; of a gradient, x and y are where x and y of the forward pass were.
enum class InArray : uint8_t { x, weight, bias, y, packed, scratch };

/// Elements of one of them.
struct Place {
  InArray array = InArray::scratch;
  int64_t first = 0, apart = 1;
};

/// Pixels [first, first + count) of y, counted through all images, and channels [channel, channel + channels) of x,
/// counted through all groups.
struct ColumnTile {
  int64_t first = 0, count = 0, channel = 0, channels = 0;
  bool by_pixel = true;  ///< [pixel][tap][channel], else [tap][channel][pixel]
};

/// A run of pixels of y in one row: they differ along the width only.
struct PixelRun {
  int64_t image, depth, height, width, count;
  int64_t at;  ///< first of them in the tile
};

template <class Body>
void for_runs(const ConvolutionGeometry& g, const ColumnTile& tile, const Body& body) {
  for (int64_t at = 0; at < tile.count;) {
    int64_t rest = tile.first + at;
    const int64_t width = rest % g.out[2];
    rest /= g.out[2];
    const int64_t height = rest % g.out[1];
    rest /= g.out[1];
    const int64_t count = std::min(tile.count - at, g.out[2] - width);
    body(PixelRun{rest / g.out[0], rest % g.out[0], height, width, count, at});
    at += count;
  }
}

/// Where a tap finds a run's pixels in x: those of pixels [begin, end) of the run, the first of them at `offset`; none
/// where begin == end.
struct Reach {
  int64_t begin = 0, end = 0, offset = 0;
};

inline Reach reach(const ConvolutionGeometry& g, const ImageLayout& x, const PixelRun& run, int64_t tap) {
  const Axes3 of_tap = g.position(tap);
  const auto position = [&](size_t axis, int64_t out) {
    return out * g.stride[axis] + of_tap[axis] * g.dilation[axis] - g.padding[axis];
  };
  const int64_t depth = position(0, run.depth), height = position(1, run.height), width = position(2, run.width);
  if (depth < 0 || depth >= g.in[0] || height < 0 || height >= g.in[1]) return {};
  const int64_t stride = g.stride[2];
  Reach r;
  r.begin = std::min(run.count, width < 0 ? (-width + stride - 1) / stride : 0);
  r.end = std::max(r.begin, width >= g.in[2] ? 0 : std::min(run.count, (g.in[2] - 1 - width) / stride + 1));
  r.offset = run.image * x.batch + depth * x.pixel[0] + height * x.pixel[1] + (width + r.begin * stride) * x.pixel[2];
  return r;
}

/// What x holds at the taps of each pixel, at the beginning of the scratch. visitor.copy(from, to, count),
/// visitor.zeros(to, count): where a tap lies outside of x.
template <class Visitor>
[[gnu::noinline]] void fill_columns(const ConvolutionGeometry& g, const ImageLayout& x, const ColumnTile& tile,
                                    Visitor& visitor) {
  const int64_t taps = g.taps(), channels = tile.channels, apart = g.stride[2] * x.pixel[2];
  for_runs(g, tile, [&](const PixelRun& run) {
    for (int64_t tap = 0; tap < taps && !visitor.stopped(); ++tap) {
      const Reach r = reach(g, x, run, tap);
      int64_t from = r.offset + tile.channel * x.channel;
      if (tile.by_pixel) {
        int64_t to = (run.at * taps + tap) * channels;
        for (int64_t i = 0; i < run.count; ++i, to += taps * channels) {
          if (i < r.begin || i >= r.end) visitor.zeros({InArray::scratch, to}, channels);
          else visitor.copy({InArray::x, from + (i - r.begin) * apart, x.channel}, {InArray::scratch, to}, channels);
        }
        continue;
      }
      for (int64_t c = 0; c < channels; ++c, from += x.channel) {
        const int64_t to = (tap * channels + c) * tile.count + run.at;
        visitor.zeros({InArray::scratch, to}, r.begin);
        visitor.copy({InArray::x, from, apart}, {InArray::scratch, to + r.begin}, r.end - r.begin);
        visitor.zeros({InArray::scratch, to + r.end}, run.count - r.end);
      }
    }
  });
}

/// The way back (col2im) of one tap; by pixel where channels lie side by side. visitor.add(from, to, count).
template <class Visitor>
[[gnu::noinline]] void add_columns(const ConvolutionGeometry& g, const ImageLayout& dx, const ColumnTile& tile,
                                   int64_t tap, Visitor& visitor) {
  const int64_t channels = tile.channels, apart = g.stride[2] * dx.pixel[2];
  for_runs(g, tile, [&](const PixelRun& run) {
    const Reach r = reach(g, dx, run, tap);
    int64_t to = r.offset + tile.channel * dx.channel;
    if (tile.by_pixel) {
      for (int64_t i = r.begin; i < r.end; ++i, to += apart)
        visitor.add({InArray::scratch, (run.at + i) * channels}, {InArray::x, to}, channels);
      return;
    }
    for (int64_t c = 0; c < channels; ++c, to += dx.channel)
      visitor.add({InArray::scratch, c * tile.count + run.at + r.begin}, {InArray::x, to, apart}, r.end - r.begin);
  });
}

/// Pixels of a tile, each of which takes `row_bytes` in the columns: whole tiles of the products, 1 MiB at most where
/// that leaves enough rows, and not fewer tiles than threads.
constexpr int64_t tile_of_pixels(int64_t pixels, int64_t row_bytes, int64_t threads) {
  constexpr int64_t kColumnBytes = int64_t{1} << 20, kFewest = 4 * kRowsInRegisters, kMost = 48 * kRowsInRegisters;
  const int64_t fits = kColumnBytes / std::max<int64_t>(1, row_bytes);
  int64_t tile = std::clamp(fits / kRowsInRegisters * kRowsInRegisters, kFewest, kMost);
  if (pixels < tile * threads) tile = std::min(tile, std::max<int64_t>(1, (pixels + threads - 1) / threads));
  return std::min(tile, pixels);
}

}  // namespace engine::loops
