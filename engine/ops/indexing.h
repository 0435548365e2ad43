// SPDX-License-Identifier: Apache-2.0
// Ops that join, cut, pick and place elements: concat, pad, gather, scatter, embedding and their relatives.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/builder.h"

// Indices are i64 or i32 and may be negative (they count from the end). An index outside of its axis never reads or writes out of
// bounds. What it should have picked becomes NaN, in integer and bool tensors 0; a scatter with such an index makes its whole
// result NaN (0): the mistake shows, as with a label that is no class (softmax_cross_entropy).
//
// Results keep the axis order of the first operand in memory (channels last stays so) in concat, pad, tile, reverse_sequence,
// triangle and resize; all others are row-major. Moved elements keep their bits, whatever the dtype.
namespace engine::ops {

// ---- indexing_join.cpp ------------------------------------------------------------------------------------------------------
extern const Op kConcat;   ///< concat(x...) -> y {axis}
/// pad(x) -> y {before, after, mode, value}: one `before` and `after` per axis, negative ones crop. mode "constant" (value),
/// "reflect" (the edge is not repeated), "edge" (repeats it), "wrap".
extern const Op kPad;
/// pad_grad(dy) -> dx {before, after, mode, input_shape, input_strides}: adds up what was copied more than once.
extern const Op kPadGrad;

// ---- indexing_gather.cpp ----------------------------------------------------------------------------------------------------
// Compulsory bytes of what these read from x (weight) are an upper bound: the elements named, each index counted as if it were
// the only one of its kind, at most all of x. Which indices repeat is known only at run time.
extern const Op kGather;  ///< gather(x, indices) -> y {axis}: y[..., i..., ...] = x[..., indices[i...], ...]
/// gather_grad(dy, indices) -> dx {axis, input_shape, input_strides}: zeros, plus each slice of dy at its index, in order of the
/// indices: the same bits for any number of threads. Indices outside add nothing (their y was NaN).
extern const Op kGatherGrad;
/// embedding_bag(weight, indices) -> y {mode}: weight [V, D], indices [B, L]; y[b] = "sum" or "mean" of the rows weight[indices[b]].
/// A bag without indices gives zeros.
extern const Op kEmbeddingBag;

/// Joins tensors of equal dtype whose shapes differ along `axis` at most.
ValueId concat(GraphBuilder&, std::vector<ValueId> values, int64_t axis);
/// Cuts x along `axis` into pieces of the given sizes, which must add up to its extent. Slice views: nothing is copied.
std::vector<ValueId> split(GraphBuilder&, ValueId x, std::vector<int64_t> sizes, int64_t axis);
struct PadOptions {
  std::string mode = "constant";  ///< "constant", "reflect", "edge", "wrap"
  double value = 0;
};
/// Adds before[i] and after[i] elements along axis i; negative ones crop.
ValueId pad(GraphBuilder&, ValueId x, std::vector<int64_t> before, std::vector<int64_t> after, const PadOptions& = {});
/// Slices of x along `axis`; indices of any shape take the axis' place.
ValueId gather(GraphBuilder&, ValueId x, ValueId indices, int64_t axis);
/// Rows of weight [V, D]: gather along axis 0.
ValueId embedding(GraphBuilder&, ValueId weight, ValueId indices);
/// `mode`: "sum" or "mean".
ValueId embedding_bag(GraphBuilder&, ValueId weight, ValueId indices, const std::string& mode = "sum");
/// x with the order of `axes` turned round: slice views with step -1.
ValueId reverse(GraphBuilder&, ValueId x, std::vector<int64_t> axes);

std::span<const Op* const> indexing_ops();

}  // namespace engine::ops
