// SPDX-License-Identifier: Apache-2.0
// Reductions, and what is computed along one axis.
#include <fmt/format.h>

#include <numeric>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

/// Up to opset 12 the axes from `axis` on are taken together; from 13 on the axis stands alone.
void along_axis(NodeContext& node, AxisOp op) {
  const bool together = node.opset() < 13;
  const TensorType type = node.input_type(0);
  const int64_t rank = type.rank();
  if (!node.failed() && rank == 0) node.fail("input 0 is a scalar");
  int64_t axis = node.integer("axis", together ? 1 : -1, -rank, together ? rank : rank - 1);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (axis < 0) axis += rank;
  if (!together || axis == rank - 1) return node.set_output(op(node.builder(), x, axis));
  const Shape flat = flat_shape(node, type.shape, axis);
  if (node.failed()) return;
  const ValueId y = op(node.builder(), ops::reshape(node.builder(), x, flat), 1);
  if (!node.failed()) node.set_output(ops::reshape(node.builder(), y, type.shape));
}

}  // namespace

void convert_reduction(NodeContext& node, ReduceOp op) {
  const bool keep = node.flag("keepdims", true);
  const bool nothing_if_empty = node.flag("noop_with_empty_axes", false);
  const TensorType type = node.input_type(0);
  std::vector<int64_t> axes = read_axes(node, type.rank());
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (axes.empty() && nothing_if_empty) return node.set_output(ops::copy(node.builder(), x));
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(type.rank()));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  node.set_output(op(node.builder(), x, std::move(axes), keep));
}

void convert_arg(NodeContext& node, ArgOp op) {
  const bool keep = node.flag("keepdims", true), last = node.flag("select_last_index", false);
  const int64_t axis = read_axis(node, "axis", 0, node.input_type(0).rank());
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(op(node.builder(), x, axis, keep, last));
}

void convert_softmax(NodeContext& node) { along_axis(node, ops::softmax); }
void convert_log_softmax(NodeContext& node) { along_axis(node, ops::log_softmax); }
void convert_hardmax(NodeContext& node) { along_axis(node, ops::hardmax); }

void convert_cum_sum(NodeContext& node) {
  const bool exclusive = node.flag("exclusive", false), reverse = node.flag("reverse", false);
  const int64_t rank = node.input_type(0).rank(),
                axis = front_axis(node, node.constant_integer(1, "axis"), rank, "input 1 (axis)");
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::cumulative_sum(node.builder(), x, axis, exclusive, reverse));
}

/// Products of 1, 2, 4, .. neighbours: each pass multiplies by what lies that far before. Where products of neighbours
/// leave the range of the type and come back, the result is not that of one after the other.
void convert_cum_prod(NodeContext& node) {
  const bool exclusive = node.flag("exclusive", false), reverse = node.flag("reverse", false);
  const TensorType type = node.input_type(0);
  const int64_t axis = front_axis(node, node.constant_integer(1, "axis"), type.rank(), "input 1 (axis)");
  ValueId y = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const int64_t extent = type.shape[static_cast<size_t>(axis)];
  const auto moved = [&](ValueId x, int64_t distance) {
    std::vector<int64_t> ahead(type.shape.size(), 0), behind = ahead;
    ahead[static_cast<size_t>(axis)] = distance, behind[static_cast<size_t>(axis)] = -distance;
    return reverse ? ops::pad(builder, x, behind, ahead, {.mode = "constant", .value = 1})
                   : ops::pad(builder, x, ahead, behind, {.mode = "constant", .value = 1});
  };
  if (exclusive && extent > 0) y = moved(y, 1);
  for (int64_t distance = 1; distance < extent; distance *= 2) y = ops::multiply(builder, y, moved(y, distance));
  if (!node.failed()) node.set_output(extent > 1 || exclusive ? y : ops::copy(builder, y));
}

/// (x - mean) / standard deviation over the axes, which are batch and image unless said otherwise.
void convert_mean_variance_normalization(NodeContext& node) {
  const std::vector<int64_t> axes = node.integers("axes", {0, 2, 3}, -kLargestRank, kLargestRank - 1);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const ValueId centred = ops::subtract(builder, x, ops::mean(builder, x, axes, true));
  const ValueId variance = ops::mean(builder, ops::multiply(builder, centred, centred), axes, true);
  if (node.failed()) return;
  node.set_output(ops::divide(builder, centred, ops::scale(builder, ops::sqrt(builder, variance), 1, 1e-9)));
}

/// x / its norm along an axis; 0 where the norm is 0.
void convert_lp_normalization(NodeContext& node) {
  const int64_t axis = read_axis(node, "axis", -1, node.input_type(0).rank());
  const int64_t p = node.integer("p", 2, 1, 2);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const ValueId norm = (p == 1 ? ops::l1_norm : ops::l2_norm)(builder, x, {axis}, true);
  if (node.failed()) return;
  const ValueId zero = scalar(node, 0, builder.type(x).dtype), one = scalar(node, 1, builder.type(x).dtype);
  node.set_output(ops::divide(builder, x, ops::where(builder, ops::equal(builder, norm, zero), one, norm)));
}

}  // namespace engine::onnx
