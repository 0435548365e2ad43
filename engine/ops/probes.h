// SPDX-License-Identifier: Apache-2.0
// Ops that do nothing useful but show one property of a machine: how many items it works on at once, how long a load takes.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// multiply_add_chain(x) -> y {rounds, factor, shift, chains}: y = factor * y + shift, `rounds` times, starting at x: each element is
/// one chain of dependent multiply-adds, different elements are independent. `chains`: how many vectors the kernel keeps in flight
/// at once (1 to 8); it changes no result. f32 and f64 have a kernel.
extern const Op kMultiplyAddChain;
/// pointer_chase(next) -> last {accesses}: starting at position 0, the position that next holds is the next position, `accesses`
/// times; i32 or i64, rank 1 -> a scalar. A position outside of next ends the chase with -1.
/// Source: McVoy and Staelin, "lmbench", USENIX 1996 (lat_mem_rd).
extern const Op kPointerChase;

std::span<const Op* const> probe_ops();

ValueId multiply_add_chain(GraphBuilder&, ValueId x, int64_t rounds, int64_t chains, double factor = 0.75, double shift = 0.25);
ValueId pointer_chase(GraphBuilder&, ValueId next, int64_t accesses);

}  // namespace engine::ops
