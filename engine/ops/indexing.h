// SPDX-License-Identifier: Apache-2.0
// Ops that join, cut, pick and place elements: concat, pad, gather, scatter, embedding and their relatives.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/builder.h"

// Indices are i64 or i32 and may be negative (they count from the end). An index outside of its axis never reads or
// writes out of bounds. What it should have picked becomes NaN, in integer and bool tensors 0; a scatter with such an
// index makes its whole result NaN (0): the mistake shows, as with a label that is no class (softmax_cross_entropy).
//
// Results keep the axis order of the first operand in memory (channels last stays so) in concat, pad, tile,
// reverse_sequence, triangle and resize; all others are row-major. Moved elements keep their bits, whatever the dtype.
namespace engine::ops {

// ---- indexing_join.cpp
// ------------------------------------------------------------------------------------------------------
extern const Op kConcat;  ///< concat(x...) -> y {axis}
/// pad(x) -> y {before, after, mode, value}: one `before` and `after` per axis, negative ones crop. mode "constant"
/// (value), "reflect" (the edge is not repeated), "edge" (repeats it), "wrap".
extern const Op kPad;
/// pad_grad(dy) -> dx {before, after, mode, input_shape, input_strides}: adds up what was copied more than once.
extern const Op kPadGrad;

// ---- indexing_gather.cpp
// ---------------------------------------------------------------------------------------------------- Compulsory bytes
// of what these read from x (weight) are an upper bound: the elements named, each index counted as if it were the only
// one of its kind, at most all of x. Which indices repeat is known only at run time.
extern const Op kGather;  ///< gather(x, indices) -> y {axis}: y[..., i..., ...] = x[..., indices[i...], ...]
/// gather_grad(dy, indices) -> dx {axis, input_shape, input_strides}: zeros, plus each slice of dy at its index, in
/// order of the indices: the same bits for any number of threads. Indices outside add nothing (their y was NaN).
extern const Op kGatherGrad;
/// embedding_bag(weight, indices) -> y {mode}: weight [V, D], indices [B, L]; y[b] = "sum" or "mean" of the rows
/// weight[indices[b]]. A bag without indices gives zeros.
extern const Op kEmbeddingBag;

// ---- indexing_elements.cpp, indexing_nd.cpp
// ---------------------------------------------------------------------------------
/// gather_elements(x, indices) -> y {axis}: y[i, j, k] = x[i, indices[i, j, k], k] for axis 1. y has the shape of the
/// indices, which are nowhere longer than x but along the axis.
extern const Op kGatherElements;
/// scatter_elements(x, indices, updates) -> y {axis, reduction}: y = x, then y[i, indices[i, j, k], k] meets updates[i,
/// j, k]. reduction "none" (replaces; of equal places the last one in row-major order stays), "add", "mul", "max",
/// "min". Gradients: none (right where no place is named twice) and add.
extern const Op kScatterElements;
/// gather_nd(x, indices) -> y {batch_dims}: each tuple indices[b..., i..., :] names x[b..., tuple..., :, ...].
extern const Op kGatherNd;
/// scatter_nd(x, indices, updates) -> y {batch_dims, reduction}: y = x, then what gather_nd would pick meets the
/// updates.
extern const Op kScatterNd;

// ---- indexing_repeat.cpp, indexing_top_k.cpp
// --------------------------------------------------------------------------------
extern const Op kTile;  ///< tile(x) -> y {repeats}: x repeated[i] times along axis i
extern const Op
    kTriangle;  ///< triangle(x) -> y {upper, k}: of each matrix what lies on and above (below) diagonal k, 0 elsewhere
/// reverse_sequence(x, lengths) -> y {batch_axis, time_axis}: turns the first lengths[b] steps of sequence b. A length
/// outside of 0 to the number of steps makes its sequence NaN (0).
extern const Op kReverseSequence;
/// one_hot(indices) -> y {depth, axis, on, off, dtype}: a new axis of `depth` elements, `on` at the index, `off`
/// elsewhere and wherever the index lies outside (as ONNX has it).
extern const Op kOneHot;
/// top_k(x) -> values, indices (i64) {k, axis, largest, sorted}: of equal values the first; NaN counts as larger than
/// any number. Not sorted: in the order they have in x.
extern const Op kTopK;

// ---- indexing_resize.cpp
// ----------------------------------------------------------------------------------------------------
/// resize(x) -> y {sizes, mode, coordinates, nearest_mode, cubic_coefficient, exclude_outside, extrapolation_value, and
/// per axis scale_<i> (default: sizes[i] / extent), roi_start_<i>, roi_end_<i>}: see ResizeOptions.
extern const Op kResize;
/// resize_grad(dy) -> dx {as resize, input_shape, input_strides}
extern const Op kResizeGrad;

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
ValueId gather_elements(GraphBuilder&, ValueId x, ValueId indices, int64_t axis);
ValueId scatter_elements(GraphBuilder&, ValueId x, ValueId indices, ValueId updates, int64_t axis,
                         const std::string& reduction = "none");
ValueId gather_nd(GraphBuilder&, ValueId x, ValueId indices, int64_t batch_dims = 0);
ValueId scatter_nd(GraphBuilder&, ValueId x, ValueId indices, ValueId updates, const std::string& reduction = "none");
/// x repeats[i] times along axis i. (expand repeats axes of one element without a copy.)
ValueId tile(GraphBuilder&, ValueId x, std::vector<int64_t> repeats);
/// Zeroes what lies below (upper) or above (not upper) diagonal k of each matrix.
ValueId triangle(GraphBuilder&, ValueId x, bool upper, int64_t k = 0);
ValueId reverse_sequence(GraphBuilder&, ValueId x, ValueId lengths, int64_t batch_axis = 1, int64_t time_axis = 0);
struct OneHotOptions {
  int64_t axis = -1;  ///< where the new axis stands in the result
  double on = 1, off = 0;
  DType dtype = DType::float32;
};
ValueId one_hot(GraphBuilder&, ValueId indices, int64_t depth, const OneHotOptions& = {});
struct TopKOptions {
  int64_t axis = -1;
  bool largest = true, sorted = true;
};
struct TopK {
  ValueId values, indices;
};
TopK top_k(GraphBuilder&, ValueId x, int64_t k, const TopKOptions& = {});
/// A constant start, start + delta, ... before limit (made now, nothing is computed in a step); empty where delta leads
/// away from it.
ValueId range(GraphBuilder&, double start, double limit, double delta, DType dtype);
/// [N, C, H, W] -> [N, C / block^2, H * block, W * block]; mode "DCR" (block, block, channel) or "CRD" (channel, block,
/// block) says how C is read. Views and one copy, which keeps channels last.
ValueId depth_to_space(GraphBuilder&, ValueId x, int64_t block, const std::string& mode = "DCR");
/// [N, C, H, W] -> [N, C * block^2, H / block, W / block], the inverse of "DCR".
ValueId space_to_depth(GraphBuilder&, ValueId x, int64_t block);
/// ONNX Resize (13 and later, without antialiasing); Upsample is coordinates "asymmetric" with nearest_mode "floor".
struct ResizeOptions {
  std::string mode = "nearest";  ///< "nearest", "linear" (along every resized axis), "cubic"
  /// "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize",
  /// "tf_half_pixel_for_nn"
  std::string coordinates = "half_pixel";
  std::string nearest_mode = "round_prefer_floor";  ///< "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
  double cubic_coefficient = -0.75;
  bool exclude_outside = false;     ///< taps beyond the ends count nothing, the others share their weight
  double extrapolation_value = 0;   ///< tf_crop_and_resize: what lies outside of x becomes
  std::vector<double> scales = {};  ///< of the coordinates of each axis; empty: the new extent over the old
  std::vector<double> roi = {};     ///< tf_crop_and_resize: starts of all axes, then ends, as fractions of x
};
/// x with these extents.
ValueId resize(GraphBuilder&, ValueId x, std::vector<int64_t> sizes, const ResizeOptions& = {});
/// x with each extent multiplied by its scale and rounded down.
ValueId resize_by(GraphBuilder&, ValueId x, const std::vector<double>& scales, const ResizeOptions& = {});

/// numpy's einsum, "bij,bjk->bik", with "..." and diagonals: views, sums, products and matrix products, from left to
/// right. Operands need equal dtypes; labels of extent 1 repeat.
ValueId einsum(GraphBuilder&, const std::string& equation, const std::vector<ValueId>& values);

std::span<const Op* const> indexing_ops();

}  // namespace engine::ops
