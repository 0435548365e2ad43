// SPDX-License-Identifier: Apache-2.0
// Gradients of 3x3 convolutions as products over weights as they lie: the loops of engine/cpu/convolution_product_simd.cpp without
// their arithmetic.
#include "engine/access/describe.h"
#include "engine/graph/convolution_rule.h"

namespace engine::access {
namespace {

using convolution_rule::kTaps;
constexpr int64_t kVectors = 3, kPanels = 3, kBytes = sizeof(float);

/// Channels last; addresses in bytes.
struct Gradient {
  const Operand &x, &w, &y;
  int64_t rows, pixels, inputs, outputs, lanes;
  uint64_t scratch;
  uint32_t scratch_tensor;
  AccessSink& sink;

  uint64_t x_at(int64_t pixel, int64_t channel) const { return x.address + static_cast<uint64_t>((pixel * inputs + channel) * kBytes); }
  uint64_t y_at(int64_t row, int64_t channel) const { return y.address + static_cast<uint64_t>((row * outputs + channel) * kBytes); }
  int64_t weight_row() const { return w.type.strides[0] * kBytes; }
  int64_t vector() const { return lanes * kBytes; }
  int64_t column_row() const { return kTaps * vector(); }

  AccessStream stream(uint64_t address, int64_t step, int64_t bytes, uint32_t tensor, AccessKind kind) const {
    return {address, step, tensor, static_cast<uint16_t>(bytes), kind};
  }
  AccessStream own(uint64_t offset, int64_t step, int64_t bytes, AccessKind kind) const { return stream(scratch + offset, step, bytes, scratch_tensor, kind); }
};

/// Pixels of x that the taps of a row of y read, -1 for padding.
class Taps {
 public:
  Taps(const Gradient& g, const Attributes& attributes)
      : x_(g.x.type.shape), y_(g.y.type.shape), stride_(attributes.get_ints("stride", {1, 1})), dilation_(attributes.get_ints("dilation", {1, 1})),
        padding_(attributes.get_ints("padding", {0, 0, 0, 0})) {}
  int64_t pixel(int64_t row, int64_t tap) const {
    const int64_t column = row % y_[3], line = row / y_[3] % y_[2], image = row / (y_[3] * y_[2]);
    const int64_t i = line * stride_[0] + tap / 3 * dilation_[0] - padding_[0], j = column * stride_[1] + tap % 3 * dilation_[1] - padding_[1];
    return i < 0 || i >= x_[2] || j < 0 || j >= x_[3] ? -1 : (image * x_[2] + i) * x_[3] + j;
  }

 private:
  const Shape &x_, &y_;
  std::vector<int64_t> stride_, dilation_, padding_;
};

/// A tile: `depth` steps, each three vectors of b and an element per row of a; what it makes is stored.
void tile(const Gradient& g, const AccessStream& b, int64_t depth, int64_t high, const AccessStream& a, int64_t a_row, int64_t stored, const AccessStream& c, int64_t c_row) {
  std::vector<AccessStream> streams;
  for (int64_t v = 0; v < kVectors; ++v) {
    streams.push_back(b);
    streams.back().address += static_cast<uint64_t>(v * g.vector());
  }
  for (int64_t r = 0; r < high; ++r) {
    streams.push_back(a);
    streams.back().address += static_cast<uint64_t>(r * a_row);
  }
  g.sink.group(depth, streams);
  for (int64_t r = 0; r < stored; ++r) {
    AccessStream row = c;
    row.address += static_cast<uint64_t>(r * c_row);
    g.sink.group(kVectors, {row});
  }
}

void by_weight(const Gradient& g, const Taps& taps) {
  const int64_t high = convolution_rule::tile_rows(g.outputs, g.lanes >= 16), wide = kVectors * g.vector();
  const auto packed = static_cast<uint64_t>(g.rows * g.column_row());
  for (int64_t o = 0; o < g.outputs && !g.sink.stopped(); o += high) {
    const int64_t some = std::min(high, g.outputs - o);
    g.sink.group(g.rows, {g.stream(g.y_at(0, o), g.outputs * kBytes, some * kBytes, g.y.tensor, AccessKind::load),
                          g.own(packed + static_cast<uint64_t>(o * g.rows * kBytes), high * kBytes, high * kBytes, AccessKind::store)});
  }
  for (int64_t block = 0; block < g.inputs / g.lanes && !g.sink.stopped(); ++block) {
    for (int64_t row = 0; row < g.rows; ++row) {
      for (int64_t t = 0; t < kTaps; ++t) {
        const int64_t pixel = taps.pixel(row, t);
        if (pixel >= 0) g.sink.group(1, {g.stream(g.x_at(pixel, block * g.lanes), 0, g.vector(), g.x.tensor, AccessKind::load)});
      }
      for (int64_t panel = 0; panel < kPanels; ++panel)
        g.sink.group(kVectors, {g.own(static_cast<uint64_t>((panel * g.rows + row) * wide), g.vector(), g.vector(), AccessKind::store)});
    }
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      const uint64_t dw = g.w.address + static_cast<uint64_t>((block * kPanels + panel) * wide);
      for (int64_t o = 0; o < g.outputs && !g.sink.stopped(); o += high) {
        tile(g, g.own(static_cast<uint64_t>(panel * g.rows * wide), wide, g.vector(), AccessKind::load), g.rows, high,
             g.own(packed + static_cast<uint64_t>(o * g.rows * kBytes), high * kBytes, kBytes, AccessKind::load), kBytes, std::min(high, g.outputs - o),
             g.stream(dw + static_cast<uint64_t>(o * g.weight_row()), g.vector(), g.vector(), g.w.tensor, AccessKind::store), g.weight_row());
      }
    }
  }
}

void by_input(const Gradient& g, const Taps& taps) {
  const int64_t most = convolution_rule::tile_rows(g.rows, g.lanes >= 16), high = g.rows < most ? 1 : most, wide = kVectors * g.vector();
  const auto sums = static_cast<uint64_t>(g.rows * g.column_row());
  for (int64_t block = 0; block < g.inputs / g.lanes && !g.sink.stopped(); ++block) {
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      const uint64_t w = g.w.address + static_cast<uint64_t>((block * kPanels + panel) * wide);
      for (int64_t i = 0; i < g.rows && !g.sink.stopped(); i += high) {
        const int64_t row = std::min(i, g.rows - high);  // the last tile computes some rows again
        tile(g, g.stream(w, g.weight_row(), g.vector(), g.w.tensor, AccessKind::load), g.outputs, high,
             g.stream(g.y_at(row, 0), kBytes, kBytes, g.y.tensor, AccessKind::load), g.outputs * kBytes, high,
             g.own(static_cast<uint64_t>(row * g.column_row() + panel * wide), g.vector(), g.vector(), AccessKind::store), g.column_row());
      }
    }
    g.sink.group(g.pixels + 1, {g.own(sums, g.vector(), g.vector(), AccessKind::store)});
    for (int64_t row = 0; row < g.rows; ++row) {
      g.sink.group(kTaps, {g.own(static_cast<uint64_t>(row * g.column_row()), g.vector(), g.vector(), AccessKind::load)});
      for (int64_t t = 0; t < kTaps; ++t) {
        const int64_t pixel = taps.pixel(row, t);
        const uint64_t at = sums + static_cast<uint64_t>((pixel < 0 ? g.pixels : pixel) * g.vector());
        g.sink.group(1, {g.own(at, 0, g.vector(), AccessKind::load), g.own(at, 0, g.vector(), AccessKind::store)});
      }
    }
    g.sink.group(g.pixels, {g.own(sums, g.vector(), g.vector(), AccessKind::load),
                            g.stream(g.x_at(0, block * g.lanes), g.inputs * kBytes, g.vector(), g.x.tensor, AccessKind::store)});
  }
}

}  // namespace

bool describe_convolution_product(const OpCall& call, bool of_input, const Operand& x, const Operand& w, const Operand& y, AccessSink& sink) {
  const int64_t lanes = call.vector_bytes / kBytes;
  if (!call.plain_weights || !convolution_rule::is_product(of_input, call.node.attributes, x.type, w.type, y.type, lanes)) return false;
  const Gradient g{x, w, y, convolution_rule::pixels(y.type), convolution_rule::pixels(x.type), w.type.shape[1], w.type.shape[0], lanes,
                   call.workspace_address, call.workspace_tensor, sink};
  const Taps taps(g, call.node.attributes);
  if (of_input) by_input(g, taps);
  else by_weight(g, taps);
  return true;
}

}  // namespace engine::access
