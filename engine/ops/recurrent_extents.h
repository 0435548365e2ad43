// SPDX-License-Identifier: Apache-2.0
// The extents of a recurrent op, and its references (for recurrent.cpp alone).
#pragma once

#include <string>

#include "engine/graph/op.h"

namespace engine::ops {

enum class CellKind { lstm, gru, rnn };

struct RecurrentExtents {
  CellKind kind = CellKind::lstm;
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1;
  int64_t gates = 4;     ///< rows of w and r, in units of `hidden`
  int64_t rows = 4;      ///< rows of bias and of the kept gates, in units of `hidden`
  bool reverse = false;  ///< the first direction walks backwards
  bool linear_before_reset = true;
  bool relu = false;

  /// The time step direction `d` takes as its `step`-th.
  int64_t time(int64_t d, int64_t step) const { return (d == 1 || reverse) ? steps - 1 - step : step; }
  bool keeps_cells() const { return kind == CellKind::lstm; }
};

/// From the shapes of x and r, which infer has accepted, and the attributes.
RecurrentExtents recurrent_extents(CellKind, const Shape& x, const Shape& r, const Attributes&);

void reference_recurrent(CellKind, KernelArguments&);
void reference_recurrent_grad(CellKind, KernelArguments&);

}  // namespace engine::ops
