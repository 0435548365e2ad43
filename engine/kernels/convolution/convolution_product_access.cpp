// SPDX-License-Identifier: Apache-2.0
// Gradients of 3x3 convolutions as products over weights as they lie: what the parts of convolution_product_loops.h
// access.
#include "engine/kernels/convolution/convolution_product_loops.h"
#include "engine/kernels/convolution/convolution_rule.h"
#include "engine/kernels/core/describe_access.h"

namespace engine::access {
namespace {

using convolution_rule::kTaps;
using loops::Range;
constexpr int64_t kVectors = loops::kProductVectors, kPanels = loops::kProductPanels, kBytes = sizeof(float);

/// Channels last; addresses in bytes.
struct Gradient {
  const Operand &x, &w, &y;
  int64_t rows, pixels, inputs, outputs, lanes;
  uint64_t scratch;
  uint32_t scratch_tensor;
  loops::TapWindow window;
  AccessSink& sink;

  uint64_t x_at(int64_t pixel, int64_t channel) const {
    return x.address + static_cast<uint64_t>((pixel * inputs + channel) * kBytes);
  }
  uint64_t y_at(int64_t row, int64_t channel) const {
    return y.address + static_cast<uint64_t>((row * outputs + channel) * kBytes);
  }
  /// Of a block's panel, of an output.
  uint64_t w_at(int64_t output, int64_t block, int64_t panel) const {
    return w.address + static_cast<uint64_t>(output * weight_row() + (block * kPanels + panel) * wide());
  }
  int64_t weight_row() const { return w.type.strides[0] * kBytes; }
  int64_t vector() const { return lanes * kBytes; }
  int64_t wide() const { return kVectors * vector(); }
  int64_t column_row() const { return kTaps * vector(); }

  AccessStream stream(uint64_t address, int64_t step, int64_t bytes, uint32_t tensor, AccessKind kind) const {
    return {address, step, tensor, static_cast<uint16_t>(bytes), kind};
  }
  AccessStream own(int64_t offset, int64_t step, int64_t bytes, AccessKind kind) const {
    return stream(scratch + static_cast<uint64_t>(offset), step, bytes, scratch_tensor, kind);
  }
};

/// A tile: `depth` steps, each three vectors of b and an element per row of a; what it makes is stored.
void tile(const Gradient& g, const AccessStream& b, int64_t depth, int64_t high, const AccessStream& a, int64_t a_row,
          int64_t stored, const AccessStream& c, int64_t c_row) {
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

/// The parts of loops::convolution_by_weight; columns, and dy packed behind them, in the scratch.
class DescribedByWeight {
 public:
  DescribedByWeight(const Gradient& gradient, int64_t high)
      : g_(gradient), high_(high), packed_(gradient.rows * gradient.column_row()) {}

  bool stopped() const { return g_.sink.stopped(); }
  void pack(Range outputs) {
    const int64_t to = packed_ + outputs.begin * g_.rows * kBytes, row_of_y = g_.outputs * kBytes,
                  some = outputs.size() * kBytes, whole = high_ * kBytes;
    if (some == whole)
      return g_.sink.group(g_.rows,
                           {g_.stream(g_.y_at(0, outputs.begin), row_of_y, whole, g_.y.tensor, AccessKind::load),
                            g_.own(to, whole, whole, AccessKind::store)});
    for (int64_t row = 0; row < g_.rows; ++row) {
      const int64_t at = to + row * whole;
      g_.sink.group(outputs.size(),
                    {g_.stream(g_.y_at(row, outputs.begin), kBytes, kBytes, g_.y.tensor, AccessKind::load),
                     g_.own(at, kBytes, kBytes, AccessKind::store)});
      g_.sink.group(high_ - outputs.size(), {g_.own(at + some, kBytes, kBytes, AccessKind::store)});
    }
  }
  void gather(int64_t block) {
    for (int64_t row = 0; row < g_.rows && !stopped(); ++row) {
      for (int64_t t = 0; t < kTaps; ++t) {
        const int64_t pixel = g_.window.pixel(row, t);
        if (pixel >= 0)
          g_.sink.group(1,
                        {g_.stream(g_.x_at(pixel, block * g_.lanes), 0, g_.vector(), g_.x.tensor, AccessKind::load)});
      }
      for (int64_t panel = 0; panel < kPanels; ++panel)
        g_.sink.group(kVectors,
                      {g_.own((panel * g_.rows + row) * g_.wide(), g_.vector(), g_.vector(), AccessKind::store)});
    }
  }
  void tile(int64_t block, int64_t panel, Range outputs) {
    access::tile(
        g_, g_.own(panel * g_.rows * g_.wide(), g_.wide(), g_.vector(), AccessKind::load), g_.rows, high_,
        g_.own(packed_ + outputs.begin * g_.rows * kBytes, high_ * kBytes, kBytes, AccessKind::load), kBytes,
        outputs.size(),
        g_.stream(g_.w_at(outputs.begin, block, panel), g_.vector(), g_.vector(), g_.w.tensor, AccessKind::store),
        g_.weight_row());
  }

 private:
  const Gradient& g_;
  int64_t high_, packed_;
};

/// The parts of loops::convolution_by_input; columns, and sums of a block's pixels behind them, in the scratch.
class DescribedByInput {
 public:
  explicit DescribedByInput(const Gradient& gradient) : g_(gradient), sums_(gradient.rows * gradient.column_row()) {}

  bool stopped() const { return g_.sink.stopped(); }
  void tile(int64_t block, int64_t panel, Range rows, int64_t /*vector_ahead*/) {
    access::tile(g_, g_.stream(g_.w_at(0, block, panel), g_.weight_row(), g_.vector(), g_.w.tensor, AccessKind::load),
                 g_.outputs, rows.size(),
                 g_.stream(g_.y_at(rows.begin, 0), kBytes, kBytes, g_.y.tensor, AccessKind::load), g_.outputs * kBytes,
                 rows.size(),
                 g_.own(rows.begin * g_.column_row() + panel * g_.wide(), g_.vector(), g_.vector(), AccessKind::store),
                 g_.column_row());
  }
  void scatter(int64_t block) {
    g_.sink.group(g_.pixels + 1, {g_.own(sums_, g_.vector(), g_.vector(), AccessKind::store)});
    for (int64_t row = 0; row < g_.rows && !stopped(); ++row) {
      g_.sink.group(kTaps, {g_.own(row * g_.column_row(), g_.vector(), g_.vector(), AccessKind::load)});
      for (int64_t i = 0; i < kTaps; ++i) {  // column after column of the kernel
        const int64_t pixel = g_.window.pixel(row, i % 3 * 3 + i / 3),
                      at = sums_ + (pixel < 0 ? g_.pixels : pixel) * g_.vector();
        g_.sink.group(1, {g_.own(at, 0, g_.vector(), AccessKind::load), g_.own(at, 0, g_.vector(), AccessKind::store)});
      }
    }
    g_.sink.group(g_.pixels, {g_.own(sums_, g_.vector(), g_.vector(), AccessKind::load),
                              g_.stream(g_.x_at(0, block * g_.lanes), g_.inputs * kBytes, g_.vector(), g_.x.tensor,
                                        AccessKind::store)});
  }

 private:
  const Gradient& g_;
  int64_t sums_;
};

/// Of the shapes of images x and results y [N, C, H, W].
loops::TapWindow window_of(const Shape& x, const Shape& y, const Attributes& attributes) {
  const auto pair = [&](const char* key, int64_t otherwise) {
    return attributes.get_ints(key, {otherwise, otherwise});
  };
  const std::vector<int64_t> stride = pair("stride", 1), dilation = pair("dilation", 1), padding = pair("padding", 0);
  return {.x = {x[2], x[3]},
          .y = {y[2], y[3]},
          .stride = {stride[0], stride[1]},
          .dilation = {dilation[0], dilation[1]},
          .before = {padding[0], padding[1]}};
}

}  // namespace

bool describe_convolution_product(const OpCall& call, bool of_input, const Operand& x, const Operand& w,
                                  const Operand& y, AccessSink& sink) {
  const int64_t lanes = call.vector_bytes / kBytes;
  if (!call.plain_weights ||
      !convolution_rule::is_product(of_input, call.node.attributes, x.type, w.type, y.type, lanes))
    return false;
  const bool wide_vectors = lanes >= 16;
  const Gradient g{x,
                   w,
                   y,
                   convolution_rule::pixels(y.type),
                   convolution_rule::pixels(x.type),
                   w.type.shape[1],
                   w.type.shape[0],
                   lanes,
                   call.workspace_address,
                   call.workspace_tensor,
                   window_of(x.type.shape, y.type.shape, call.node.attributes),
                   sink};
  const loops::WindowProduct shape{.rows = g.rows, .outputs = g.outputs, .blocks = {0, g.inputs / lanes}};
  if (of_input) {
    const int64_t most = convolution_rule::tile_rows(g.rows, wide_vectors);
    DescribedByInput parts(g);
    loops::convolution_by_input(shape, g.rows < most ? 1 : most, parts);
  } else {
    const int64_t high = convolution_rule::tile_rows(g.outputs, wide_vectors);
    DescribedByWeight parts(g, high);
    loops::convolution_by_weight(shape, high, parts);
  }
  return true;
}

}  // namespace engine::access
