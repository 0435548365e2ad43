// SPDX-License-Identifier: Apache-2.0
// Cumulative sums: what the parts of along_axis_loops.h access.
#include "engine/kernels/reduction/along_axis_loops.h"

#include <algorithm>

#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

/// In the workspace: the sums, in doubles.
struct DescribedCumulativeSum {
  const OpCall& call;
  AccessSink& sink;

  bool stopped() const { return sink.stopped(); }
  Line sums() const { return in_workspace(call, 0, sizeof(double)); }
  void clear(int64_t count) { Passes(count, 1, sink).all({{sums(), kStore}}); }
  void add(int64_t at, int64_t count) {
    Passes(count, 1, sink)
        .all({{sums()}, {neighbours(call.inputs[0], at)}, {neighbours(call.outputs[0], at), kStore}, {sums(), kStore}});
  }
};

}  // namespace

bool describe_cumulative_sum(const OpCall& call, AccessSink& sink) {
  const TensorType &x = call.inputs[0].type, &y = call.outputs[0].type;
  if (!has_own_loops(call) || x.rank() == 0 || x.elements() == 0 || !is_contiguous(x.shape, x.strides) ||
      !is_contiguous(y.shape, y.strides))
    return false;
  const auto lines = loops::RowsAlong::of(x.shape, call.node.attributes.get_int("axis", -1));
  if (std::min(lines.inner, loops::kSideBySide) > static_cast<int64_t>(call.workspace_bytes / sizeof(double)))
    return false;
  const bool reverse = call.node.attributes.get_int("reverse", 0) != 0;
  DescribedCumulativeSum parts{call, sink};
  for (int64_t piece = 0; piece < lines.pieces() && !sink.stopped(); ++piece)
    loops::cumulative_sum(lines, piece, reverse, parts);
  return true;
}

}  // namespace engine::access
