// SPDX-License-Identifier: Apache-2.0
// Ops that do nothing useful but show one property of a machine: how many items it works on at once, how long a load
// takes.
#pragma once

#include <span>
#include <string_view>

#include "engine/graph/builder.h"

namespace engine::ops {

/// multiply_add_chain(x) -> y {rounds, factor, shift, chains}: y = factor * y + shift, `rounds` times, starting at x:
/// each element is one chain of dependent multiply-adds, different elements are independent. `chains`: how many vectors
/// the kernel keeps in flight at once (1 to 8); it changes no result. f32 and f64 have a kernel.
extern const Op kMultiplyAddChain;
/// pointer_chase(next) -> last {accesses}: starting at position 0, the position that next holds is the next position,
/// `accesses` times; i32 or i64, rank 1 -> a scalar. A position outside of next ends the chase with -1. Source: McVoy
/// and Staelin, "lmbench", USENIX 1996 (lat_mem_rd).
extern const Op kPointerChase;

/// divergent_chain(x, path) -> y {rounds, paths, masked}: y = 3/4 y + (path + 1) / 64, `rounds` times, starting at x.
/// path: i32 of x's shape, 0 to paths - 1 (at most 64); elements of another path stay x. Kernels take the paths one
/// after the other, each in a branch of its own, so that threads in lockstep wait for all paths among them. masked 1:
/// so do the lanes of a processor's vectors; 0: it takes one element after the other.
extern const Op kDivergentChain;
/// round_trip(x) -> y {memory, overlap}: y = x by way of the host's memory, x row-major of any dtype. memory: "pinned"
/// (page-locked) or "pageable". overlap 0: all of x to the host, then all of it back; 1: in halves, the first on its
/// way back while the second comes. On devices that share the host's memory these are copies within it.
extern const Op kRoundTrip;

std::span<const Op* const> probe_ops();

ValueId multiply_add_chain(GraphBuilder&, ValueId x, int64_t rounds, int64_t chains, double factor = 0.75,
                           double shift = 0.25);
ValueId pointer_chase(GraphBuilder&, ValueId next, int64_t accesses);
ValueId divergent_chain(GraphBuilder&, ValueId x, ValueId path, int64_t rounds, int64_t paths, bool masked);
ValueId round_trip(GraphBuilder&, ValueId x, std::string_view memory, bool overlap);

}  // namespace engine::ops
