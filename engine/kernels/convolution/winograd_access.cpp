// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's minimal filtering: what the parts of winograd_loops.h access.
#include <algorithm>
#include <vector>

#include "engine/kernels/convolution/winograd_gradient_loops.h"
#include "engine/kernels/convolution/winograd_rule.h"
#include "engine/kernels/core/describe_access.h"

namespace engine::access {
namespace {

using loops::kWinogradPoints;
using loops::kWinogradSide;
using loops::kWinogradTile;
using loops::Range;
constexpr int64_t kFloat = sizeof(float);

/// Addresses in bytes; strides of images in elements.
struct Filtered {
  const Operand &x, &w, &y;
  const Operand* bias;
  loops::WinogradShape s;
  loops::WinogradCut cut;
  uint64_t u, scratch;
  uint32_t u_tensor, scratch_tensor;
  AccessSink& sink;

  static uint64_t at(uint64_t address, int64_t elements) { return address + static_cast<uint64_t>(elements * kFloat); }
  int64_t vector() const { return cut.lanes * kFloat; }
  int64_t channel_bytes(int64_t channels) const { return std::min(cut.lanes, channels) * kFloat; }
  static AccessStream stream(uint64_t address, int64_t step, int64_t bytes, uint32_t tensor, AccessKind kind) {
    return {address, step, tensor, static_cast<uint16_t>(bytes), kind};
  }
  static uint64_t pixel(const Operand& images, int64_t image, int64_t row, int64_t column, int64_t channel) {
    const Strides& t = images.type.strides;
    return at(images.address, image * t[0] + row * t[2] + column * t[3] + channel);
  }
};

/// The weights, a vector of outputs of one input after another.
void weights(const Filtered& f, bool by_input) {
  const Strides& t = f.w.type.strides;
  const int64_t output = by_input ? t[1] : t[0], input = by_input ? t[0] : t[1], flipped = by_input ? -1 : 1;
  const uint64_t first_tap = Filtered::at(f.w.address, by_input ? 2 * (t[2] + t[3]) : 0);
  for (int64_t panel = 0; panel < f.cut.outputs && !f.sink.stopped(); panel += f.cut.panel()) {
    const int64_t wide = std::min(f.cut.panel(), f.cut.outputs - panel);
    for (int64_t c = 0; c < f.s.inputs && !f.sink.stopped(); ++c) {
      for (int64_t o = panel; o < panel + wide; o += f.cut.lanes) {
        for (int64_t lane = 0; lane < std::min(f.cut.lanes, f.s.outputs - o); ++lane) {
          const uint64_t kernel = Filtered::at(first_tap, (o + lane) * output + c * input);
          for (int64_t row = 0; row < 3; ++row)
            f.sink.group(3, {Filtered::stream(Filtered::at(kernel, flipped * row * t[2]), flipped * t[3] * kFloat,
                                              kFloat, f.w.tensor, AccessKind::load)});
        }
        const int64_t to = f.cut.weights_at(f.s, 0, panel, c) + o - panel;
        f.sink.group(kWinogradPoints, {Filtered::stream(Filtered::at(f.u, to), f.cut.u_point(f.s) * kFloat, f.vector(),
                                                        f.u_tensor, AccessKind::store)});
      }
    }
  }
}

/// V of tiles of x.
struct TransformedTiles {
  const Operand& x;
  const loops::WinogradShape& s;
  int64_t lanes;
  uint64_t v;
  uint32_t tensor;
  AccessSink& sink;

  void transform(Range unit, Range tiles, int64_t point) const {
    for (int64_t t = tiles.begin; t < tiles.end && !sink.stopped(); ++t) {
      const loops::WinogradTile at = loops::winograd_tile_at(s, t);
      const int64_t top = at.row - s.above, left = at.column - s.left;
      const Range rows{std::max<int64_t>(0, top), std::min(s.x_height, top + kWinogradSide)},
          columns{std::max<int64_t>(0, left), std::min(s.x_width, left + kWinogradSide)};
      for (int64_t c = 0; c < s.inputs; c += lanes) {
        const int64_t bytes = std::min(lanes, s.inputs - c) * kFloat;
        for (int64_t j = columns.begin; j < columns.end && rows.begin < rows.end; ++j)
          sink.group(rows.size(), {Filtered::stream(Filtered::pixel(x, at.image, rows.begin, j, c),
                                                    x.type.strides[2] * kFloat, bytes, x.tensor, AccessKind::load)});
        sink.group(kWinogradPoints, {Filtered::stream(Filtered::at(v, (t - unit.begin) * s.inputs + c), point * kFloat,
                                                      bytes, tensor, AccessKind::store)});
      }
    }
  }
};

/// The parts of loops::winograd_unit; V, and M behind it, in the scratch.
class Described {
 public:
  explicit Described(const Filtered& filtered)
      : f_(filtered),
        m_(Filtered::at(f_.scratch, kWinogradPoints * f_.cut.v_point(f_.s, f_.cut.block))),
        tiles_{f_.x, f_.s, f_.cut.lanes, f_.scratch, f_.scratch_tensor, f_.sink} {}

  bool stopped() const { return f_.sink.stopped(); }
  void transform(Range unit, Range tiles) { tiles_.transform(unit, tiles, f_.cut.v_point(f_.s, unit.size())); }
  void multiply(const loops::WinogradProduct& p, int64_t tiles) {
    const int64_t vectors = p.outputs.size() / f_.cut.lanes;
    streams_.clear();
    const uint64_t u = Filtered::at(f_.u, f_.cut.weights_at(f_.s, p.point, p.outputs.begin, p.steps.begin));
    for (int64_t v = 0; v < vectors; ++v)
      streams_.push_back(Filtered::stream(Filtered::at(u, v * f_.cut.lanes), p.outputs.size() * kFloat, f_.vector(),
                                          f_.u_tensor, AccessKind::load));
    const int64_t from = p.point * f_.cut.v_point(f_.s, tiles) + p.tiles.begin * f_.s.inputs + p.steps.begin;
    for (int64_t r = 0; r < p.tiles.size(); ++r)
      streams_.push_back(own(Filtered::at(f_.scratch, from + r * f_.s.inputs), kFloat, kFloat, AccessKind::load));
    f_.sink.group(p.steps.size(), streams_);
    for (int64_t r = p.tiles.begin; r < p.tiles.end; ++r) {
      const uint64_t to = Filtered::at(m_, p.point * f_.cut.m_point(tiles) + r * f_.cut.outputs + p.outputs.begin);
      streams_.clear();
      if (p.steps.begin > 0) streams_.push_back(own(to, f_.vector(), f_.vector(), AccessKind::load));
      streams_.push_back(own(to, f_.vector(), f_.vector(), AccessKind::store));
      f_.sink.group(vectors, streams_);
    }
  }
  void results(Range unit, Range tiles) {
    const int64_t point = f_.cut.m_point(unit.size());
    for (int64_t t = tiles.begin; t < tiles.end && !stopped(); ++t) {
      const loops::WinogradTile at = loops::winograd_tile_at(f_.s, t);
      const int64_t high = std::min(kWinogradTile, f_.s.height - at.row),
                    wide = std::min(kWinogradTile, f_.s.width - at.column);
      for (int64_t o = 0; o < f_.s.outputs; o += f_.cut.lanes) {
        const int64_t bytes = f_.channel_bytes(f_.s.outputs - o);
        const uint64_t from = Filtered::at(m_, (t - unit.begin) * f_.cut.outputs + o);
        for (int64_t j = 0; j < kWinogradSide; ++j)
          f_.sink.group(kWinogradSide, {own(Filtered::at(from, j * point), kWinogradSide * point * kFloat, f_.vector(),
                                            AccessKind::load)});
        if (f_.bias != nullptr)
          f_.sink.group(
              1, {Filtered::stream(Filtered::at(f_.bias->address, o), 0, bytes, f_.bias->tensor, AccessKind::load)});
        for (int64_t i = 0; i < high; ++i)
          f_.sink.group(wide, {Filtered::stream(Filtered::pixel(f_.y, at.image, at.row + i, at.column, o),
                                                f_.y.type.strides[3] * kFloat, bytes, f_.y.tensor, AccessKind::store)});
      }
    }
  }

 private:
  AccessStream own(uint64_t address, int64_t step, int64_t bytes, AccessKind kind) const {
    return Filtered::stream(address, step, bytes, f_.scratch_tensor, kind);
  }

  const Filtered& f_;
  uint64_t m_;
  TransformedTiles tiles_;
  std::vector<AccessStream> streams_;
};

/// The parts of loops::winograd_gradient; V, and dM behind it, in the scratch.
class DescribedGradient {
 public:
  DescribedGradient(const Operand& x, const Operand& dy, const Operand& dw, const loops::WinogradShape& shape,
                    const loops::WinogradGradientCut& cut, uint64_t workspace, uint32_t tensor, AccessSink& sink)
      : dy_(dy),
        dw_(dw),
        s_(shape),
        cut_(cut),
        u_(workspace),
        tensor_(tensor),
        sink_(sink),
        scratch_(Filtered::at(workspace, loops::in_lines(cut.weights(shape)))),
        m_(Filtered::at(scratch_, kWinogradPoints * cut.v_point(shape, cut.block))),
        tiles_{x, shape, cut.lanes, scratch_, tensor, sink} {}

  bool stopped() const { return sink_.stopped(); }
  void transform(Range unit, Range tiles) { tiles_.transform(unit, tiles, cut_.v_point(s_, unit.size())); }
  void spread(Range unit, Range tiles) {
    const int64_t point = cut_.m_point(unit.size());
    for (int64_t t = tiles.begin; t < tiles.end && !stopped(); ++t) {
      const loops::WinogradTile at = loops::winograd_tile_at(s_, t);
      const int64_t high = std::min(kWinogradTile, s_.height - at.row),
                    wide = std::min(kWinogradTile, s_.width - at.column);
      for (int64_t o = 0; o < s_.outputs; o += cut_.lanes) {
        const int64_t bytes = std::min(cut_.lanes, s_.outputs - o) * kFloat;
        for (int64_t j = 0; j < wide; ++j)
          sink_.group(high, {Filtered::stream(Filtered::pixel(dy_, at.image, at.row, at.column + j, o),
                                              dy_.type.strides[2] * kFloat, bytes, dy_.tensor, AccessKind::load)});
        sink_.group(kWinogradPoints, {own(Filtered::at(m_, (t - unit.begin) * cut_.outputs + o), point * kFloat,
                                          vector(), AccessKind::store)});
      }
    }
  }
  void sum(const loops::WinogradSum& p, int64_t tiles) {
    const int64_t vectors = p.outputs.size() / cut_.lanes;
    std::vector<AccessStream> streams;
    const uint64_t m = Filtered::at(m_, p.point * cut_.m_point(tiles) + p.tiles.begin * cut_.outputs + p.outputs.begin),
                   v = Filtered::at(scratch_,
                                    p.point * cut_.v_point(s_, tiles) + p.tiles.begin * s_.inputs + p.inputs.begin);
    for (int64_t i = 0; i < vectors; ++i)
      streams.push_back(own(Filtered::at(m, i * cut_.lanes), cut_.outputs * kFloat, vector(), AccessKind::load));
    for (int64_t r = 0; r < p.inputs.size(); ++r)
      streams.push_back(own(Filtered::at(v, r), s_.inputs * kFloat, kFloat, AccessKind::load));
    sink_.group(p.tiles.size(), streams);
    for (int64_t c = p.inputs.begin; c < p.inputs.end; ++c) {
      const uint64_t to = Filtered::at(u_, cut_.weights_at(s_, p.point, p.outputs.begin, c));
      streams.clear();
      if (p.add) streams.push_back(own(to, vector(), vector(), AccessKind::load));
      streams.push_back(own(to, vector(), vector(), AccessKind::store));
      sink_.group(vectors, streams);
    }
  }
  void gradients(Range inputs) {
    const Strides& t = dw_.type.strides;
    for (int64_t panel = 0; panel < s_.outputs && !stopped(); panel += cut_.panel()) {
      for (int64_t c = inputs.begin; c < inputs.end && !stopped(); ++c) {
        for (int64_t o = panel; o < std::min(panel + cut_.panel(), s_.outputs); o += cut_.lanes) {
          const uint64_t from = Filtered::at(u_, cut_.weights_at(s_, 0, panel, c) + o - panel);
          const int64_t point = cut_.u_point(s_);
          for (int64_t j = 0; j < kWinogradSide; ++j)
            sink_.group(kWinogradSide, {own(Filtered::at(from, j * point), kWinogradSide * point * kFloat, vector(),
                                            AccessKind::load)});
          for (int64_t lane = o; lane < std::min(o + cut_.lanes, s_.outputs); ++lane) {
            for (int64_t row = 0; row < 3; ++row)
              sink_.group(3, {Filtered::stream(Filtered::at(dw_.address, lane * t[0] + c * t[1] + row * t[2]),
                                               t[3] * kFloat, kFloat, dw_.tensor, AccessKind::store)});
          }
        }
      }
    }
  }

 private:
  int64_t vector() const { return cut_.lanes * kFloat; }
  AccessStream own(uint64_t address, int64_t step, int64_t bytes, AccessKind kind) const {
    return Filtered::stream(address, step, bytes, tensor_, kind);
  }

  const Operand &dy_, &dw_;
  const loops::WinogradShape& s_;
  const loops::WinogradGradientCut& cut_;
  uint64_t u_;
  uint32_t tensor_;
  AccessSink& sink_;
  uint64_t scratch_, m_;
  TransformedTiles tiles_;
};

bool describe_gradient(const OpCall& call, AccessSink& sink) {
  const Operand &dy = call.inputs[0], &x = call.inputs[1], &dw = call.outputs[0];
  const auto s = winograd_rule::shape_of(false, call.node.attributes, x.type, dw.type, dy.type);
  if (!s) return false;
  const loops::WinogradGradientCut cut(*s, call.vector_bytes / kFloat);
  if (static_cast<uint64_t>((loops::in_lines(cut.weights(*s)) + cut.scratch(*s)) * kFloat) > call.workspace_bytes)
    return false;
  DescribedGradient parts(x, dy, dw, *s, cut, call.workspace_address, call.workspace_tensor, sink);
  loops::winograd_gradient(*s, cut, parts);
  return true;
}

}  // namespace

bool describe_winograd(const OpCall& call, AccessSink& sink, const FinishedPixels& finished) {
  if (call.winograd_tile != kWinogradTile || !call.own_products) return false;
  if (call.node.op->name.ends_with("_grad_weight")) return describe_gradient(call, sink);
  const bool by_input = call.node.op->name.ends_with("_grad_input");
  const Operand &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
  const auto s = winograd_rule::shape_of(by_input, call.node.attributes, by_input ? y.type : x.type, w.type,
                                         by_input ? x.type : y.type);
  if (!s) return false;
  Filtered f{.x = x,
             .w = w,
             .y = y,
             .bias = call.inputs.size() > 2 ? &call.inputs[2] : nullptr,
             .s = *s,
             .cut = loops::WinogradCut(*s, call.vector_bytes / kFloat, call.threads),
             .u = call.winograd_weights,
             .scratch = call.workspace_address,
             .u_tensor = w.tensor,
             .scratch_tensor = call.workspace_tensor,
             .sink = sink};
  if (!call.constant_weights) {
    f.u = call.workspace_address;
    f.u_tensor = call.workspace_tensor;
    f.scratch = Filtered::at(f.u, loops::in_lines(f.cut.weights(*s)));
    weights(f, by_input);
  }
  if (Filtered::at(f.scratch, f.cut.scratch(*s)) > call.workspace_address + call.workspace_bytes) return false;
  Described parts(f);
  for (int64_t unit = 0; unit < f.cut.units && !sink.stopped(); ++unit) {
    const Range tiles = f.cut.unit(*s, unit);
    loops::winograd_unit(*s, f.cut, tiles, parts);
    if (finished) loops::winograd_stretches(*s, tiles, finished);
  }
  return true;
}

bool describe_winograd(const OpCall& call, AccessSink& sink) { return describe_winograd(call, sink, {}); }

}  // namespace engine::access
