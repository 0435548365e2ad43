// SPDX-License-Identifier: Apache-2.0
// One matrix product by loops that one chooses, from naive to fast: there to be watched, not to be fast.
#pragma once

#include <span>
#include <string_view>

#include "engine/graph/builder.h"

namespace engine::ops {

/// One way to write the loops. The CPU has a kernel for each (engine/kernels/teaching/ladder.cpp).
struct LadderRung {
  std::string_view name;  ///< "reordered"
  std::string_view what;  ///< what it does differently from the rung before, a few words
  int vector_bits = 0;    ///< width of the vector registers it needs; 0: any machine has it
};
/// From the slowest to the fastest.
std::span<const LadderRung> ladder_rungs();

/// ladder_product(a, b) -> c {rung, tile, sigmoid}: c = a b, with sigmoid = 1 the sigmoid of it; a [m, k], b [k, n].
/// rung: a name of ladder_rungs(); tile: side of the tiles of rungs that tile. The numbers are those of matmul and
/// sigmoid, to rounding.
extern const Op kLadderProduct;

std::span<const Op* const> ladder_ops();

ValueId ladder_product(GraphBuilder&, ValueId a, ValueId b, std::string_view rung, int64_t tile, bool sigmoid);

}  // namespace engine::ops
