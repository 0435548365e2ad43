// SPDX-License-Identifier: Apache-2.0
// Which row of strided operands comes after which: softmax goes so (softmax.cpp), and its description
// (softmax_access.cpp).
#pragma once

#include "engine/kernels/core/walk_loops.h"

namespace engine::loops {

/// Each element of a nest over all axes but the rows' as a row of its own: a row begins there.
template <int kMost>
RowNest<kMost> row_by_row(RowNest<kMost> nest) {
  nest.outer.push_back({.extent = nest.inner, .stride = nest.inner_stride});
  nest.inner = 1;
  return nest;
}

}  // namespace engine::loops
