// SPDX-License-Identifier: Apache-2.0
// Copies to parts of a tensor, row after row as engine/kernels/core/walk_loops.h has them; and where in a line
// something stands.
#include <algorithm>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/indexing/triangle_loops.h"

namespace engine::access {
namespace {

/// From `start` to `end` along `axis`; a part that is not there has no elements.
Operand part_of(const Operand& whole, int64_t axis, int64_t start, int64_t end, int64_t step = 1) {
  Operand part = whole;
  const Result<View> view = view_slice(whole.type, axis, start, end, step);
  part.type = view ? view->type : TensorType::contiguous(whole.type.dtype, {0});
  if (view) part.address += static_cast<uint64_t>(view->offset_elements * size_bytes(whole.type.dtype));
  return part;
}

/// `from` to `to`, as `to` lies. False: they are not of one shape.
bool copy(const Operand& from, const Operand& to, AccessSink& sink) {
  if (from.type.shape != to.type.shape) return false;
  walk_tiles(to.type.shape,
             {part_of_walk(from, to.type.shape, AccessKind::load), part_of_walk(to, to.type.shape, AccessKind::store)},
             sink);
  return true;
}

}  // namespace

/// One operand after the other to its part of y.
bool describe_concat(const OpCall& call, AccessSink& sink) {
  const Operand& y = call.outputs[0];
  const int64_t axis = call.node.attributes.get_int("axis", 0), along = axis < 0 ? axis + y.type.rank() : axis;
  if (along < 0 || along >= y.type.rank()) return false;
  int64_t start = 0;
  for (const Operand& x : call.inputs) {
    if (x.type.rank() != y.type.rank()) return false;
    const int64_t end = start + x.type.shape[static_cast<size_t>(along)];
    if (x.type.elements() > 0 && !copy(x, part_of(y, along, start, end), sink)) return false;
    start = end;
  }
  return true;
}

/// Zeros everywhere, then dy where the slice was.
bool describe_slice_grad(const OpCall& call, AccessSink& sink) {
  const Operand &dy = call.inputs[0], &dx = call.outputs[0];
  const Attributes& a = call.node.attributes;
  const Operand part =
      part_of(dx, a.get_int("axis", 0), a.get_int("start", 0), a.get_int("end", 0), a.get_int("step", 1));
  if (part.type.shape != dy.type.shape) return false;
  walk_alone(dx, AccessKind::store, sink);
  return copy(dy, part, sink);
}

/// In place: nothing of x is read, and only the part that is written moves.
bool describe_write_slice(const OpCall& call, AccessSink& sink) {
  const Operand &update = call.inputs[1], &x = call.outputs[0];
  const int64_t axis = call.node.attributes.get_int("axis", 0), along = axis < 0 ? axis + x.type.rank() : axis,
                start = call.node.attributes.get_int("start", 0);
  if (along < 0 || along >= update.type.rank()) return false;
  return copy(update, part_of(x, along, start, start + update.type.shape[static_cast<size_t>(along)]), sink);
}

/// The kept part of each row, and zeros beside it; what is not kept is not read.
bool describe_triangle(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const int64_t rank = x.type.rank(), bytes = size_bytes(y.type.dtype);
  if (rank < 2 || x.type.elements() == 0 || x.type.shape != y.type.shape) return false;
  const int64_t rows = x.type.shape[static_cast<size_t>(rank) - 2], columns = x.type.shape.back();
  if (columns != 1 && (x.type.strides.back() != 1 || y.type.strides.back() != 1)) return false;
  struct Rows {
    const Operand &x, &y;
    int64_t bytes;
    AccessSink& sink;
    AccessStream stream(const Operand& o, int64_t row, int64_t column, AccessKind kind) const {
      Line line = line_of(o, row);
      line.address += static_cast<uint64_t>(column * bytes);
      return {line.address, bytes, o.tensor, static_cast<uint16_t>(bytes), kind};
    }
    void zero(int64_t row, loops::Range columns) {
      sink.group(columns.size(), {stream(y, row, columns.begin, kStore)});
    }
    void copy(int64_t row, loops::Range columns) {
      sink.group(columns.size(),
                 {stream(x, row, columns.begin, AccessKind::load), stream(y, row, columns.begin, kStore)});
    }
  } parts{x, y, bytes, sink};
  const Attributes& a = call.node.attributes;
  const loops::Triangle triangle{rows, columns, std::clamp(a.get_int("k", 0), -rows, columns),
                                 a.get_int("upper", 1) != 0};
  for (int64_t row = 0; row < x.type.elements() / columns && !sink.stopped(); ++row)
    loops::triangle_row(triangle, row, parts);
  return true;
}

/// Of lines along the last axis: the extremum first, then where it is. That is not known: half way, so that half of a
/// line is looked at again. Other lines go side by side, once.
bool describe_arg(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const int64_t axis = call.node.attributes.get_int("axis", -1), length = x.type.rank() > 0 ? x.type.shape.back() : 0;
  if (length == 0 || (axis != -1 && axis != x.type.rank() - 1) || !is_contiguous(x.type.shape, x.type.strides))
    return false;
  Passes whole(length, call.vector_bytes, sink), half((length + 1) / 2, 1, sink);
  for (int64_t line = 0; line < y.type.elements() && !sink.stopped(); ++line) {
    const Line own = neighbours(x, line * length);
    whole.all({{own}});
    half.all({{own}});
    whole.one(neighbours(y, line), kStore);
  }
  return true;
}

/// The place of each line's greatest as argmax finds it, then zeros and the one.
bool describe_hardmax(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const int64_t axis = call.node.attributes.get_int("axis", -1), length = x.type.rank() > 0 ? x.type.shape.back() : 0;
  if (length == 0 || (axis != -1 && axis != x.type.rank() - 1)) return false;
  if (!is_contiguous(x.type.shape, x.type.strides) || !is_contiguous(y.type.shape, y.type.strides)) return false;
  Passes whole(length, call.vector_bytes, sink), half((length + 1) / 2, 1, sink);
  for (int64_t first = 0; first < x.type.elements() && !sink.stopped(); first += length) {
    whole.all({{neighbours(x, first)}});
    half.all({{neighbours(x, first)}});
    whole.all({{neighbours(y, first), kStore}});
    whole.one(neighbours(y, first + length / 2), kStore);
  }
  return true;
}

}  // namespace engine::access
