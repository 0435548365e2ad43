// SPDX-License-Identifier: Apache-2.0
// Pads, tiles and nearest resizes: what the parts of mapped_copy_loops.h access.
#include "engine/kernels/indexing/mapped_copy_loops.h"

#include <numeric>
#include <optional>

#include "engine/graph/element_maps.h"
#include "engine/graph/resize_axes.h"
#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

using Sources = std::optional<std::vector<std::vector<int64_t>>>;

/// Copies and fills element by element.
struct DescribedMappedCopy {
  const Operand &x, &y;
  int64_t bytes;
  AccessSink& sink;

  AccessStream stream(const Operand& o, int64_t offset, AccessKind kind) const {
    return {o.address + static_cast<uint64_t>(offset), bytes, o.tensor, static_cast<uint16_t>(bytes), kind};
  }
  void copy(int64_t from, int64_t to, int64_t count) {
    sink.group(count, {stream(x, from, AccessKind::load), stream(y, to, AccessKind::store)});
  }
  void missing(int64_t to, int64_t count) { sink.group(count, {stream(y, to, AccessKind::store)}); }
};

bool has_room(const OpCall& call) {
  const TensorType& y = call.outputs[0].type;
  return y.elements() > 0 && fits_tables(call, std::accumulate(y.shape.begin(), y.shape.end(), int64_t{0}));
}

bool describe_sources(const OpCall& call, const Sources& sources, AccessSink& sink) {
  if (!sources) return false;
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  const loops::MappedCopy copy(x.type.strides, y.type.strides, *sources, size_bytes(y.type.dtype));
  DescribedMappedCopy parts{x, y, copy.element_bytes(), sink};
  for (int64_t row = 0; row < copy.rows() && !sink.stopped(); ++row) copy.row(row, parts);
  return true;
}

}  // namespace

bool describe_pad(const OpCall& call, AccessSink& sink) {
  return has_room(call) &&
         describe_sources(call, pad_tables(call.inputs[0].type.shape, call.outputs[0].type.shape, call.node.attributes),
                          sink);
}

bool describe_tile(const OpCall& call, AccessSink& sink) {
  return has_room(call) &&
         describe_sources(call, tile_tables(call.inputs[0].type.shape, call.outputs[0].type.shape), sink);
}

bool describe_nearest_resize(const OpCall& call, AccessSink& sink) {
  return has_room(call) &&
         describe_sources(call, nearest_tables(call.inputs[0].type.shape, call.node.attributes), sink);
}

}  // namespace engine::access
