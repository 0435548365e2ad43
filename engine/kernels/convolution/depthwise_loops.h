// SPDX-License-Identifier: Apache-2.0
// Convolutions with a group per channel and channels side by side, and their gradients: which pixels meet under which
// tap. Computed by convolution_depthwise.cpp, described by depthwise_access.cpp.
#pragma once

#include <algorithm>

#include "engine/kernels/convolution/convolution_loops.h"

namespace engine::loops {

/// `one`, `other`: the images that a pass reads and writes, or reads both.
constexpr bool is_depthwise(const ConvolutionGeometry& g, const ImageLayout& one, const ImageLayout& other) {
  return g.groups > 1 && g.inputs == 1 && g.outputs == 1 && one.channel == 1 && other.channel == 1;
}

constexpr Axes3 pixel_of(const Axes3& extents, int64_t pixel) {
  return {pixel / (extents[1] * extents[2]), pixel / extents[2] % extents[1], pixel % extents[2]};
}
constexpr int64_t offset_of(const ImageLayout& images, int64_t image, const Axes3& at) {
  return image * images.batch + at[0] * images.pixel[0] + at[1] * images.pixel[1] + at[2] * images.pixel[2];
}

/// Where the pixel `at` of y reads x under a tap, or the other way round: where the pixel `at` of x is read from.
/// False: nowhere.
constexpr bool reads(const ConvolutionGeometry& g, const Axes3& at, const Axes3& tap, Axes3& from) {
  for (size_t axis = 0; axis < 3; ++axis) {
    from[axis] = at[axis] * g.stride[axis] + tap[axis] * g.dilation[axis] - g.padding[axis];
    if (from[axis] < 0 || from[axis] >= g.in[axis]) return false;
  }
  return true;
}
constexpr bool is_read(const ConvolutionGeometry& g, const Axes3& at, const Axes3& tap, Axes3& by) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t position = at[axis] - tap[axis] * g.dilation[axis] + g.padding[axis];
    by[axis] = position / g.stride[axis];
    if (position < 0 || position % g.stride[axis] != 0 || by[axis] >= g.out[axis]) return false;
  }
  return true;
}

/// Weights as [tap][channel]; `weight`: their strides. visitor.copy(from, to, count).
template <class Visitor>
void pack_depthwise(const ConvolutionGeometry& g, std::span<const int64_t> weight, Visitor& visitor) {
  for (int64_t tap = 0; tap < g.taps() && !visitor.stopped(); ++tap)
    visitor.copy({InArray::weight, g.weight_offset(tap, weight), weight[0]}, {InArray::packed, tap * g.groups},
                 g.groups);
}

/// Forward, from x to y, or the gradient by the input, from dy to dx.
struct DepthwiseShape {
  ConvolutionGeometry g;
  ImageLayout from, to;
  bool forward = true;

  const Axes3& extents() const { return forward ? g.out : g.in; }
  int64_t pixels() const { return g.batch * extents()[0] * extents()[1] * extents()[2]; }
};

/// Pixels of the result, counted through all images. visitor.tap(from, weights): what a tap multiplies, by their first
/// elements; visitor.sum(to): over these taps, of all channels.
template <class Visitor>
void depthwise_pixels(const DepthwiseShape& s, Range pixels, Visitor& visitor) {
  const ConvolutionGeometry& g = s.g;
  const Axes3& extents = s.extents();
  const int64_t of_image = extents[0] * extents[1] * extents[2], taps = g.taps();
  for (int64_t at = pixels.begin; at < pixels.end && !visitor.stopped(); ++at) {
    const int64_t image = at / of_image;
    const Axes3 pixel = pixel_of(extents, at % of_image);
    for (int64_t tap = 0; tap < taps; ++tap) {
      Axes3 there;
      if (s.forward ? reads(g, pixel, g.position(tap), there) : is_read(g, pixel, g.position(tap), there))
        visitor.tap(offset_of(s.from, image, there), tap * g.groups);
    }
    visitor.sum(offset_of(s.to, image, pixel));
  }
}

/// Parts of the channels that threads have of the gradient by the weights: whole ones of kPart, so that threads do not
/// write into one cache line, and one part where little is to be done.
struct DepthwiseChannels {
  static constexpr int64_t kPart = 16, kGrain = 16 * 1024;
  int64_t channels = 0, parts = 1;

  static constexpr DepthwiseChannels of(const ConvolutionGeometry& g, int64_t threads) {
    const bool few = g.batch * g.pixels() * g.groups * g.taps() < kGrain;
    return {g.groups, few ? 1 : std::min<int64_t>(threads, (g.groups + kPart - 1) / kPart)};
  }
  constexpr Range part(int64_t number) const {
    const int64_t units = (channels + kPart - 1) / kPart;
    return {std::min(channels, units * number / parts * kPart),
            std::min(channels, units * (number + 1) / parts * kPart)};
  }
};

/// The gradient by the weights, of some channels: near sums [tap][channel] of a row of pixels go to far ones.
/// visitor.clear(first, count): both. visitor.tap(x, first), visitor.accumulate(dy, count): each tap's products with dy
/// to the near sums from `first` on. visitor.flush(first, count): near to far. visitor.write(first, to, count): far
/// ones to the weights.
template <class Visitor>
void depthwise_by_weight(const ConvolutionGeometry& g, const ImageLayout& x, const ImageLayout& dy,
                         std::span<const int64_t> weight, Range channels, Visitor& visitor) {
  const int64_t taps = g.taps(), pixels = g.pixels(), count = channels.size();
  for (int64_t tap = 0; tap < taps; ++tap) visitor.clear(tap * g.groups + channels.begin, count);
  for (int64_t at = 0; at < g.batch * pixels && !visitor.stopped(); ++at) {
    const int64_t image = at / pixels;
    const Axes3 pixel = pixel_of(g.out, at % pixels);
    for (int64_t tap = 0; tap < taps; ++tap) {
      Axes3 there;
      if (reads(g, pixel, g.position(tap), there))
        visitor.tap(offset_of(x, image, there) + channels.begin, tap * g.groups + channels.begin);
    }
    visitor.accumulate(offset_of(dy, image, pixel) + channels.begin, count);
    for (int64_t tap = 0; tap < taps && pixel[2] + 1 == g.out[2]; ++tap)
      visitor.flush(tap * g.groups + channels.begin, count);
  }
  for (int64_t tap = 0; tap < taps; ++tap)
    visitor.write(tap * g.groups + channels.begin,
                  {InArray::weight, channels.begin * weight[0] + g.weight_offset(tap, weight), weight[0]}, count);
}

}  // namespace engine::loops
