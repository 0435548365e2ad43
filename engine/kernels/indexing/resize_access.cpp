// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resizes and the gradients of any: what the parts of resize_loops.h access, element by element. In
// the workspace: the row that is blended first where the inner axis is resized, too. Weights and places of the taps,
// which are the kernel's own tables, are left out.
#include "engine/kernels/indexing/resize_loops.h"

#include <numeric>
#include <vector>

#include "engine/graph/resize_axes.h"
#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

/// From element `first` on, `step` elements apart.
Line apart(const Operand& o, int64_t first, int64_t step) {
  Line line = neighbours(o, first);
  line.stride *= step;
  return line;
}

/// Element after element is made of some of a line's, and stored. from(i, load): calls load(k) for each.
template <class From>
void gather_elements(const Line& line, const Line& to, int64_t count, AccessSink& sink, const From& from) {
  std::vector<AccessStream> streams;
  const auto at = [](const Line& l, int64_t k, AccessKind kind) {
    return AccessStream{l.address + static_cast<uint64_t>(k * l.stride), 0, l.tensor, static_cast<uint16_t>(l.bytes),
                        kind};
  };
  for (int64_t i = 0; i < count && !sink.stopped(); ++i) {
    streams.clear();
    from(i, [&](int64_t k) { streams.push_back(at(line, k, AccessKind::load)); });
    streams.push_back(at(to, i, kStore));
    sink.group(1, streams);
  }
}

class DescribedResize {
 public:
  using Axis = loops::ResizeNest<ResizeAxis>::Axis;
  DescribedResize(const OpCall& call, const Axis& inner, AccessSink& sink)
      : x_(call.inputs[0]),
        y_(call.outputs[0]),
        inner_(inner),
        blended_(in_workspace(call, 0, size_bytes(y_.type.dtype))),
        sink_(sink) {}

  void outside(int64_t to) { Passes(inner_.outputs, 1, sink_).all({{neighbours(y_, to), kStore}}); }
  void blend(const loops::BlendedRow& row, bool first, int64_t at) {
    Passes along(inner_.inputs, 1, sink_);
    const Line from = apart(x_, row.offset, inner_.x_stride), to = inner_.map.identity ? neighbours(y_, at) : blended_;
    if (first) along.all({{from}, {to, kStore}});
    else along.all({{to}, {from}, {to, kStore}});
  }
  void interpolate(int64_t to) {
    const int64_t taps = inner_.map.taps;
    gather_elements(blended_, neighbours(y_, to), inner_.outputs, sink_, [&](int64_t i, const auto& load) {
      for (auto tap = static_cast<size_t>(i * taps); tap < static_cast<size_t>((i + 1) * taps); ++tap) {
        if (inner_.map.weight[tap] != 0) load(inner_.map.index[tap]);
      }
    });
  }

 private:
  const Operand &x_, &y_;
  const Axis& inner_;
  Line blended_;
  AccessSink& sink_;
};

class DescribedResizeGradient {
 public:
  using Axis = loops::ResizeGradientNest::Axis;
  DescribedResizeGradient(const OpCall& call, const Axis& inner, AccessSink& sink)
      : dy_(call.inputs[0]),
        dx_(call.outputs[0]),
        inner_(inner),
        blended_(in_workspace(call, 0, size_bytes(dx_.type.dtype))),
        sink_(sink) {}

  void clear(int64_t to) { along().all({{whole(to), kStore}}); }
  void add(const loops::BlendedRow& row, int64_t at) {
    const Line to = whole(at);
    along().all({{to}, {apart(dy_, row.offset, inner_.dy_stride)}, {to, kStore}});
  }
  void gather(int64_t to) {
    gather_elements(blended_, neighbours(dx_, to), inner_.inputs, sink_, [&](int64_t i, const auto& load) {
      for (int64_t k = inner_.begin[static_cast<size_t>(i)]; k < inner_.begin[static_cast<size_t>(i) + 1]; ++k)
        load(inner_.index[static_cast<size_t>(k)]);
    });
  }

 private:
  Passes along() const { return {inner_.outputs, 1, sink_}; }
  Line whole(int64_t to) const { return inner_.identity ? neighbours(dx_, to) : blended_; }

  const Operand &dy_, &dx_;
  const Axis& inner_;
  Line blended_;
  AccessSink& sink_;
};

/// For the tables: an index and a weight of each tap of an element, forwards and backwards; and for a row.
bool has_room(const OpCall& call) {
  constexpr int64_t kMostTaps = 4, kNumbers = 4 * kMostTaps;
  const TensorType &x = call.inputs[0].type, &y = call.outputs[0].type;
  const int64_t extents = std::accumulate(x.shape.begin(), x.shape.end(), int64_t{0}) +
                          std::accumulate(y.shape.begin(), y.shape.end(), int64_t{0});
  return y.elements() > 0 && x.elements() > 0 && fits_tables(call, extents, kNumbers);
}

}  // namespace

bool describe_resize(const OpCall& call, AccessSink& sink) {
  if (call.node.attributes.get_string("mode", "nearest") == "nearest") return false;
  const TensorType &x = call.inputs[0].type, &y = call.outputs[0].type;
  if (!has_own_loops(call) || !has_room(call)) return false;
  const loops::ResizeNest<ResizeAxis> nest(x.shape, x.strides, y.shape, y.strides,
                                           resize_axes(x.shape, call.node.attributes));
  DescribedResize parts(call, nest.inner(), sink);
  std::vector<loops::BlendedRow> rows;
  for (int64_t row = 0; row < nest.rows() && !sink.stopped(); ++row) loops::resize_row(nest, row, rows, parts);
  return true;
}

bool describe_resize_grad(const OpCall& call, AccessSink& sink) {
  const TensorType &dy = call.inputs[0].type, &dx = call.outputs[0].type;
  if (!has_own_loops(call) || !has_room(call) || !loops::ResizeGradientNest::takes(dx.shape, dx.strides)) return false;
  const loops::ResizeGradientNest nest(dx.shape, dx.strides, dy.strides, resize_axes(dx.shape, call.node.attributes));
  DescribedResizeGradient parts(call, nest.inner(), sink);
  std::vector<loops::BlendedRow> rows;
  for (int64_t row = 0; row < nest.rows() && !sink.stopped(); ++row) loops::resize_gradient_row(nest, row, rows, parts);
  return true;
}

}  // namespace engine::access
