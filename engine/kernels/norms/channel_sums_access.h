// SPDX-License-Identifier: Apache-2.0
// Sums per channel over rows of channels: what the parts of loops::sum_channels() access.
#pragma once

#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/norms/batch_norm_loops.h"

namespace engine::access {

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
    if (!two)
      return passes.down({{about}, {scratch}, {second}}, rows.size(), {{a}}, {{scratch, kStore}, {second, kStore}});
    const Line b = from(second_of_row, rows.begin * passes.length());
    passes.down({{about}, {scratch}, {second}}, rows.size(), {{a}, {b}}, {{scratch, kStore}, {second, kStore}});
  }
  void flush() { passes.one_by_one(2 * passes.length(), {{sums}, {scratch}, {sums, kStore}}); }
};

}  // namespace engine::access
