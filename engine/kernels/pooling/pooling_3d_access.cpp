// SPDX-License-Identifier: Apache-2.0
// Pooling of volumes, and gradients of maxima: what the parts of pooling_3d_loops.h and of loops::max_pool_grad access.
#include "engine/kernels/pooling/pooling_3d_loops.h"

#include <algorithm>
#include <optional>

#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/pooling/scatter_access.h"

namespace engine::access {
namespace {

using loops::Voxel;

/// Rank 5, channels last up to axes of extent 1, of f32 or of places in it.
bool is_volume(const TensorType& type) {
  if (type.rank() != 5 || (type.dtype != DType::float32 && type.dtype != DType::int32)) return false;
  const Shape& s = type.shape;
  const Strides stored = contiguous_strides({s[0], s[2], s[3], s[4], s[1]}),
                wanted{stored[0], stored[4], stored[1], stored[2], stored[3]};
  for (size_t axis = 0; axis < 5; ++axis) {
    if (s[axis] != 1 && type.strides[axis] != wanted[axis]) return false;
  }
  return true;
}

/// Nothing where own kernels do not take the op.
std::optional<loops::VolumeGeometry> geometry_of(const OpCall& call, const Operand& x, const Operand& y,
                                                 decltype(&loops::volume_geometry) geometry = loops::volume_geometry) {
  for (const std::vector<Operand>* operands : {&call.inputs, &call.outputs}) {
    if (!std::ranges::all_of(*operands, [](const Operand& o) { return is_volume(o.type); })) return std::nullopt;
  }
  const Attributes& a = call.node.attributes;
  const auto kernel = a.get_ints("kernel", {}), stride = a.get_ints("stride", {1, 1, 1}),
             padding = a.get_ints("padding", {0, 0, 0, 0, 0, 0}), dilation = a.get_ints("dilation", {1, 1, 1});
  if (kernel.size() != 3 || stride.size() != 3 || padding.size() != 6 || dilation.size() != 3) return std::nullopt;
  return geometry(x.type.shape, y.type.shape, kernel, stride, padding, dilation);
}

AccessStream stream(const Operand& o, int64_t element, AccessKind kind, int64_t width = 1) {
  const int64_t bytes = size_bytes(o.type.dtype);
  return {o.address + static_cast<uint64_t>(element * bytes), width * bytes, o.tensor,
          static_cast<uint16_t>(width * bytes), kind};
}

/// All channels of voxels; x and y are the larger and the smaller volume, forwards and backwards.
class DescribedVolumePool {
 public:
  DescribedVolumePool(const OpCall& call, const loops::VolumeGeometry& g, const Operand& x, const Operand& y,
                      bool forward, AccessSink& sink)
      : g_(g),
        from_(forward ? x : y),
        to_(forward ? y : x),
        from_extents_(forward ? g.inputs() : g.outputs()),
        to_extents_(forward ? g.outputs() : g.inputs()),
        indices_(call.outputs.size() > 1 ? &call.outputs[1] : nullptr),
        is_forward_(forward),
        lanes_(std::max<int64_t>(1, call.vector_bytes / size_bytes(y.type.dtype))),
        sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  void begin(int64_t sample, const Voxel& at, int64_t count = 1) {
    width_ = count * g_.channels;
    sample_ = sample;
    to_at_ = (sample * loops::voxels(to_extents_) + loops::voxel_number(to_extents_, at)) * g_.channels;
  }
  void take(int64_t input, bool first) {
    if (indices_ == nullptr) return accumulate(input, first);
    const AccessStream x = stream(from_, element(input), AccessKind::load),
                       best = stream(to_, to_at_, AccessKind::load), after = stream(to_, to_at_, AccessKind::store),
                       index = stream(*indices_, to_at_, AccessKind::load),
                       index_after = stream(*indices_, to_at_, AccessKind::store);
    if (!first) return sink_.group(g_.channels, {x, best, index, after, index_after});
    sink_.group(g_.channels, {x, after});
    sink_.group(g_.channels, {index_after});
  }
  void add(const Voxel& out, bool first) { accumulate(loops::voxel_number(from_extents_, out), first); }
  void nothing() {
    if (indices_ == nullptr && is_forward_) return;
    sink_.group(g_.channels, {stream(to_, to_at_, AccessKind::store)});
    if (indices_ != nullptr) sink_.group(g_.channels, {stream(*indices_, to_at_, AccessKind::store)});
  }

 private:
  int64_t element(int64_t voxel) const { return (sample_ * loops::voxels(from_extents_) + voxel) * g_.channels; }
  /// Vectors of channels, or of voxels and channels beside each other, then what is left of them.
  void accumulate(int64_t voxel, bool first) {
    const int64_t vectors = width_ / lanes_, rest = width_ - vectors * lanes_;
    const auto along = [&](int64_t c, int64_t count, int64_t width) {
      if (count == 0) return;
      const AccessStream from = stream(from_, element(voxel) + c, AccessKind::load, width),
                         after = stream(to_, to_at_ + c, AccessKind::store, width);
      if (first) sink_.group(count, {from, after});
      else sink_.group(count, {stream(to_, to_at_ + c, AccessKind::load, width), from, after});
    };
    along(0, vectors, lanes_);
    along(vectors * lanes_, rest, 1);
  }

  const loops::VolumeGeometry g_;
  const Operand &from_, &to_;
  Voxel from_extents_, to_extents_;
  const Operand* indices_;
  bool is_forward_;
  int64_t lanes_, sample_ = 0, to_at_ = 0, width_ = 0;
  AccessSink& sink_;
};

class DescribedScatter {
 public:
  DescribedScatter(const OpCall& call, const loops::ScatterShape& shape,
                   const std::function<int64_t(int64_t)>& first_input, AccessSink& sink)
      : dy_(call.inputs[0]),
        indices_(call.inputs[1]),
        dx_(call.outputs[0]),
        s_(shape),
        first_input_(first_input),
        sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  void clear(int64_t sample, int64_t pixel, loops::Range channels) {
    sink_.group(channels.size(),
                {stream(dx_, (sample * s_.inputs + pixel) * s_.channels + channels.begin, AccessKind::store)});
  }
  void scatter(int64_t sample, int64_t pixel, loops::Range channels) {
    const int64_t at = (sample * s_.outputs + pixel) * s_.channels + channels.begin, input = first_input_(pixel);
    if (input < 0) return sink_.group(channels.size(), {stream(indices_, at, AccessKind::load)});
    const int64_t to = (sample * s_.inputs + input) * s_.channels + channels.begin;
    sink_.group(channels.size(), {stream(indices_, at, AccessKind::load), stream(dy_, at, AccessKind::load),
                                  stream(dx_, to, AccessKind::load), stream(dx_, to, AccessKind::store)});
  }

 private:
  const Operand &dy_, &indices_, &dx_;
  const loops::ScatterShape s_;
  const std::function<int64_t(int64_t)>& first_input_;
  AccessSink& sink_;
};

}  // namespace

void describe_scatter(const OpCall& call, const loops::ScatterShape& shape,
                      const std::function<int64_t(int64_t)>& first_input, AccessSink& sink) {
  DescribedScatter parts(call, shape, first_input, sink);
  for (int64_t task = 0; task < shape.tasks() && !sink.stopped(); ++task) loops::max_pool_grad(shape, task, parts);
}

bool describe_volume_pooling(const OpCall& call, AccessSink& sink) {
  const bool averages = call.outputs.size() == 1;  // maxima have places besides
  const auto g =
      geometry_of(call, call.inputs[0], call.outputs[0], averages ? loops::average_geometry : loops::volume_geometry);
  if (!g) return false;
  DescribedVolumePool parts(call, *g, call.inputs[0], call.outputs[0], true, sink);
  for (int64_t row = 0; row < loops::volume_rows(*g, g->outputs()) && !sink.stopped(); ++row) {
    if (averages) loops::average_volume_row(*g, row, parts);
    else loops::pool_volume_row(*g, row, parts);
  }
  return true;
}

bool describe_average_volume_pooling_grad(const OpCall& call, AccessSink& sink) {
  const auto g = geometry_of(call, call.outputs[0], call.inputs[0]);
  if (!g) return false;
  DescribedVolumePool parts(call, *g, call.outputs[0], call.inputs[0], false, sink);
  for (int64_t row = 0; row < loops::volume_rows(*g, g->inputs()) && !sink.stopped(); ++row)
    loops::average_pool_volume_grad_row(*g, row, parts);
  return true;
}

bool describe_max_volume_pooling_grad(const OpCall& call, AccessSink& sink) {
  const auto g = geometry_of(call, call.outputs[0], call.inputs[0]);
  if (!g || call.inputs.size() < 2) return false;
  describe_scatter(
      call, loops::scatter_shape(*g, call.threads),
      [&](int64_t voxel) {
        const Voxel out = g->outputs();
        return g->first_input({voxel / (out[1] * out[2]), voxel / out[2] % out[1], voxel % out[2]});
      },
      sink);
  return true;
}

}  // namespace engine::access
