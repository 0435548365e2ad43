// SPDX-License-Identifier: Apache-2.0
// Our own convolutions and their gradients as products: which columns are made when, and what is multiplied with what.
// Computed by convolution_own.cpp and convolution_own_grads.cpp, described by convolution_own_access.cpp. A `Cut` says
// how much scratch there is and how it is divided; `room(m, n, k)`: elements that a product of these extents packs
// into.
#pragma once

#include <vector>

#include "engine/kernels/convolution/convolution_loops.h"

namespace engine::loops {

/// A matrix within one of the arrays.
struct PlacedMatrix {
  InArray array = InArray::scratch;
  int64_t first = 0, row = 0, column = 1;
  constexpr PlacedMatrix transposed() const { return {array, first, column, row}; }
};

/// c = a b, with a bias per column, or onto c; c's columns are neighbours. What is packed goes to `room` in the
/// scratch.
struct PlacedProduct {
  PlacedMatrix a, b, c;
  int64_t m = 0, n = 0, k = 0;
  int64_t bias = -1;  ///< its first element; -1: none
  bool accumulate = false;
  int64_t room = 0;
  bool by_vector = false;  ///< loops::vector_times_matrix

  /// One row may go so where b's steps or columns are neighbours.
  constexpr PlacedProduct by_vector_if_one_row() const {
    PlacedProduct p = *this;
    p.by_vector = m == 1 && !accumulate && (b.row == 1 || b.column == 1);
    return p;
  }
};

/// Weights [G * O, C, ...] as [group][tap][input][output], or, for the gradient by the input, the two turned round.
class WeightPacking {
 public:
  WeightPacking(const ConvolutionGeometry& g, std::span<const int64_t> strides, bool outputs_last,
                int64_t element_bytes)
      : g_(g),
        of_group_(g.outputs * strides[0]),
        fast_(outputs_last ? g.outputs : g.inputs),
        slow_(outputs_last ? g.inputs : g.outputs),
        fast_apart_(outputs_last ? strides[0] : strides[1]),
        slow_apart_(outputs_last ? strides[1] : strides[0]) {
    // Lines far apart lie in few sets of a cache: all taps of a few of them, then the next ones.
    const int64_t line = 64 / element_bytes;
    at_once_ = fast_apart_ > line || fast_apart_ < -line ? line : fast_;
    for (int64_t tap = 0; tap < g.taps(); ++tap) offsets_.push_back(g.weight_offset(tap, strides));
  }
  int64_t rows() const { return g_.groups * slow_; }

  /// visitor.copy(from, to, count).
  template <class Visitor>
  void run(Range rows, Visitor& visitor) const {
    for (int64_t row = rows.begin; row < rows.end && !visitor.stopped(); ++row) {
      const int64_t group = row / slow_, taps = static_cast<int64_t>(offsets_.size());
      const int64_t from = group * of_group_ + row % slow_ * slow_apart_;
      for (int64_t first = 0; first < fast_; first += at_once_) {
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t to = ((group * taps + tap) * slow_ + row % slow_) * fast_ + first;
          visitor.copy({InArray::weight, from + offsets_[static_cast<size_t>(tap)] + first * fast_apart_, fast_apart_},
                       {InArray::packed, to}, std::min(at_once_, fast_ - first));
        }
      }
    }
  }

 private:
  ConvolutionGeometry g_;
  int64_t of_group_, fast_, slow_, fast_apart_, slow_apart_, at_once_ = 1;
  std::vector<int64_t> offsets_;  ///< of taps
};

// ---- forward
// ----------------------------------------------------------------------------------------------------------------

struct ForwardCut {
  int64_t tile = 0;     ///< pixels
  int64_t span = 0;     ///< pixels that tiles may lie among: of all images or of one
  int64_t weights = 0;  ///< packed, shared by all threads
  int64_t gemm = 0, staged = 0,
          each = 0;  ///< of one thread's scratch: where parts begin behind the columns, and their end

  template <class Room>
  ForwardCut(const ConvolutionGeometry& g, bool across, int64_t element_bytes, int64_t threads, const Room& room) {
    const int64_t k = g.inputs * g.taps(), spans = across ? 1 : g.batch, of_each = spans * g.groups;
    span = across ? g.batch * g.pixels() : g.pixels();
    tile = tile_of_pixels(span, k * element_bytes, (threads + of_each - 1) / of_each);
    weights = in_lines(g.groups * k * g.outputs);
    gemm = in_lines(tile * k);
    staged = gemm + in_lines(std::max({room(tile, g.outputs, k), room(g.outputs, tile, k), k}));
    each = staged + in_lines(tile * g.outputs);
  }
};

struct ForwardShape {
  ConvolutionGeometry g;
  ImageLayout x, y;
  int64_t weight_output = 0, weight_input = 0;  ///< from one channel of the weights to the next, as they lie
  bool has_bias = false;

  /// Pixels of y are rows of the product.
  bool by_pixel() const { return y.channel == 1 || y.step != 1; }
  /// No columns are made.
  bool reads_image() const { return g.is_pointwise() && x.step > 0; }
  /// Tiles may reach from one image into the next.
  bool across() const { return by_pixel() && y.across && (!reads_image() || x.across); }
  bool packs() const { return g.taps() > 1; }
  /// [tap and input, output] of a group.
  PlacedMatrix weights(int64_t group) const {
    if (packs()) return {InArray::packed, group * g.inputs * g.taps() * g.outputs, g.outputs, 1};
    return {InArray::weight, group * g.outputs * weight_output, weight_input, weight_output};
  }
};

/// Units of work, each a tile of pixels of one group of y.
inline int64_t forward_units(const ForwardShape& s, const ForwardCut& cut) {
  return (s.across() ? 1 : s.g.batch) * s.g.groups * ((cut.span + cut.tile - 1) / cut.tile);
}
struct ForwardUnit {
  int64_t image = 0, group = 0;
  int64_t first = 0, count = 0;  ///< pixels, from those of the image on
};
inline ForwardUnit forward_unit(const ForwardShape& s, const ForwardCut& cut, int64_t unit) {
  const int64_t tiles = (cut.span + cut.tile - 1) / cut.tile, first = unit % tiles * cut.tile;
  return {.image = unit / tiles / s.g.groups,
          .group = unit / tiles % s.g.groups,
          .first = first,
          .count = std::min(cut.tile, cut.span - first)};
}

/// visitor.multiply(product), .repeat(from, to, count): one element to all of them, .copy(from, to, count) and
/// .zeros(to, count).
template <class Visitor>
void convolution_forward(const ForwardShape& s, const ForwardCut& cut, const ForwardUnit& u, Visitor& visitor) {
  const ConvolutionGeometry& g = s.g;
  const int64_t k = g.inputs * g.taps(), channel = u.group * g.inputs;
  PlacedMatrix columns{InArray::x, u.image * s.x.batch + u.first * s.x.step + channel * s.x.channel, s.x.step,
                       s.x.channel};  // [pixel, tap and input]
  if (!s.reads_image()) {
    fill_columns(g, s.x,
                 {.first = u.image * g.pixels() + u.first,
                  .count = u.count,
                  .channel = channel,
                  .channels = g.inputs,
                  .by_pixel = s.by_pixel()},
                 visitor);
    columns = s.by_pixel() ? PlacedMatrix{InArray::scratch, 0, k, 1} : PlacedMatrix{InArray::scratch, 0, 1, u.count};
  }
  const int64_t of_group = u.image * s.y.batch + u.group * g.outputs * s.y.channel,
                bias = s.has_bias ? u.group * g.outputs : -1;
  PlacedProduct p{.a = columns,
                  .b = s.weights(u.group),
                  .c = {InArray::y, of_group + u.first * s.y.step, s.y.step},
                  .m = u.count,
                  .n = g.outputs,
                  .k = k,
                  .bias = bias,
                  .room = cut.gemm};
  if (!s.by_pixel()) {  // channels of y are rows
    p.a = p.b.transposed();
    p.b = columns.transposed();
    p.c.row = s.y.channel;
    std::swap(p.m, p.n);
    p.accumulate = s.has_bias;
    p.bias = -1;
    for (int64_t o = 0; o < p.m && s.has_bias; ++o)
      visitor.repeat({InArray::bias, bias + o}, {InArray::y, p.c.first + o * p.c.row}, u.count);
    visitor.multiply(p.by_vector_if_one_row());
  } else if (s.y.step > 0 && s.y.channel == 1) {
    visitor.multiply(p.by_vector_if_one_row());
  } else {
    p.c = {InArray::scratch, cut.staged, g.outputs};
    visitor.multiply(p.by_vector_if_one_row());
    for (int64_t i = 0; i < u.count; ++i)
      visitor.copy({InArray::scratch, cut.staged + i * g.outputs},
                   {InArray::y, of_group + s.y.offset(u.first + i, g.out), s.y.channel}, g.outputs);
  }
}

// ---- gradients
// --------------------------------------------------------------------------------------------------------------

/// The channels of x that units of work share: so many parts per group.
constexpr int64_t blocks_of_channels(const ConvolutionGeometry& g, int64_t units, int64_t threads) {
  return std::clamp<int64_t>((threads + units - 1) / units, 1, g.inputs);
}
constexpr Range block_of_channels(const ConvolutionGeometry& g, int64_t block, int64_t blocks) {
  return {g.inputs * block / blocks, g.inputs * (block + 1) / blocks};
}

/// dy of some pixels as a matrix [pixel, output]: where it lies, or copied to `gathered` in the scratch.
template <class Visitor>
PlacedMatrix pixels_of(const ConvolutionGeometry& g, const ImageLayout& dy, int64_t image, Range pixels, int64_t group,
                       int64_t gathered, Visitor& visitor) {
  const int64_t from = image * dy.batch + group * g.outputs * dy.channel;
  if (dy.step > 0) return {InArray::y, from + pixels.begin * dy.step, dy.step, dy.channel};
  for (int64_t i = 0; i < pixels.size(); ++i)
    visitor.copy({InArray::y, from + dy.offset(pixels.begin + i, g.out), dy.channel},
                 {InArray::scratch, gathered + i * g.outputs}, g.outputs);
  return {InArray::scratch, gathered, g.outputs, 1};
}

struct ByInputCut {
  int64_t blocks = 0, tile = 0;
  int64_t weights = 0;                       ///< packed, shared by all threads
  int64_t gathered = 0, gemm = 0, each = 0;  ///< of one thread's scratch, behind the columns of one tap

  template <class Room>
  ByInputCut(const ConvolutionGeometry& g, int64_t element_bytes, int64_t threads, const Room& room) {
    blocks = blocks_of_channels(g, g.batch * g.groups, threads);
    const int64_t channels = (g.inputs + blocks - 1) / blocks;
    tile = tile_of_pixels(g.pixels(), (g.inputs + g.outputs) * element_bytes, 1);
    weights = in_lines(g.groups * g.taps() * g.outputs * g.inputs);
    gathered = in_lines(tile * channels);
    gemm = gathered + in_lines(tile * g.outputs);
    each = gemm + in_lines(std::max(room(tile, channels, g.outputs), room(channels, tile, g.outputs)));
  }
  int64_t units(const ConvolutionGeometry& g) const { return g.batch * g.groups * blocks; }
};

struct ByInputShape {
  ConvolutionGeometry g;
  ImageLayout dy, dx;

  /// Products are dx itself.
  bool writes_image() const { return g.is_pointwise() && dx.step > 0 && (dx.channel == 1 || dx.step == 1); }
  /// Pixels are rows of the product.
  bool by_pixel() const { return dx.channel == 1; }
};

/// dy times the weights of each tap, added where the tap reads. One unit: an image's channels of one block.
/// visitor.zeros(to, count), .copy, .multiply and .add.
template <class Visitor>
void convolution_by_input(const ByInputShape& s, const ByInputCut& cut, int64_t unit, Visitor& visitor) {
  const ConvolutionGeometry& g = s.g;
  const int64_t group = unit / cut.blocks % g.groups, image = unit / cut.blocks / g.groups, taps = g.taps();
  const Range block = block_of_channels(g, unit % cut.blocks, cut.blocks);
  const int64_t channel = group * g.inputs + block.begin, channels = block.size(),
                of_image = image * s.dx.batch + channel * s.dx.channel;
  for (int64_t row = 0; row < g.in[0] * g.in[1] && !s.writes_image() && !visitor.stopped(); ++row) {
    const int64_t to = of_image + row / g.in[1] * s.dx.pixel[0] + row % g.in[1] * s.dx.pixel[1];
    for (int64_t w = 0; w < g.in[2] && s.by_pixel(); ++w) visitor.zeros({InArray::x, to + w * s.dx.pixel[2]}, channels);
    for (int64_t c = 0; c < channels && !s.by_pixel(); ++c)
      visitor.zeros({InArray::x, to + c * s.dx.channel, s.dx.pixel[2]}, g.in[2]);
  }
  for (int64_t first = 0; first < g.pixels() && !visitor.stopped(); first += cut.tile) {
    const int64_t count = std::min(cut.tile, g.pixels() - first);
    const PlacedMatrix dy = pixels_of(g, s.dy, image, {first, first + count}, group, cut.gathered, visitor);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const PlacedMatrix weights{InArray::packed, (group * taps + tap) * g.outputs * g.inputs + block.begin, g.inputs,
                                 1};  // [output, input]
      PlacedProduct p{.a = dy,
                      .b = weights,
                      .c = {InArray::scratch, 0, channels},
                      .m = count,
                      .n = channels,
                      .k = g.outputs,
                      .room = cut.gemm};
      if (s.writes_image()) p.c = {InArray::x, of_image + first * s.dx.step, s.dx.step};
      if (!s.by_pixel()) {
        p.a = weights.transposed();
        p.b = dy.transposed();
        std::swap(p.m, p.n);
        p.c.row = s.writes_image() ? s.dx.channel : count;
      }
      visitor.multiply(p);
      if (s.writes_image()) continue;
      add_columns(g, s.dx,
                  {.first = image * g.pixels() + first,
                   .count = count,
                   .channel = channel,
                   .channels = channels,
                   .by_pixel = s.by_pixel()},
                  tap, visitor);
    }
  }
}

struct ByWeightCut {
  int64_t blocks = 0, tile = 0, span = 0;
  int64_t gathered = 0, inside = 0, sums = 0, gemm = 0, each = 0;  ///< of one thread's scratch, behind the columns

  template <class Room>
  ByWeightCut(const ConvolutionGeometry& g, bool across, int64_t element_bytes, int64_t threads, const Room& room) {
    blocks = blocks_of_channels(g, g.groups, threads);
    const int64_t row = (g.inputs + blocks - 1) / blocks * g.taps();
    span = across ? g.batch * g.pixels() : g.pixels();
    tile = tile_of_pixels(span, (row + g.outputs) * element_bytes, 1);
    gathered = in_lines(tile * row);
    inside = gathered + in_lines(tile * g.outputs);
    sums = inside + in_lines(tile * g.outputs);
    gemm = sums + in_lines(g.outputs * row);
    each = gemm + in_lines(room(g.outputs, row, tile));
  }
  int64_t units(const ConvolutionGeometry& g) const { return g.groups * blocks; }
};

struct ByWeightShape {
  ConvolutionGeometry g;
  ImageLayout dy, x;
  std::span<const int64_t> weight;  ///< strides

  /// No columns are made.
  bool reads_image() const { return g.is_pointwise() && x.step > 0; }
  /// Tiles may reach from one image into the next.
  bool across() const { return dy.across && (!reads_image() || x.across); }
};

/// dy times the columns of the image. One unit: a block of channels of a group. visitor.adds_inside(dy, tile): whether
/// it added the tile itself to the sums, which it does where dy is not finite; then .copy, .zeros and .multiply, and
/// .copy of the sums [output][tap][channel].
template <class Visitor>
void convolution_by_weight(const ByWeightShape& s, const ByWeightCut& cut, int64_t unit, Visitor& visitor) {
  const ConvolutionGeometry& g = s.g;
  const int64_t group = unit / cut.blocks, taps = g.taps(), all = g.batch * g.pixels();
  const Range block = block_of_channels(g, unit % cut.blocks, cut.blocks);
  const int64_t channels = block.size(), row = channels * taps, channel = group * g.inputs + block.begin;
  for (int64_t from = 0; from < all; from += cut.span) {
    const int64_t image = from / g.pixels();
    for (int64_t first = 0; first < cut.span && !visitor.stopped(); first += cut.tile) {
      const int64_t count = std::min(cut.tile, cut.span - first);
      const PlacedMatrix dy = pixels_of(g, s.dy, image, {first, first + count}, group, cut.gathered, visitor);
      PlacedMatrix columns{InArray::x, image * s.x.batch + first * s.x.step + channel * s.x.channel, s.x.step,
                           s.x.channel};
      if (!s.reads_image()) {
        const ColumnTile tile{.first = from + first,
                              .count = count,
                              .channel = channel,
                              .channels = channels,
                              .by_pixel = s.x.channel == 1};
        if (visitor.adds_inside(dy, tile)) continue;
        fill_columns(g, s.x, tile, visitor);
        columns =
            tile.by_pixel ? PlacedMatrix{InArray::scratch, 0, row, 1} : PlacedMatrix{InArray::scratch, 0, 1, count};
      }
      visitor.multiply({.a = dy.transposed(),
                        .b = columns,
                        .c = {InArray::scratch, cut.sums, row},
                        .m = g.outputs,
                        .n = row,
                        .k = count,
                        .accumulate = from + first > 0,
                        .room = cut.gemm});
    }
  }
  int64_t sums = cut.sums;
  for (int64_t o = 0; o < g.outputs && !visitor.stopped(); ++o) {
    const int64_t to = (group * g.outputs + o) * s.weight[0] + block.begin * s.weight[1];
    for (int64_t tap = 0; tap < taps; ++tap, sums += channels)
      visitor.copy({InArray::scratch, sums}, {InArray::weight, to + g.weight_offset(tap, s.weight), s.weight[1]},
                   channels);
  }
}

}  // namespace engine::loops
