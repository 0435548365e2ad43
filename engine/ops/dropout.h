// SPDX-License-Identifier: Apache-2.0
// Dropout: zeroes random elements while training.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// dropout(x, draw) -> y {ratio, seed}: each element is 0 with probability `ratio`, else x / (1 - ratio). Which ones
/// depends on seed, draw (i64 []) and the element's row-major position alone: the backward pass applies the same op to
/// dy, no mask is stored.
extern const Op kDropout;

std::span<const Op* const> dropout_ops();

/// Once per step: counts `state` (an i64 [] state, in place) and returns a copy, so that each step draws other masks
/// and a backward pass that comes after another forward pass still has its own.
ValueId next_draw(GraphBuilder&, ValueId state);
/// Give each layer another seed. ratio 0, and every inference, is x itself: do not call it there.
ValueId dropout(GraphBuilder&, ValueId x, ValueId draw, double ratio = 0.5, int64_t seed = 0);

}  // namespace engine::ops
