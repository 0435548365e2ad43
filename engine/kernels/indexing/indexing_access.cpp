// SPDX-License-Identifier: Apache-2.0
// Ops that go where indices send them: what the parts of indexing_loops.h access. Their loops are the kernels' own, and
// only what the indices say is taken (evenly_spread()): a capture has shapes, not numbers.
#include "engine/kernels/indexing/indexing_loops.h"

#include <algorithm>

#include "engine/graph/element_maps.h"
#include "engine/kernels/core/indices_access.h"
#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

bool row_major(const TensorType& type) { return is_contiguous(type.shape, type.strides); }
/// Axes [begin, end) of a type, as a type of their own.
TensorType some_axes(const TensorType& type, size_t begin, size_t end) {
  const auto first = static_cast<int64_t>(begin), last = static_cast<int64_t>(end);
  return {type.dtype, Shape(type.shape.begin() + first, type.shape.begin() + last),
          Strides(type.strides.begin() + first, type.strides.begin() + last)};
}
/// `axis` of `type`, counted from the front; below 0: there is none.
int64_t axis_of(const OpCall& call, const TensorType& type, int64_t otherwise) {
  const int64_t axis = call.node.attributes.get_int("axis", otherwise), own = axis < 0 ? axis + type.rank() : axis;
  return own < type.rank() ? own : -1;
}
bool has_elements(const OpCall& call) {
  const auto some = [](const Operand& o) { return o.type.elements() > 0; };
  return std::ranges::all_of(call.inputs, some) && std::ranges::all_of(call.outputs, some);
}

/// Elements one by one.
struct DescribedIndices {
  const Operand& indices;
  int64_t extent;
  AccessSink& sink;

  bool stopped() const { return sink.stopped(); }
  int64_t index(int64_t i) {
    one(indices, i, AccessKind::load);
    return evenly_spread(i, extent);
  }
  int64_t index(int64_t i, int64_t along) {
    one(indices, i, AccessKind::load);
    return evenly_spread(i, along);
  }

 protected:
  static AccessStream stream(const Operand& o, int64_t element, AccessKind kind) {
    const int64_t bytes = size_bytes(o.type.dtype);
    return {o.address + static_cast<uint64_t>(element * bytes), bytes, o.tensor, static_cast<uint16_t>(bytes), kind};
  }
  void one(const Operand& o, int64_t element, AccessKind kind) { sink.group(1, {stream(o, element, kind)}); }
};

struct DescribedGather : DescribedIndices {
  const Operand &x, &y;
  int64_t bytes;
  void copy(int64_t from, int64_t to, int64_t all) {
    sink.group(all / bytes, {stream(x, from / bytes, AccessKind::load), stream(y, to / bytes, AccessKind::store)});
  }
  void outside(int64_t to, int64_t all) { sink.group(all / bytes, {stream(y, to / bytes, AccessKind::store)}); }
};

struct DescribedOneHot : DescribedIndices {
  const Operand& y;
  void off(int64_t to, int64_t count) { sink.group(count, {stream(y, to, AccessKind::store)}); }
  void on(int64_t to) { one(y, to, AccessKind::store); }
};

struct DescribedGatherGradient : DescribedIndices {
  const Operand &dy, &dx;
  int64_t vector_bytes;
  void clear(int64_t to, int64_t count) { sink.group(count, {stream(dx, to, AccessKind::store)}); }
  void add(int64_t from, int64_t to, int64_t count) {
    const Line sum = neighbours(dx, to);
    Passes(count, count < loops::kFewColumns ? 1 : vector_bytes, sink)
        .all({{sum}, {neighbours(dy, from)}, {sum, kStore}});
  }
};

struct DescribedEmbeddingBag : DescribedIndices {
  const Operand &table, &y;
  int64_t width;
  bool mean;
  int64_t vector_bytes;
  Line row(int64_t bag) const { return neighbours(y, bag * width); }
  void clear(int64_t bag) { sink.group(width, {stream(y, bag * width, AccessKind::store)}); }
  void add(int64_t index, int64_t bag) {
    Passes(width, vector_bytes, sink)
        .all({{row(bag)}, {neighbours(table, index * table.type.strides[0])}, {row(bag), kStore}});
  }
  void refuse(int64_t bag) { clear(bag); }
  void finish(int64_t bag) {
    if (mean) sink.group(width, {stream(y, bag * width, AccessKind::load), stream(y, bag * width, AccessKind::store)});
  }
};

struct DescribedElements : DescribedIndices {
  const Operand &x, &y;
  void move(int64_t from, int64_t to) {
    sink.group(1, {stream(x, from, AccessKind::load), stream(y, to, AccessKind::store)});
  }
  void outside(int64_t to) { one(y, to, AccessKind::store); }
};

struct DescribedScatter : DescribedIndices {
  const Operand &updates, &y;
  bool replaces;
  void meet(int64_t from, int64_t to) {
    if (replaces) sink.group(1, {stream(updates, from, AccessKind::load), stream(y, to, AccessKind::store)});
    else
      sink.group(1, {stream(updates, from, AccessKind::load), stream(y, to, AccessKind::load),
                     stream(y, to, AccessKind::store)});
  }
};

/// Of the lines of `shape` parallel to `axis`.
loops::IndexedRows lines_of(const Shape& shape, const Strides& strides, int64_t axis) {
  const TensorType type{DType::uint8, shape, strides};
  const auto a = static_cast<size_t>(axis);
  return {element_offsets(some_axes(type, 0, a)), element_offsets(some_axes(type, a + 1, shape.size())), strides[a]};
}

}  // namespace

bool describe_gather(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &indices = call.inputs[1], &y = call.outputs[0];
  const int64_t axis = axis_of(call, x.type, 0);
  if (axis < 0 || !has_elements(call)) return false;
  const auto along = static_cast<size_t>(axis);
  const TensorType outer = some_axes(x.type, 0, along), block = some_axes(x.type, along + 1, x.type.shape.size());
  if (!row_major(indices.type) || !row_major(y.type) || !row_major(block) || !fits_tables(call, outer.elements()))
    return false;
  const int64_t bytes = size_bytes(x.type.dtype);
  loops::GatherShape shape{element_offsets(outer), x.type.strides[along] * bytes, block.elements() * bytes,
                           indices.type.elements()};
  for (int64_t& offset : shape.outer) offset *= bytes;
  DescribedGather parts{{indices, x.type.shape[along], sink}, x, y, bytes};
  for (int64_t number = 0; number < shape.blocks() && !sink.stopped(); ++number)
    loops::gather_block(shape, number, parts);
  return true;
}

bool describe_one_hot(const OpCall& call, AccessSink& sink) {
  const Operand &indices = call.inputs[0], &y = call.outputs[0];
  if (!has_elements(call) || axis_of(call, y.type, -1) < 0 || !row_major(indices.type) || !row_major(y.type))
    return false;
  const AxisSplit split = split_at(y.type.shape, axis_of(call, y.type, -1));
  DescribedOneHot parts{{indices, split.extent, sink}, y};
  const loops::OneHotShape shape{split.outer, split.extent, split.inner};
  for (int64_t number = 0; number < shape.outer && !sink.stopped(); ++number)
    loops::one_hot_block(shape, number, parts);
  return true;
}

/// As one thread does, which has all of dx.
bool describe_gather_grad(const OpCall& call, AccessSink& sink) {
  const Operand &dy = call.inputs[0], &indices = call.inputs[1], &dx = call.outputs[0];
  const int64_t axis = axis_of(call, dx.type, 0);
  const bool real =
      (dx.type.dtype == DType::float32 || dx.type.dtype == DType::float64) && dy.type.dtype == dx.type.dtype;
  if (axis < 0 || !has_elements(call) || !real || !row_major(dx.type) || !row_major(indices.type)) return false;
  const size_t row_axes = static_cast<size_t>(axis) + indices.type.shape.size();
  if (row_axes > dy.type.shape.size() || !row_major(some_axes(dy.type, row_axes, dy.type.shape.size()))) return false;
  const TensorType rows = some_axes(dy.type, 0, row_axes);
  if (!fits_tables(call, rows.elements())) return false;
  const AxisSplit split = split_at(dx.type.shape, axis);
  const loops::GatherGradientShape shape{split.outer, split.extent, split.inner, indices.type.elements(),
                                         element_offsets(rows)};
  DescribedGatherGradient parts{{indices, split.extent, sink}, dy, dx, call.vector_bytes};
  loops::gather_gradient(shape, {0, shape.outer * shape.extent}, {0, shape.inner}, parts);
  return true;
}

bool describe_embedding_bag(const OpCall& call, AccessSink& sink) {
  const Operand &table = call.inputs[0], &indices = call.inputs[1], &y = call.outputs[0];
  const bool real = table.type.dtype == DType::float32 || table.type.dtype == DType::float64;
  if (!has_elements(call) || !real || table.type.rank() != 2 || indices.type.rank() != 2 ||
      (table.type.shape[1] != 1 && table.type.strides[1] != 1))
    return false;
  if (!row_major(indices.type) || !row_major(y.type)) return false;
  const bool mean = call.node.attributes.get_string("mode", "sum") == "mean";
  DescribedEmbeddingBag parts{
      {indices, table.type.shape[0], sink}, table, y, table.type.shape[1], mean, call.vector_bytes};
  for (int64_t bag = 0; bag < indices.type.shape[0] && !sink.stopped(); ++bag)
    loops::embedding_bag(indices.type.shape[1], bag, parts);
  return true;
}

bool describe_gather_elements(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &indices = call.inputs[1], &y = call.outputs[0];
  const int64_t axis = axis_of(call, x.type, 0);
  if (axis < 0 || !has_elements(call) || indices.type.rank() != x.type.rank() || !row_major(indices.type) ||
      !row_major(y.type))
    return false;
  const int64_t count = indices.type.shape[static_cast<size_t>(axis)];
  if (!fits_tables(call, indices.type.elements() / count)) return false;
  const loops::IndexedRows lines = lines_of(indices.type.shape, x.type.strides, axis);
  DescribedElements parts{{indices, x.type.shape[static_cast<size_t>(axis)], sink}, x, y};
  for (int64_t row = 0; row < static_cast<int64_t>(lines.outer.size()) * count && !sink.stopped(); ++row)
    loops::gather_elements_row(lines, count, row, parts);
  return true;
}

/// All indices first, whether they lie inside; then y = x, and the updates.
bool describe_scatter_elements(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &indices = call.inputs[1], &updates = call.inputs[2], &y = call.outputs[0];
  const auto reduction = parse_scatter_reduction(call.node.attributes.get_string("reduction", "none"));
  const int64_t axis = axis_of(call, x.type, 0);
  if (!reduction || axis < 0 || !has_elements(call) || indices.type.rank() != x.type.rank() ||
      updates.type.rank() != x.type.rank() || !row_major(indices.type))
    return false;
  const bool replaces = *reduction == ScatterReduction::replace;
  if (!replaces && y.type.dtype != DType::float32 && y.type.dtype != DType::float64) return false;
  const int64_t count = indices.type.shape[static_cast<size_t>(axis)];
  if (!fits_tables(call, 2 * (indices.type.elements() / count))) return false;
  const loops::IndexedRows from = lines_of(indices.type.shape, updates.type.strides, axis),
                           to = lines_of(indices.type.shape, y.type.strides, axis);
  DescribedScatter parts{{indices, y.type.shape[static_cast<size_t>(axis)], sink}, updates, y, replaces};
  loops::all_inside(indices.type.elements(), parts);
  walk_tiles(y.type.shape,
             {part_of_walk(x, y.type.shape, AccessKind::load), part_of_walk(y, y.type.shape, AccessKind::store)}, sink);
  loops::scatter_elements(from, to, count, {0, to.width() * static_cast<int64_t>(to.outer.size())}, parts);
  return true;
}

/// All tuples first, where they lead to; then y = x, and the updates.
bool describe_scatter_nd(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &indices = call.inputs[1], &updates = call.inputs[2], &y = call.outputs[0];
  const auto reduction = parse_scatter_reduction(call.node.attributes.get_string("reduction", "none"));
  if (!reduction || !has_elements(call) || indices.type.rank() < 1 || !row_major(indices.type)) return false;
  const bool replaces = *reduction == ScatterReduction::replace;
  if (!replaces && y.type.dtype != DType::float32 && y.type.dtype != DType::float64) return false;
  const int64_t batch_dims = call.node.attributes.get_int("batch_dims", 0);
  if (batch_dims < 0 || batch_dims + indices.type.shape.back() > y.type.rank()) return false;
  const auto tuple_axes = indices.type.shape.size() - 1, batch = static_cast<size_t>(batch_dims),
             named = batch + static_cast<size_t>(indices.type.shape.back());
  if (tuple_axes > updates.type.shape.size() || tuple_axes < batch) return false;
  const TensorType batches = some_axes(y.type, 0, batch), rows = some_axes(updates.type, 0, tuple_axes),
                   to = some_axes(y.type, named, y.type.shape.size()),
                   from = some_axes(updates.type, tuple_axes, updates.type.shape.size());
  if (!fits_tables(call, batches.elements() + 2 * rows.elements() + to.elements() + from.elements()) ||
      from.elements() != to.elements())
    return false;
  loops::ScatterTuples tuples{
      {}, element_offsets(batches), element_offsets(rows), element_offsets(from), element_offsets(to)};
  for (size_t axis = batch; axis < named; ++axis) tuples.named.push_back({y.type.shape[axis], y.type.strides[axis]});
  DescribedScatter parts{{indices, 1, sink}, updates, y, replaces};
  std::vector<int64_t> places;
  loops::scatter_places(tuples, places, parts);
  walk_tiles(y.type.shape,
             {part_of_walk(x, y.type.shape, AccessKind::load), part_of_walk(y, y.type.shape, AccessKind::store)}, sink);
  loops::scatter_slices(tuples, places, {0, tuples.width()}, parts);
  return true;
}

}  // namespace engine::access
