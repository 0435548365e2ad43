// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering, image by image: the image moved into blocks of 16 channels, tiles
// of it transformed (V), one matrix product per element of a tile with the weights transformed before (M = U V), tiles
// transformed back, the result moved out. A model of oneDNN's kernels F(4x4, 3x3): blocks of tiles by the rule of its
// kernel (set_wsched_DATA_W_SGD_avx512_core(), and set_wsched_DATA_W_S_G_D_avx512_core() where such a block goes beyond
// L2); F(2x2, 3x3) is taken to go alike.
#include <algorithm>
#include <vector>

#include "engine/kernels/core/describe_access.h"

namespace engine::access {
namespace {

constexpr int64_t kLine = 64, kLanes = 16, kFloat = 4;
constexpr int64_t kRegisters = 32;
constexpr int64_t kStreams = 16;  // of a group

struct Image {
  uint64_t address = 0;
  int64_t channels, height, width;
  int64_t channel, row, pixel;  ///< bytes from one to the next
  uint32_t tensor = 0;
};

struct Winograd {
  Image x, y;
  int64_t tile;         ///< m: a tile gives m x m results
  int64_t above, left;  ///< of padding: 0 or 1
  uint64_t moved_x, moved_y, v, m, u;
  uint32_t scratch, weights;
  int64_t l1, l2;
  AccessSink& sink;

  int64_t side() const { return tile + 2; }
  int64_t points() const { return side() * side(); }
  int64_t across() const { return (y.width + tile - 1) / tile; }
  int64_t tiles() const { return (y.height + tile - 1) / tile * across(); }
  AccessStream line(uint64_t at, uint32_t tensor, AccessKind kind = AccessKind::load, int64_t stride = 0) const {
    return {at, stride, tensor, static_cast<uint16_t>(kLine), kind};
  }
};

/// Largest divisor of `number` for which `fits`, else 1.
template <class Fits>
int64_t largest_divisor(int64_t number, const Fits& fits) {
  int64_t best = 1;
  for (int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    for (const int64_t one : {d, number / d}) {
      if (one > best && fits(one)) best = one;
    }
  }
  return best;
}

/// How the tiles of an image are cut: so many per product held in registers, and per block that goes through all steps
/// before the next.
struct Blocks {
  int64_t registers, tiles;
};
Blocks blocks_of(const Winograd& w) {
  const int64_t all = w.tiles(), in_registers = largest_divisor(all, [](int64_t d) { return d < kRegisters; });
  const auto share_of_l2 = [&](int64_t blocks) {
    const int64_t in = w.x.channels, out = w.y.channels;
    return static_cast<double>(w.points() * kFloat * (2 * (in + out) * blocks * in_registers + in * out)) /
           static_cast<double>(w.l2);
  };
  const auto many = [&](int64_t blocks) { return static_cast<double>(all / (blocks * in_registers)) >= 1.5; };
  const auto within = [](double value, double low, double high) { return value > low && value < high; };
  const int64_t blocks =
      largest_divisor(all / in_registers, [&](int64_t d) { return within(share_of_l2(d), 0.1, 2.0) && many(d); });
  const bool in_l2 = within(share_of_l2(blocks), 0.1, 3.2) && many(blocks);
  return {in_registers, in_l2 ? blocks * in_registers : all};
}

/// Between the layout of the batch, channels side by side, and blocks of 16 channels: [block][row][column][channel].
void move(const Winograd& w, const Image& image, uint64_t blocked, bool in) {
  for (int64_t c = 0; c < image.channels; c += kLanes) {
    for (int64_t h = 0; h < image.height && !w.sink.stopped(); ++h) {
      AccessStream there = w.line(image.address + static_cast<uint64_t>(c * image.channel + h * image.row),
                                  image.tensor, AccessKind::load, image.pixel);
      AccessStream here = w.line(blocked + static_cast<uint64_t>((c / kLanes * image.height + h) * image.width * kLine),
                                 w.scratch, AccessKind::load, kLine);
      (in ? here : there).kind = AccessKind::store;
      if (in) w.sink.group(image.width, {there, here});
      else w.sink.group(image.width, {here, there});
    }
  }
}

/// Tiles [first, end) of 16 channels at a time between the blocked image and `points` elements each of V or M.
void transform(const Winograd& w, int64_t first, int64_t end, bool in) {
  const Image& image = in ? w.x : w.y;
  const uint64_t blocked = in ? w.moved_x : w.moved_y, transformed = in ? w.v : w.m;
  const int64_t wide = in ? w.side() : w.tile, above = in ? w.above : 0, before = in ? w.left : 0, count = end - first;
  for (int64_t c = 0; c < image.channels; c += kLanes) {
    for (int64_t t = first; t < end && !w.sink.stopped(); ++t) {
      const int64_t top = t / w.across() * w.tile - above, left = t % w.across() * w.tile - before;
      const int64_t begin = std::max<int64_t>(0, left), stop = std::min(image.width, left + wide);
      const auto pixels = [&] {
        for (int64_t h = std::max<int64_t>(0, top); h < std::min(image.height, top + wide) && begin < stop; ++h)
          w.sink.group(
              stop - begin,
              {w.line(blocked + static_cast<uint64_t>(((c / kLanes * image.height + h) * image.width + begin) * kLine),
                      w.scratch, in ? AccessKind::load : AccessKind::store, kLine)});
      };
      // [point][block of channels][tile of the block][channel]
      const auto points = [&] {
        w.sink.group(w.points(),
                     {w.line(transformed + static_cast<uint64_t>((c / kLanes * count + t - first) * kLine), w.scratch,
                             in ? AccessKind::store : AccessKind::load, count * image.channels * kFloat)});
      };
      if (in) pixels(), points();
      else points(), pixels();
    }
  }
}

/// M = U V for one element of all tiles of a block: 16 results of as many tiles as registers hold at a time, step by
/// step through the channels.
void multiply(const Winograd& w, int64_t point, int64_t tiles, int64_t in_registers) {
  const int64_t in = w.x.channels, out = w.y.channels;
  const auto fits_l1 = [&](int64_t vectors) {
    return (vectors * kLanes * in + in * in_registers + vectors * kLanes * in_registers) * kFloat < w.l1 / 2;
  };
  const int64_t high = largest_divisor(out / kLanes, fits_l1) * kLanes;
  std::vector<AccessStream> streams;
  const auto product = [&](int64_t t, int64_t o) {
    for (int64_t k = 0; k < in; k += kLanes) {
      streams.assign(1, w.line(w.u + static_cast<uint64_t>(((point * out + o) * in + k * kLanes) * kFloat), w.weights,
                               AccessKind::load, kLine));
      for (int64_t q = 0; q < in_registers; ++q) {
        if (static_cast<int64_t>(streams.size()) == kStreams) w.sink.group(kLanes, streams), streams.clear();
        const auto at = static_cast<uint64_t>(((point * (in / kLanes) + k / kLanes) * tiles + t + q) * kLine);
        streams.push_back({w.v + at, kFloat, w.scratch, static_cast<uint16_t>(kFloat), AccessKind::load});
      }
      w.sink.group(kLanes, streams);
    }
    w.sink.group(in_registers,
                 {w.line(w.m + static_cast<uint64_t>(((point * (out / kLanes) + o / kLanes) * tiles + t) * kLine),
                         w.scratch, AccessKind::store, kLine)});
  };
  for (int64_t first = 0; first < out; first += high)
    for (int64_t t = 0; t < tiles && !w.sink.stopped(); t += in_registers)
      for (int64_t o = first; o < first + high; o += kLanes) product(t, o);
}

Image image_of(const Operand& o) {
  const Shape& s = o.type.shape;
  const Strides& t = o.type.strides;
  return {o.address, s[1], s[2], s[3], t[1] * kFloat, t[2] * kFloat, t[3] * kFloat, o.tensor};
}

}  // namespace

bool describe_winograd(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &weight = call.inputs[1], &y = call.outputs[0];
  const Shape& kernel = weight.type.shape;
  const bool squares =
      kernel.size() == 4 && kernel[2] == 3 && kernel[3] == 3 && x.type.rank() == 4 && y.type.rank() == 4;
  const auto side_by_side = [](const Operand& o) {
    return o.type.strides[1] == 1;
  };  // as fused convolutions have their channels
  if (!squares || !side_by_side(x) || !side_by_side(y) || y.type.dtype != DType::float32 || kernel[0] % kLanes != 0 ||
      kernel[1] % kLanes != 0 || kernel[1] != x.type.shape[1])
    return false;
  const Attributes& a = call.node.attributes;
  const std::vector<int64_t> ones{1, 1}, padding = a.get_ints("padding", {0, 0, 0, 0});
  if (a.get_ints("stride", ones) != ones || a.get_ints("dilation", ones) != ones || padding.size() != 4 ||
      padding[0] > 1 || padding[1] > 1)
    return false;
  Winograd w{.x = image_of(x),
             .y = image_of(y),
             .tile = call.winograd_tile,
             .above = padding[0],
             .left = padding[1],
             .moved_x = call.workspace_address,
             .moved_y = 0,
             .v = 0,
             .m = 0,
             .u = call.winograd_weights,
             .scratch = call.workspace_tensor,
             .weights = weight.tensor,
             .l1 = call.first_level_bytes,
             .l2 = call.second_level_bytes,
             .sink = sink};
  const Blocks blocks = blocks_of(w);
  const auto bytes = [](const Image& image) {
    return static_cast<uint64_t>(image.channels * image.height * image.width * kFloat);
  };
  const auto block_bytes = [&](const Image& image) {
    return static_cast<uint64_t>(w.points() * blocks.tiles * image.channels * kFloat);
  };
  w.moved_y = w.moved_x + bytes(w.x);
  w.v = w.moved_y + bytes(w.y);
  w.m = w.v + block_bytes(w.x);
  if (w.m + block_bytes(w.y) > call.workspace_address + kWorkspaceBytes) return false;
  const auto apart = [](const Operand& o) { return static_cast<uint64_t>(o.type.strides[0] * kFloat); };
  for (int64_t n = 0; n < x.type.shape[0] && !sink.stopped(); ++n) {
    move(w, w.x, w.moved_x, true);
    for (int64_t first = 0; first < w.tiles(); first += blocks.tiles) {
      transform(w, first, first + blocks.tiles, true);
      for (int64_t point = 0; point < w.points() && !sink.stopped(); ++point)
        multiply(w, point, blocks.tiles, blocks.registers);
      transform(w, first, first + blocks.tiles, false);
    }
    move(w, w.y, w.moved_y, false);
    w.x.address += apart(x), w.y.address += apart(y);
  }
  if (call.inputs.size() > 2) walk_alone(call.inputs[2], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
