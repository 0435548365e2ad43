// SPDX-License-Identifier: Apache-2.0
// Sums per channel over rows of channels: what the parts of loops::sum_channels() access.
#pragma once

#include <algorithm>

#include "engine/access/passes.h"
#include "engine/loops/batch_norm.h"

namespace engine::access {

/// `count` elements of `bytes` bytes in the workspace, `at` bytes from its begin.
inline Line in_workspace(const OpCall& call, int64_t at, int64_t bytes) { return {call.workspace_address + static_cast<uint64_t>(at), bytes, call.workspace_tensor, bytes}; }
/// Element `first` of a line.
inline Line from(Line line, int64_t first) {
  line.address += static_cast<uint64_t>(first * line.stride);
  return line;
}
/// Whether own kernels compute in the type as it is.
inline bool has_own_loops(const OpCall& call) {
  const DType dtype = call.outputs[0].type.dtype;
  const auto same = [dtype](const Operand& o) { return o.type.dtype == dtype; };
  return (dtype == DType::float32 || dtype == DType::float64) && std::ranges::all_of(call.inputs, same) && std::ranges::all_of(call.outputs, same);
}

/// Forwards of one tensor, backwards of two; rows from the first one on.
struct ChannelSums {
  Passes& passes;  ///< along channels
  Line about, scratch, sums;
  Line first_of_row, second_of_row;
  bool two = false;

  bool stopped() const { return passes.stopped(); }
  void clear() { passes.one_by_one(2 * passes.length(), {{scratch, kStore}}); }
  void add(loops::Range rows) {
    const Line second = from(scratch, passes.length()), a = from(first_of_row, rows.begin * passes.length());
    if (!two) return passes.down({{about}, {scratch}, {second}}, rows.size(), {{a}}, {{scratch, kStore}, {second, kStore}});
    const Line b = from(second_of_row, rows.begin * passes.length());
    passes.down({{about}, {scratch}, {second}}, rows.size(), {{a}, {b}}, {{scratch, kStore}, {second, kStore}});
  }
  void flush() { passes.one_by_one(2 * passes.length(), {{sums}, {scratch}, {sums, kStore}}); }
};

}  // namespace engine::access
