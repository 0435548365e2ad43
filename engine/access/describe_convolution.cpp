// SPDX-License-Identifier: Apache-2.0
// Convolutions as direct kernels tile them: weights packed in blocks of output channels, a tile of pixels in registers. A model of
// the library's kernels, whose own tiles are not known.
#include <algorithm>

#include "engine/access/describe.h"

namespace engine::access {
namespace {

constexpr int64_t kPixels = 14;  // of a register tile

/// Element [n, c, h, w] of an image, or [o, i, u, v] of weights, in bytes.
struct Box {
  uint64_t address = 0;
  int64_t n = 0, c = 0, h = 0, w = 0;
  uint32_t tensor = 0;
  uint64_t at(int64_t in, int64_t ic, int64_t ih, int64_t iw) const {
    return address + static_cast<uint64_t>(in * n + ic * c + ih * h + iw * w);
  }
};

struct Convolution {
  Box x, w, y;
  int64_t batch, groups, inputs, outputs;  // channels per group
  int64_t height, width, out_height, out_width, rows, columns;  // of the window: rows x columns
  int64_t stride_h, stride_w, dilation_h, dilation_w, top, left;
  int64_t bytes, block;  // channels computed together: two vectors
  bool packs;
  uint64_t packed;
  uint32_t packed_tensor;
  AccessSink& sink;

  AccessStream stream(const Box& b, uint64_t address, int64_t stride, AccessKind kind = AccessKind::load) const {
    return {address, stride, b.tensor, static_cast<uint16_t>(bytes), kind};
  }
};

Box box(const Operand& o, int64_t bytes) {
  const Strides& s = o.type.strides;
  return {o.address, s[0] * bytes, s[1] * bytes, s[2] * bytes, s[3] * bytes, o.tensor};
}

/// Weights once, into blocks: [block of channels][u][v][depth][channel].
void pack_weights(const Convolution& v, int64_t channels, int64_t depth, bool outputs_first) {
  const int64_t total = v.groups * channels;
  for (int64_t c = 0; c < total && !v.sink.stopped(); ++c) {
    for (int64_t u = 0; u < v.rows * v.columns && !v.sink.stopped(); ++u) {
      const int64_t uh = u / v.columns, uw = u % v.columns;
      const uint64_t from = outputs_first ? v.w.at(c, 0, uh, uw) : v.w.at((c / channels) * depth, c % channels, uh, uw);
      const uint64_t to = v.packed + static_cast<uint64_t>((((c / v.block) * v.rows * v.columns + u) * depth * v.block + c % v.block) * v.bytes);
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
  return v.packed + static_cast<uint64_t>(((channel / v.block) * v.rows * v.columns + u) * depth * v.block * v.bytes);
}

void forward(const Convolution& v) {
  if (v.packs) pack_weights(v, v.outputs, v.inputs, true);
  std::vector<uint64_t> from;
  for (int64_t n = 0; n < v.batch && !v.sink.stopped(); ++n)
    for (int64_t o = 0; o < v.groups * v.outputs && !v.sink.stopped(); o += std::min(v.block, v.outputs))
      for (int64_t i = 0; i < v.out_height; ++i)
        for (int64_t j = 0; j < v.out_width; j += kPixels) {
          const int64_t group = o / v.outputs, channels = std::min(v.block, (group + 1) * v.outputs - o), end = std::min(v.out_width, j + kPixels);
          for (int64_t u = 0; u < v.rows * v.columns; ++u) {
            const int64_t h = i * v.stride_h + (u / v.columns) * v.dilation_h - v.top;
            if (h < 0 || h >= v.height) continue;
            from.clear();
            for (int64_t q = j; q < end; ++q) {
              const int64_t w = q * v.stride_w + (u % v.columns) * v.dilation_w - v.left;
              if (w >= 0 && w < v.width) from.push_back(v.x.at(n, group * v.inputs, h, w));
            }
            if (!from.empty()) tap(v, v.x, from, v.x.c, v.inputs, channels, packed_at(v, o, u, v.inputs));
          }
          for (int64_t q = j; q < end; ++q) v.sink.group(channels, {v.stream(v.y, v.y.at(n, o, i, q), v.y.c, AccessKind::store)});
        }
}

/// Image and result change places: each pixel of dx gathers the outputs that read it.
void backward_input(const Convolution& v) {
  pack_weights(v, v.inputs, v.outputs, false);
  std::vector<uint64_t> from;
  for (int64_t n = 0; n < v.batch && !v.sink.stopped(); ++n)
    for (int64_t c = 0; c < v.groups * v.inputs && !v.sink.stopped(); c += std::min(v.block, v.inputs))
      for (int64_t h = 0; h < v.height; ++h)
        for (int64_t j = 0; j < v.width; j += kPixels) {
          const int64_t group = c / v.inputs, channels = std::min(v.block, (group + 1) * v.inputs - c), end = std::min(v.width, j + kPixels);
          for (int64_t u = 0; u < v.rows * v.columns; ++u) {
            const int64_t i = h + v.top - (u / v.columns) * v.dilation_h;
            if (i < 0 || i % v.stride_h != 0 || i / v.stride_h >= v.out_height) continue;
            from.clear();
            for (int64_t w = j; w < end; ++w) {
              const int64_t q = w + v.left - (u % v.columns) * v.dilation_w;
              if (q >= 0 && q % v.stride_w == 0 && q / v.stride_w < v.out_width)
                from.push_back(v.y.at(n, group * v.outputs, i / v.stride_h, q / v.stride_w));
            }
            if (!from.empty()) tap(v, v.y, from, v.y.c, v.outputs, channels, packed_at(v, c, u, v.outputs));
          }
          for (int64_t w = j; w < end; ++w) v.sink.group(channels, {v.stream(v.x, v.x.at(n, c, h, w), v.x.c, AccessKind::store)});
        }
}

/// A tile of dw in registers; x and dy stream by.
void backward_weight(const Convolution& v) {
  std::vector<AccessStream> streams;
  for (int64_t o = 0; o < v.groups * v.outputs && !v.sink.stopped(); o += std::min(v.block, v.outputs)) {
    const int64_t group = o / v.outputs, outputs = std::min(v.block, (group + 1) * v.outputs - o);
    for (int64_t u = 0; u < v.rows * v.columns && !v.sink.stopped(); ++u)
      for (int64_t c = 0; c < v.inputs; c += kPixels) {
        const int64_t inputs = std::min(kPixels, v.inputs - c), shift = (u % v.columns) * v.dilation_w - v.left;
        const int64_t begin = shift >= 0 ? 0 : (-shift + v.stride_w - 1) / v.stride_w;
        const int64_t end = std::min(v.out_width, v.width - 1 - shift < 0 ? 0 : (v.width - 1 - shift) / v.stride_w + 1);
        for (int64_t n = 0; n < v.batch && begin < end; ++n)
          for (int64_t i = 0; i < v.out_height; ++i) {
            const int64_t h = i * v.stride_h + (u / v.columns) * v.dilation_h - v.top;
            if (h < 0 || h >= v.height) continue;
            streams.clear();
            // Channels that lie side by side come as vectors, a line each; others element by element.
            const int64_t apart = v.y.c == v.bytes ? std::max<int64_t>(1, 64 / v.bytes) : (outputs + 1) / 2;
            for (int64_t q = 0; q < outputs; q += apart) streams.push_back(v.stream(v.y, v.y.at(n, o + q, i, begin), v.y.w));
            for (int64_t q = 0; q < inputs; ++q)
              streams.push_back(v.stream(v.x, v.x.at(n, group * v.inputs + c + q, h, begin * v.stride_w + shift), v.x.w * v.stride_w));
            v.sink.group(end - begin, streams);
          }
        for (int64_t q = 0; q < inputs; ++q)
          v.sink.group(outputs, {v.stream(v.w, v.w.at(o, c + q, u / v.columns, u % v.columns), v.w.n, AccessKind::store)});
      }
  }
}

}  // namespace

bool describe_convolution(const OpCall& call, AccessSink& sink) {
  const std::string_view op = call.node.op->name;
  const bool input = op == "conv2d_grad_input", weight = op == "conv2d_grad_weight";
  const Operand& x = input ? call.outputs[0] : weight ? call.inputs[1] : call.inputs[0];
  const Operand& w = weight ? call.outputs[0] : call.inputs[1];
  const Operand& y = input || weight ? call.inputs[0] : call.outputs[0];
  if (x.type.rank() != 4 || w.type.rank() != 4 || y.type.rank() != 4) return false;
  const Attributes& a = call.node.attributes;
  const std::vector<int64_t> stride = a.get_ints("stride", {1, 1}), dilation = a.get_ints("dilation", {1, 1}), padding = a.get_ints("padding", {0, 0, 0, 0});
  const int64_t bytes = size_bytes(y.type.dtype), groups = a.get_int("groups", 1);
  const Convolution v{.x = box(x, bytes), .w = box(w, bytes), .y = box(y, bytes), .batch = x.type.shape[0], .groups = groups,
                      .inputs = w.type.shape[1], .outputs = w.type.shape[0] / groups, .height = x.type.shape[2], .width = x.type.shape[3],
                      .out_height = y.type.shape[2], .out_width = y.type.shape[3], .rows = w.type.shape[2], .columns = w.type.shape[3],
                      .stride_h = stride[0], .stride_w = stride[1], .dilation_h = dilation[0], .dilation_w = dilation[1],
                      .top = padding[0], .left = padding[1], .bytes = bytes, .block = std::max<int64_t>(1, 2 * call.vector_bytes / bytes),
                      .packs = !call.constant_weights || input, .packed = call.constant_weights && !input ? w.address : call.workspace_address,
                      .packed_tensor = call.constant_weights && !input ? w.tensor : call.workspace_tensor, .sink = sink};
  if (input) backward_input(v);
  else if (weight) backward_weight(v);
  else forward(v);
  if (!input && !weight && call.inputs.size() > 2) walk_alone(call.inputs[2], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
