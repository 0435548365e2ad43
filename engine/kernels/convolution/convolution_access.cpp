// SPDX-License-Identifier: Apache-2.0
// Convolutions of images and volumes as direct kernels tile them: weights packed in blocks of output channels, a tile
// of pixels in registers. A model of the library's kernels: the tile's height, the order of the loops and the pixels of
// a block follow the rules of oneDNN's brgemm convolutions (brgemm_blocking(), brg_blocking_t::calc_blocks_1x1(),
// init_1x1_conf()), its width is assumed.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/kernels/core/describe_access.h"

namespace engine::access {
namespace {

constexpr int64_t kRows = 14;    // of a register tile of weights' gradients
constexpr int64_t kVectors = 2;  // of channels, in a register tile
constexpr int64_t kLine = 64;
constexpr int64_t kBlockPixels =
    250;  // most pixels that go through all channels, or of which all go through a block of channels, at once
constexpr int64_t kDepthwisePixels = 6,
                  kDepthwiseVectors = 4;  // in registers, where each channel is a convolution of its own
constexpr size_t kStreams = 16;           // of a group
constexpr size_t kD = 0, kH = 1, kW = 2;

using Position = std::array<int64_t, 3>;

/// Element [n, c, d, h, w] of an image, or [o, i, t, u, v] of weights, in bytes; images without depth have one layer.
struct Box {
  uint64_t address = 0;
  int64_t n = 0, c = 0;
  Position step{};
  uint32_t tensor = 0;
  uint64_t at(int64_t in, int64_t ic, const Position& p) const {
    return address + static_cast<uint64_t>(in * n + ic * c + p[kD] * step[kD] + p[kH] * step[kH] + p[kW] * step[kW]);
  }
};

struct Axis {
  int64_t input = 1, output = 1, window = 1, stride = 1, dilation = 1, before = 0;
  /// The input that output `out` meets through a tap; negative: padding.
  int64_t input_of(int64_t out, int64_t tap) const {
    const int64_t at = out * stride + tap * dilation - before;
    return at < input ? at : -1;
  }
  /// The output that reads input `in` through a tap; -1: none.
  int64_t output_of(int64_t in, int64_t tap) const {
    const int64_t at = in + before - tap * dilation;
    return at >= 0 && at % stride == 0 && at / stride < output ? at / stride : -1;
  }
};

struct Convolution {
  Box x, w, y;
  int64_t batch, groups, inputs, outputs;  // channels per group
  std::array<Axis, 3> axes;
  int64_t bytes, block;  // channels computed together: kVectors vectors
  int64_t vector_bytes, first_level_bytes;
  bool packs;
  uint64_t packed;
  uint32_t packed_tensor;
  AccessSink& sink;

  int64_t taps() const { return axes[kD].window * axes[kH].window * axes[kW].window; }
  Position tap(int64_t number) const {
    return {number / (axes[kH].window * axes[kW].window), number / axes[kW].window % axes[kH].window,
            number % axes[kW].window};
  }
  AccessStream stream(const Box& b, uint64_t address, int64_t stride, AccessKind kind = AccessKind::load) const {
    return {address, stride, b.tensor, static_cast<uint16_t>(bytes), kind};
  }
  /// Each channel is convolved with its own window.
  bool depthwise() const { return inputs == 1 && outputs == 1 && groups > 1 && x.c == bytes && y.c == bytes; }
};

/// `count` elements that lie side by side, as vectors: a line each, whose streams advance by `stride`.
template <class Add>
void as_lines(int64_t count, int64_t bytes, const Add& add) {
  for (int64_t offset = 0; offset < count * bytes; offset += kLine)
    add(offset, std::min(kLine, count * bytes - offset));
}

/// Pixels of a register tile out of `pixels`: the loads are fewest per product where the registers hold the tile, the
/// vectors of a step and one element, its inputs stay in the first cache level, and little of the last tile is idle.
int64_t tile_pixels(const Convolution& v, int64_t pixels, int64_t depth) {
  const int64_t registers = v.vector_bytes >= 64 ? 32 : 16;
  int64_t best = 1;
  double most = 0;
  for (int64_t p = (registers - kVectors - 1) / kVectors; p >= 1; --p) {
    if (p * depth * v.bytes > v.first_level_bytes && p > 1) continue;
    const auto high = static_cast<double>(p),
               used = static_cast<double>(pixels) / static_cast<double>((pixels + p - 1) / p * p);
    const double efficiency = used * high / (high + kVectors);
    if (efficiency > most * (1 + 1e-9)) best = p, most = efficiency;  // of equal ones the highest
  }
  return best;
}

/// Block of channels `channel` belongs to: its first one, and how many it has. None reaches beyond its group, of
/// `channels`.
std::pair<int64_t, int64_t> block_of(const Convolution& v, int64_t channel, int64_t channels) {
  const int64_t group = channel / channels * channels, first = group + (channel - group) / v.block * v.block;
  return {first, std::min(v.block, group + channels - first)};
}

/// Where the packed weights of a block of channels and a tap begin.
uint64_t packed_at(const Convolution& v, std::pair<int64_t, int64_t> block, int64_t u, int64_t depth) {
  return v.packed + static_cast<uint64_t>((block.first * v.taps() + u * block.second) * depth * v.bytes);
}

/// Of weights once, into blocks: [block of channels][tap][depth][channel].
void pack_weights(const Convolution& v, int64_t channels, int64_t depth, bool outputs_first) {
  const int64_t total = v.groups * channels, taps = v.taps();
  for (int64_t c = 0; c < total && !v.sink.stopped(); ++c) {
    for (int64_t u = 0; u < taps && !v.sink.stopped(); ++u) {
      const uint64_t from =
          outputs_first ? v.w.at(c, 0, v.tap(u)) : v.w.at((c / channels) * depth, c % channels, v.tap(u));
      const auto block = block_of(v, c, channels);
      const uint64_t to = packed_at(v, block, u, depth) + static_cast<uint64_t>((c - block.first) * v.bytes);
      v.sink.group(depth, {v.stream(v.w, from, outputs_first ? v.w.c : v.w.n),
                           AccessStream{to, block.second * v.bytes, v.packed_tensor, static_cast<uint16_t>(v.bytes),
                                        AccessKind::store}});
    }
  }
}

/// `from`: one address per pixel of the tile that meets this tap; `step`: to the next channel. Each step loads the
/// block's weights as vectors and an element of each pixel.
void tap(const Convolution& v, const Box& image, std::span<const uint64_t> from, int64_t step, int64_t depth,
         int64_t channels, uint64_t weights) {
  std::vector<AccessStream> streams;
  as_lines(channels, v.bytes, [&](int64_t offset, int64_t size) {
    streams.push_back({weights + static_cast<uint64_t>(offset), channels * v.bytes, v.packed_tensor,
                       static_cast<uint16_t>(size), AccessKind::load});
  });
  for (const uint64_t at : from) streams.push_back(v.stream(image, at, step));
  v.sink.group(depth, streams);
}

int64_t from_pixels(const Convolution& v, const Box& from) {
  int64_t pixels = 1;
  for (const Axis& a : v.axes) pixels *= &from == &v.x ? a.input : a.output;
  return pixels;
}

/// Into `pixels`: where channel `c` of image `n` lies in each pixel of `from` that a tap meets from the row's positions
/// [first, end).
template <class Source>
void find_pixels(const Convolution& v, const Box& from, int64_t n, int64_t c, const Position& first, int64_t end,
                 const Position& tap, Source source, std::vector<uint64_t>& pixels) {
  pixels.clear();
  const int64_t layer = source(v.axes[kD], first[kD], tap[kD]), row = source(v.axes[kH], first[kH], tap[kH]);
  if (layer < 0 || row < 0) return;
  for (int64_t q = first[kW]; q < end; ++q) {
    const int64_t column = source(v.axes[kW], q, tap[kW]);
    if (column >= 0) pixels.push_back(from.at(n, c, {layer, row, column}));
  }
}

/// One pass that gathers: each pixel of `to` (of `to_channels` per group) takes from `from` (of `depth` channels per
/// group) what `source(axis, position, tap)` names, negative for nothing, in tiles of a row; `extents` are those of
/// `to`. Blocks of pixels go through all channels where an image's pixels are more than its channels, else all pixels
/// through a block of channels.
template <class Source>
void gather_tiles(const Convolution& v, const Box& to, int64_t to_channels, const Position& extents, const Box& from,
                  int64_t depth, Source source) {
  std::vector<uint64_t> pixels;
  const auto tile = [&](int64_t n, int64_t c, int64_t k, int64_t i, int64_t j, int64_t end) {
    const int64_t group = c / to_channels, channels = block_of(v, c, to_channels).second;
    for (int64_t u = 0; u < v.taps(); ++u) {
      find_pixels(v, from, n, group * depth, {k, i, j}, end, v.tap(u), source, pixels);
      if (!pixels.empty())
        tap(v, from, pixels, from.c, depth, channels, packed_at(v, block_of(v, c, to_channels), u, depth));
    }
    for (int64_t q = j; q < end; ++q)
      v.sink.group(channels, {v.stream(to, to.at(n, c, {k, i, q}), to.c, AccessKind::store)});
  };
  const int64_t parts = (extents[kW] + kBlockPixels - 1) / kBlockPixels,
                wide = parts == 0 ? 1 : (extents[kW] + parts - 1) / parts;
  const int64_t high = tile_pixels(v, wide, depth);
  const auto block = [&](int64_t n, int64_t c, int64_t k, int64_t i, int64_t first) {
    const int64_t end = std::min(extents[kW], first + wide);
    for (int64_t j = first; j < end; j += high) tile(n, c, k, i, j, std::min(end, j + high));
  };
  const auto blocks = [&](const auto& each) {
    for (int64_t k = 0; k < extents[kD] && !v.sink.stopped(); ++k)
      for (int64_t i = 0; i < extents[kH]; ++i)
        for (int64_t j = 0; j < extents[kW] && !v.sink.stopped(); j += wide) each(k, i, j);
  };
  const auto channels = [&](const auto& each) {
    for (int64_t c = 0; c < v.groups * to_channels && !v.sink.stopped();) {
      each(c);
      c += block_of(v, c, to_channels).second;
    }
  };
  const bool by_channels = from_pixels(v, from) < to_channels * v.taps();
  for (int64_t n = 0; n < v.batch && !v.sink.stopped(); ++n) {
    if (by_channels)
      channels([&](int64_t c) { blocks([&](int64_t k, int64_t i, int64_t j) { block(n, c, k, i, j); }); });
    else blocks([&](int64_t k, int64_t i, int64_t j) { channels([&](int64_t c) { block(n, c, k, i, j); }); });
  }
}

/// Weights [channel][tap] as [tap][channel]; returns where they are.
uint64_t depthwise_weights(const Convolution& v) {
  for (int64_t u = 0; u < v.taps() && v.packs; ++u)
    v.sink.group(v.groups, {v.stream(v.w, v.w.at(0, 0, v.tap(u)), v.w.n),
                            AccessStream{v.packed + static_cast<uint64_t>(u * v.groups * v.bytes), v.bytes,
                                         v.packed_tensor, static_cast<uint16_t>(v.bytes), AccessKind::store}});
  return v.packed;
}

/// gather_tiles() where each channel is by itself: vectors of channels, of all pixels of a tile, tap by tap.
template <class Source>
void gather_depthwise(const Convolution& v, const Box& to, const Position& extents, const Box& from, Source source) {
  const uint64_t weights = depthwise_weights(v);
  const int64_t wide = kDepthwiseVectors * v.vector_bytes / v.bytes;
  std::vector<uint64_t> pixels;
  const auto tile = [&](int64_t n, int64_t k, int64_t i, int64_t j, int64_t c) {
    const int64_t channels = std::min(wide, v.groups - c), end = std::min(extents[kW], j + kDepthwisePixels);
    for (int64_t u = 0; u < v.taps(); ++u) {
      find_pixels(v, from, n, c, {k, i, j}, end, v.tap(u), source, pixels);
      if (pixels.empty()) continue;
      as_lines(channels, v.bytes, [&](int64_t offset, int64_t size) {
        const auto line = [&](uint64_t at, uint32_t tensor) {
          return AccessStream{at + static_cast<uint64_t>(offset), 0, tensor, static_cast<uint16_t>(size),
                              AccessKind::load};
        };
        std::vector<AccessStream> streams{
            line(weights + static_cast<uint64_t>((u * v.groups + c) * v.bytes), v.packed_tensor)};
        for (const uint64_t at : pixels) streams.push_back(line(at, from.tensor));
        v.sink.group(1, streams);
      });
    }
    for (int64_t q = j; q < end; ++q)
      v.sink.group(channels, {v.stream(to, to.at(n, c, {k, i, q}), to.c, AccessKind::store)});
  };
  for (int64_t n = 0; n < v.batch && !v.sink.stopped(); ++n)
    for (int64_t k = 0; k < extents[kD] && !v.sink.stopped(); ++k)
      for (int64_t i = 0; i < extents[kH] && !v.sink.stopped(); ++i)
        for (int64_t j = 0; j < extents[kW]; j += kDepthwisePixels)
          for (int64_t c = 0; c < v.groups; c += wide) tile(n, k, i, j, c);
}

void forward(const Convolution& v) {
  const auto source = [](const Axis& axis, int64_t out, int64_t t) { return axis.input_of(out, t); };
  const Position extents{v.axes[kD].output, v.axes[kH].output, v.axes[kW].output};
  if (v.depthwise()) return gather_depthwise(v, v.y, extents, v.x, source);
  if (v.packs) pack_weights(v, v.outputs, v.inputs, true);
  gather_tiles(v, v.y, v.outputs, extents, v.x, v.inputs, source);
}

/// Image and result change places: each pixel of dx gathers the outputs that read it.
void backward_input(const Convolution& v) {
  const auto source = [](const Axis& axis, int64_t in, int64_t t) { return axis.output_of(in, t); };
  const Position extents{v.axes[kD].input, v.axes[kH].input, v.axes[kW].input};
  if (v.depthwise()) return gather_depthwise(v, v.x, extents, v.y, source);
  if (v.packs) pack_weights(v, v.inputs, v.outputs, false);
  gather_tiles(v, v.x, v.inputs, extents, v.y, v.outputs, source);
}

/// x and dy stream by, a row of one image at a time: `outputs` channels from o on, `inputs` of the group from c on,
/// through tap t; or, `own`, as many channels of x as of dy.
void stream_rows(const Convolution& v, int64_t o, int64_t outputs, int64_t c, int64_t inputs, const Position& t,
                 bool own) {
  const Axis& columns = v.axes[kW];
  const int64_t shift = t[kW] * columns.dilation - columns.before;
  const int64_t begin = shift >= 0 ? 0 : (-shift + columns.stride - 1) / columns.stride;
  const int64_t end =
      std::min(columns.output, columns.input - 1 - shift < 0 ? 0 : (columns.input - 1 - shift) / columns.stride + 1);
  if (begin >= end) return;
  // Channels of dy that lie side by side come as vectors, a line each; others element by element, as many as a group
  // takes.
  const int64_t first = o / v.outputs * v.inputs, apart = v.y.c == v.bytes ? std::max<int64_t>(1, kLine / v.bytes) : 1;
  std::vector<AccessStream> streams;
  for (int64_t n = 0; n < v.batch; ++n)
    for (int64_t k = 0; k < v.axes[kD].output && !v.sink.stopped(); ++k)
      for (int64_t i = 0; i < v.axes[kH].output; ++i) {
        const int64_t layer = v.axes[kD].input_of(k, t[kD]), row = v.axes[kH].input_of(i, t[kH]);
        if (layer < 0 || row < 0) continue;
        streams.clear();
        for (int64_t q = 0; q < outputs; q += apart) {
          if (streams.size() == kStreams) v.sink.group(end - begin, std::exchange(streams, {}));
          streams.push_back(v.stream(v.y, v.y.at(n, o + q, {k, i, begin}), v.y.step[kW]));
          streams.back().bytes = static_cast<uint16_t>(std::min(apart, outputs - q) * v.bytes);
          if (!own) continue;
          streams.push_back(v.stream(v.x, v.x.at(n, o + q, {layer, row, begin * columns.stride + shift}),
                                     v.x.step[kW] * columns.stride));
          streams.back().bytes = streams[streams.size() - 2].bytes;
        }
        if (!own && streams.size() + static_cast<size_t>(inputs) > kStreams)
          v.sink.group(end - begin, std::exchange(streams, {}));
        for (int64_t q = 0; q < inputs && !own; ++q)
          streams.push_back(v.stream(v.x, v.x.at(n, first + c + q, {layer, row, begin * columns.stride + shift}),
                                     v.x.step[kW] * columns.stride));
        v.sink.group(end - begin, streams);
      }
}

/// A tile of dw in registers.
void backward_weight(const Convolution& v) {
  for (int64_t o = 0; o < v.groups && v.depthwise() && !v.sink.stopped(); o += v.block) {
    const int64_t channels = std::min(v.block, v.groups - o);
    for (int64_t u = 0; u < v.taps() && !v.sink.stopped(); ++u) {
      stream_rows(v, o, channels, 0, 1, v.tap(u), true);
      v.sink.group(channels, {v.stream(v.w, v.w.at(o, 0, v.tap(u)), v.w.n, AccessKind::store)});
    }
  }
  if (v.depthwise()) return;
  for (int64_t o = 0, outputs = 0; o < v.groups * v.outputs && !v.sink.stopped(); o += outputs) {
    outputs = block_of(v, o, v.outputs).second;
    for (int64_t u = 0; u < v.taps() && !v.sink.stopped(); ++u)
      for (int64_t c = 0; c < v.inputs; c += kRows) {
        const int64_t inputs = std::min(kRows, v.inputs - c);
        stream_rows(v, o, outputs, c, inputs, v.tap(u), false);
        for (int64_t q = 0; q < inputs; ++q)
          v.sink.group(outputs, {v.stream(v.w, v.w.at(o, c + q, v.tap(u)), v.w.n, AccessKind::store)});
      }
  }
}

Box box(const Operand& o, int64_t bytes) {
  const Strides& s = o.type.strides;
  Box box{.address = o.address, .n = s[0] * bytes, .c = s[1] * bytes, .step = {}, .tensor = o.tensor};
  for (size_t i = 2; i < s.size(); ++i) box.step[i + 3 - s.size()] = s[i] * bytes;
  return box;
}

/// Of an image x, weights w and a result y of two or three axes; padding: before each axis, then after each.
std::array<Axis, 3> axes_of(const Shape& x, const Shape& w, const Shape& y, const Attributes& attributes) {
  const size_t count = x.size() - 2;
  const std::vector<int64_t> ones(count, 1),
      stride = attributes.get_ints("stride", ones), dilation = attributes.get_ints("dilation", ones),
      padding = attributes.get_ints("padding", std::vector<int64_t>(2 * count, 0));
  std::array<Axis, 3> axes;
  for (size_t i = 0; i < count; ++i)
    axes[i + 3 - count] = {.input = x[i + 2],
                           .output = y[i + 2],
                           .window = w[i + 2],
                           .stride = stride[i],
                           .dilation = dilation[i],
                           .before = padding[i]};
  return axes;
}

/// Whether pixels follow one another evenly, row after row and layer after layer.
bool is_even(const Box& b, int64_t height, int64_t width) {
  return (height <= 1 || b.step[kH] == width * b.step[kW]) && b.step[kD] == height * width * b.step[kW];
}

/// A window of one element that moves by one: an image is one row, and tiles go on where its rows end.
void flatten(Convolution& v) {
  for (const Axis& a : v.axes) {
    if (a.window != 1 || a.stride != 1 || a.before != 0 || a.input != a.output) return;
  }
  const int64_t height = v.axes[kH].input, width = v.axes[kW].input, depth = v.axes[kD].input;
  for (Box* b : {&v.x, &v.y}) {
    if (width == 1) b->step[kW] = height > 1 ? b->step[kH] : b->step[kD];
    if (depth == 1) b->step[kD] = height * width * b->step[kW];
    if (!is_even(*b, height, width)) return;
  }
  v.axes = {Axis{}, Axis{}, Axis{.input = depth * height * width, .output = depth * height * width}};
}

}  // namespace

bool describe_convolution(const OpCall& call, AccessSink& sink) {
  const std::string_view op = call.node.op->name;
  const bool input = op.ends_with("_grad_input"), weight = op.ends_with("_grad_weight");
  const Operand& x = input ? call.outputs[0] : weight ? call.inputs[1] : call.inputs[0];
  const Operand& w = weight ? call.outputs[0] : call.inputs[1];
  const Operand& y = input || weight ? call.inputs[0] : call.outputs[0];
  if (call.winograd_tile != 0) return false;  // a library's, of an older capture
  const int64_t rank = x.type.rank();
  if ((rank != 4 && rank != 5) || w.type.rank() != rank || y.type.rank() != rank) return false;
  if ((input || weight) && describe_convolution_product(call, input, x, w, y, sink)) return true;
  const int64_t bytes = size_bytes(y.type.dtype), groups = call.node.attributes.get_int("groups", 1);
  const bool ready = call.constant_weights;
  Convolution v{.x = box(x, bytes),
                .w = box(w, bytes),
                .y = box(y, bytes),
                .batch = x.type.shape[0],
                .groups = groups,
                .inputs = w.type.shape[1],
                .outputs = w.type.shape[0] / groups,
                .axes = axes_of(x.type.shape, w.type.shape, y.type.shape, call.node.attributes),
                .bytes = bytes,
                .block = std::max<int64_t>(1, kVectors * call.vector_bytes / bytes),
                .vector_bytes = call.vector_bytes,
                .first_level_bytes = call.first_level_bytes,
                .packs = !ready,
                .packed = ready ? w.address : call.workspace_address,
                .packed_tensor = ready ? w.tensor : call.workspace_tensor,
                .sink = sink};
  if (v.packs && w.type.elements() > static_cast<int64_t>(kWorkspaceBytes) / bytes)
    return false;  // packed, they would lie beyond the workspace
  flatten(v);
  if (input) backward_input(v);
  else if (weight) backward_weight(v);
  else forward(v);
  if (!input && !weight && call.inputs.size() > 2) walk_alone(call.inputs[2], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
