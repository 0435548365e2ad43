// SPDX-License-Identifier: Apache-2.0
// Convolutions of images and volumes as direct kernels tile them: weights packed in blocks of output channels, a tile of pixels in
// registers. A model of the library's kernels, whose own tiles are not known.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/access/describe.h"

namespace engine::access {
namespace {

constexpr int64_t kPixels = 14;    // of a register tile
constexpr size_t kStreams = 16;    // of a group
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
  int64_t bytes, block;  // channels computed together: two vectors
  bool packs;
  uint64_t packed;
  uint32_t packed_tensor;
  AccessSink& sink;

  int64_t taps() const { return axes[kD].window * axes[kH].window * axes[kW].window; }
  Position tap(int64_t number) const {
    return {number / (axes[kH].window * axes[kW].window), number / axes[kW].window % axes[kH].window, number % axes[kW].window};
  }
  AccessStream stream(const Box& b, uint64_t address, int64_t stride, AccessKind kind = AccessKind::load) const {
    return {address, stride, b.tensor, static_cast<uint16_t>(bytes), kind};
  }
};

/// Of weights once, into blocks: [block of channels][tap][depth][channel].
void pack_weights(const Convolution& v, int64_t channels, int64_t depth, bool outputs_first) {
  const int64_t total = v.groups * channels, taps = v.taps();
  for (int64_t c = 0; c < total && !v.sink.stopped(); ++c) {
    for (int64_t u = 0; u < taps && !v.sink.stopped(); ++u) {
      const uint64_t from = outputs_first ? v.w.at(c, 0, v.tap(u)) : v.w.at((c / channels) * depth, c % channels, v.tap(u));
      const uint64_t to = v.packed + static_cast<uint64_t>((((c / v.block) * taps + u) * depth * v.block + c % v.block) * v.bytes);
      v.sink.group(depth, {v.stream(v.w, from, outputs_first ? v.w.c : v.w.n),
                           AccessStream{to, v.block * v.bytes, v.packed_tensor, static_cast<uint16_t>(v.bytes), AccessKind::store}});
    }
  }
}

/// `from`: one address per pixel of the tile that meets this tap; `step`: to the next channel.
void tap(const Convolution& v, const Box& image, std::span<const uint64_t> from, int64_t step, int64_t depth, int64_t channels, uint64_t weights) {
  std::vector<AccessStream> streams;
  for (int64_t offset = 0; offset < channels * v.bytes; offset += 64)
    streams.push_back({weights + static_cast<uint64_t>(offset), v.block * v.bytes, v.packed_tensor, static_cast<uint16_t>(v.bytes), AccessKind::load});
  for (const uint64_t at : from) streams.push_back(v.stream(image, at, step));
  v.sink.group(depth, streams);
}

uint64_t packed_at(const Convolution& v, int64_t channel, int64_t u, int64_t depth) {
  return v.packed + static_cast<uint64_t>(((channel / v.block) * v.taps() + u) * depth * v.block * v.bytes);
}

/// One pass that gathers: each pixel of `to` (of `to_channels` per group) takes from `from` (of `depth` channels per group) what
/// `source(axis, position, tap)` names, negative for nothing, in tiles of a row; `extents` are those of `to`.
template <class Source>
void gather_tiles(const Convolution& v, const Box& to, int64_t to_channels, const Position& extents, const Box& from, int64_t depth, Source source) {
  std::vector<uint64_t> pixels;
  const auto tile = [&](int64_t n, int64_t c, int64_t k, int64_t i, int64_t j) {
    const int64_t group = c / to_channels, channels = std::min(v.block, (group + 1) * to_channels - c), end = std::min(extents[kW], j + kPixels);
    for (int64_t u = 0; u < v.taps(); ++u) {
      const Position t = v.tap(u);
      const int64_t layer = source(v.axes[kD], k, t[kD]), row = source(v.axes[kH], i, t[kH]);
      if (layer < 0 || row < 0) continue;
      pixels.clear();
      for (int64_t q = j; q < end; ++q) {
        const int64_t column = source(v.axes[kW], q, t[kW]);
        if (column >= 0) pixels.push_back(from.at(n, group * depth, {layer, row, column}));
      }
      if (!pixels.empty()) tap(v, from, pixels, from.c, depth, channels, packed_at(v, c, u, depth));
    }
    for (int64_t q = j; q < end; ++q) v.sink.group(channels, {v.stream(to, to.at(n, c, {k, i, q}), to.c, AccessKind::store)});
  };
  for (int64_t n = 0; n < v.batch && !v.sink.stopped(); ++n)
    for (int64_t c = 0; c < v.groups * to_channels && !v.sink.stopped(); c += std::min(v.block, to_channels))
      for (int64_t k = 0; k < extents[kD] && !v.sink.stopped(); ++k)
        for (int64_t i = 0; i < extents[kH]; ++i)
          for (int64_t j = 0; j < extents[kW]; j += kPixels) tile(n, c, k, i, j);
}

void forward(const Convolution& v) {
  if (v.packs) pack_weights(v, v.outputs, v.inputs, true);
  gather_tiles(v, v.y, v.outputs, {v.axes[kD].output, v.axes[kH].output, v.axes[kW].output}, v.x, v.inputs,
               [](const Axis& axis, int64_t out, int64_t t) { return axis.input_of(out, t); });
}

/// Image and result change places: each pixel of dx gathers the outputs that read it.
void backward_input(const Convolution& v) {
  pack_weights(v, v.inputs, v.outputs, false);
  gather_tiles(v, v.x, v.inputs, {v.axes[kD].input, v.axes[kH].input, v.axes[kW].input}, v.y, v.outputs,
               [](const Axis& axis, int64_t in, int64_t t) { return axis.output_of(in, t); });
}

/// x and dy stream by, a row of one image at a time: `outputs` channels from o on, `inputs` of the group from c on, through tap t.
void stream_rows(const Convolution& v, int64_t o, int64_t outputs, int64_t c, int64_t inputs, const Position& t) {
  const Axis& columns = v.axes[kW];
  const int64_t shift = t[kW] * columns.dilation - columns.before;
  const int64_t begin = shift >= 0 ? 0 : (-shift + columns.stride - 1) / columns.stride;
  const int64_t end = std::min(columns.output, columns.input - 1 - shift < 0 ? 0 : (columns.input - 1 - shift) / columns.stride + 1);
  if (begin >= end) return;
  // Channels of dy that lie side by side come as vectors, a line each; others element by element, as many as a group takes.
  const int64_t first = o / v.outputs * v.inputs, apart = v.y.c == v.bytes ? std::max<int64_t>(1, 64 / v.bytes) : 1;
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
        }
        if (streams.size() + static_cast<size_t>(inputs) > kStreams) v.sink.group(end - begin, std::exchange(streams, {}));
        for (int64_t q = 0; q < inputs; ++q)
          streams.push_back(v.stream(v.x, v.x.at(n, first + c + q, {layer, row, begin * columns.stride + shift}), v.x.step[kW] * columns.stride));
        v.sink.group(end - begin, streams);
      }
}

/// A tile of dw in registers.
void backward_weight(const Convolution& v) {
  for (int64_t o = 0; o < v.groups * v.outputs && !v.sink.stopped(); o += std::min(v.block, v.outputs)) {
    const int64_t outputs = std::min(v.block, (o / v.outputs + 1) * v.outputs - o);
    for (int64_t u = 0; u < v.taps() && !v.sink.stopped(); ++u)
      for (int64_t c = 0; c < v.inputs; c += kPixels) {
        const int64_t inputs = std::min(kPixels, v.inputs - c);
        stream_rows(v, o, outputs, c, inputs, v.tap(u));
        for (int64_t q = 0; q < inputs; ++q) v.sink.group(outputs, {v.stream(v.w, v.w.at(o, c + q, v.tap(u)), v.w.n, AccessKind::store)});
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
  const std::vector<int64_t> ones(count, 1), stride = attributes.get_ints("stride", ones), dilation = attributes.get_ints("dilation", ones),
                             padding = attributes.get_ints("padding", std::vector<int64_t>(2 * count, 0));
  std::array<Axis, 3> axes;
  for (size_t i = 0; i < count; ++i)
    axes[i + 3 - count] = {.input = x[i + 2], .output = y[i + 2], .window = w[i + 2], .stride = stride[i], .dilation = dilation[i],
                           .before = padding[i]};
  return axes;
}

}  // namespace

bool describe_convolution(const OpCall& call, AccessSink& sink) {
  const std::string_view op = call.node.op->name;
  const bool input = op.ends_with("_grad_input"), weight = op.ends_with("_grad_weight");
  const Operand& x = input ? call.outputs[0] : weight ? call.inputs[1] : call.inputs[0];
  const Operand& w = weight ? call.outputs[0] : call.inputs[1];
  const Operand& y = input || weight ? call.inputs[0] : call.outputs[0];
  const int64_t rank = x.type.rank();
  if ((rank != 4 && rank != 5) || w.type.rank() != rank || y.type.rank() != rank) return false;
  if ((input || weight) && describe_convolution_product(call, input, x, w, y, sink)) return true;
  const int64_t bytes = size_bytes(y.type.dtype), groups = call.node.attributes.get_int("groups", 1);
  const bool ready = call.constant_weights && !input;
  const Convolution v{.x = box(x, bytes), .w = box(w, bytes), .y = box(y, bytes), .batch = x.type.shape[0], .groups = groups,
                      .inputs = w.type.shape[1], .outputs = w.type.shape[0] / groups,
                      .axes = axes_of(x.type.shape, w.type.shape, y.type.shape, call.node.attributes), .bytes = bytes,
                      .block = std::max<int64_t>(1, 2 * call.vector_bytes / bytes), .packs = !ready,
                      .packed = ready ? w.address : call.workspace_address, .packed_tensor = ready ? w.tensor : call.workspace_tensor, .sink = sink};
  if (input) backward_input(v);
  else if (weight) backward_weight(v);
  else forward(v);
  if (!input && !weight && call.inputs.size() > 2) walk_alone(call.inputs[2], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
