// SPDX-License-Identifier: Apache-2.0
// Cumulative sums, and ops that pass over all elements once or twice: what engine/loops/along_axis.h and engine/loops/quantize.h access.
#include "engine/loops/along_axis.h"

#include <algorithm>

#include "engine/access/channel_sums.h"
#include "engine/access/passes.h"
#include "engine/loops/quantize.h"

namespace engine::access {
namespace {

/// In the workspace: the sums, in doubles.
struct DescribedCumulativeSum {
  const OpCall& call;
  AccessSink& sink;

  bool stopped() const { return sink.stopped(); }
  Line sums() const { return in_workspace(call, 0, sizeof(double)); }
  void clear(int64_t count) { Passes(count, 1, sink).all({{sums(), kStore}}); }
  void add(int64_t at, int64_t count) { Passes(count, 1, sink).all({{sums()}, {neighbours(call.inputs[0], at)}, {neighbours(call.outputs[0], at), kStore}, {sums(), kStore}}); }
};

struct DescribedQuantization {
  const OpCall& call;
  Passes elements;

  void range() { elements.all({{neighbours(call.inputs[0], 0)}}); }
  void keep() {
    elements.one(neighbours(call.outputs[1], 0), kStore);
    elements.one(neighbours(call.outputs[2], 0), kStore);
  }
  void quantize() { elements.all({{neighbours(call.inputs[0], 0)}, {neighbours(call.outputs[0], 0), kStore}}); }
};

/// In one dense layout: elements go as they lie.
bool lie_alike(const Operand& x, const Operand& y) { return x.type.elements() > 0 && is_dense(x.type.shape, x.type.strides) && x.type.strides == y.type.strides; }

}  // namespace

bool describe_cumulative_sum(const OpCall& call, AccessSink& sink) {
  const TensorType &x = call.inputs[0].type, &y = call.outputs[0].type;
  if (!has_own_loops(call) || x.rank() == 0 || x.elements() == 0 || !is_contiguous(x.shape, x.strides) || !is_contiguous(y.shape, y.strides)) return false;
  const auto lines = loops::LinesAlong::of(x.shape, call.node.attributes.get_int("axis", -1));
  if (std::min(lines.inner, loops::kSideBySide) > static_cast<int64_t>(call.workspace_bytes / sizeof(double))) return false;
  const bool reverse = call.node.attributes.get_int("reverse", 0) != 0;
  DescribedCumulativeSum parts{call, sink};
  for (int64_t piece = 0; piece < lines.pieces() && !sink.stopped(); ++piece) loops::cumulative_sum(lines, piece, reverse, parts);
  return true;
}

bool describe_dynamic_quantization(const OpCall& call, AccessSink& sink) {
  if (call.outputs.size() < 3 || call.inputs[0].type.dtype != DType::float32 || !lie_alike(call.inputs[0], call.outputs[0])) return false;
  DescribedQuantization parts{call, {call.inputs[0].type.elements(), 1, sink}};
  loops::dynamic_quantize(parts);
  return true;
}

/// The norm, then x to y.
bool describe_clip(const OpCall& call, AccessSink& sink) {
  if (!has_own_loops(call) || !lie_alike(call.inputs[0], call.outputs[0])) return false;
  Passes elements(call.inputs[0].type.elements(), call.vector_bytes, sink);
  elements.one(neighbours(call.inputs[1], 0));
  elements.all({{neighbours(call.inputs[0], 0)}, {neighbours(call.outputs[0], 0), kStore}});
  return true;
}

}  // namespace engine::access
