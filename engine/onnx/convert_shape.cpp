// SPDX-License-Identifier: Apache-2.0
// Operators that only change how a tensor is looked at.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// A model made for one batch size often has it in the targets of its reshapes: they follow
/// ImportOptions.batch.
void follow_batch(NodeContext& node, const Shape& from, Shape& target) {
  const std::optional<int64_t> old = node.replaced_batch();
  if (!old || *old == node.batch() || target.empty() || target[0] != *old) return;
  const bool infers = std::ranges::find(target, -1) != target.end();
  if (!infers && element_count(target) == element_count(from)) return;
  target[0] = node.batch();
  node.note(fmt::format("the reshape to {} follows the new batch size", to_string(target)));
}

}  // namespace

Shape flat_shape(NodeContext& node, const Shape& shape, int64_t axis) {
  const auto middle = shape.begin() + axis;
  const std::optional<int64_t> rows = element_count(Shape(shape.begin(), middle));
  const std::optional<int64_t> columns = element_count(Shape(middle, shape.end()));
  // An extent of 0 on one side hides what overflows on the other.
  if (!rows || !columns) node.fail(fmt::format("input 0: {} cannot be flattened in 63 bits", to_string(shape)));
  return {rows.value_or(0), columns.value_or(0)};
}

void convert_reshape(NodeContext& node) {
  const bool zero_is_zero = node.flag("allowzero", false);
  Shape target = node.constant_integers(1, "shape");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const Shape from = node.builder().type(x).shape;
  for (size_t axis = 0; axis < target.size(); ++axis) {
    if (target[axis] != 0 || zero_is_zero) continue;
    if (axis >= from.size())
      return node.fail(fmt::format("shape: 0 at axis {} has no counterpart in {}", axis, to_string(from)));
    target[axis] = from[axis];
  }
  follow_batch(node, from, target);
  if (const std::optional<ValueId> before = reshaped_from(node.builder(), x)) {
    const TensorType& type = node.builder().type(*before);
    const Result<View> again = view_reshape(TensorType::contiguous(type.dtype, from), target);
    if (again && again->type.shape == type.shape) {
      node.leave_out_unread(x);
      return node.set_output(*before);
    }
  }
  node.set_output(ops::reshape(node.builder(), x, std::move(target)));
}

void convert_flatten(NodeContext& node) {
  const TensorType type = node.input_type(0);
  const int64_t rank = type.rank();
  int64_t axis = node.integer("axis", 1, -rank, rank);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (axis < 0) axis += rank;
  if (axis > rank) return node.fail(fmt::format("attribute axis: {} is not between 0 and {}", axis, rank));
  const Shape flat = flat_shape(node, type.shape, axis);
  if (!node.failed()) node.set_output(ops::reshape(node.builder(), x, flat));
}

void convert_transpose(NodeContext& node) {
  const int64_t rank = node.input_type(0).rank();
  std::vector<int64_t> reversed(static_cast<size_t>(rank));
  std::iota(reversed.rbegin(), reversed.rend(), int64_t{0});
  std::vector<int64_t> axes = node.integers("perm", reversed, 0, std::max<int64_t>(rank - 1, 0));
  const ValueId x = node.input(0);
  if (node.failed()) return;
  std::vector<int64_t> sorted = axes;
  std::ranges::sort(sorted);
  std::ranges::reverse(reversed);
  if (sorted != reversed) return node.fail(fmt::format("attribute perm: is no order of {} axes", rank));
  node.set_output(ops::permute(node.builder(), x, std::move(axes)));
}

void convert_squeeze(NodeContext& node) {
  const TensorType type = node.input_type(0);
  std::vector<int64_t> axes = read_axes(node, type.rank());
  ValueId x = node.input(0);
  if (node.failed()) return;
  if (!node.has_attribute("axes") && !node.has_input(1)) {
    for (int64_t axis = 0; axis < type.rank(); ++axis) {
      if (type.shape[static_cast<size_t>(axis)] == 1) axes.push_back(axis);
    }
  }
  std::ranges::reverse(axes);  // from the back, so that the axes before keep their numbers
  for (const int64_t axis : axes) x = ops::squeeze(node.builder(), x, axis);
  node.set_output(x);
}

void convert_unsqueeze(NodeContext& node) {
  const int64_t added = node.has_input(1)
                            ? static_cast<int64_t>(node.constant_integers(1, "axes").size())
                            : static_cast<int64_t>(node.integers("axes", {}, kLowestInt, kHighestInt).size());
  const int64_t rank = node.input_type(0).rank() + added;
  if (rank > kLargestRank)
    node.fail(fmt::format("axes: the result has {} axes, at most {} are supported", rank, kLargestRank));
  const std::vector<int64_t> axes = read_axes(node, rank);
  ValueId x = node.input(0);
  if (node.failed()) return;
  for (const int64_t axis : axes) x = ops::unsqueeze(node.builder(), x, axis);
  node.set_output(x);
}

void convert_slice(NodeContext& node) {
  std::vector<int64_t> starts, ends, axes, steps;
  if (node.opset() < 10) {
    starts = node.integers("starts", {}, kLowestInt, kHighestInt);
    ends = node.integers("ends", {}, kLowestInt, kHighestInt);
    axes = node.integers("axes", {}, kLowestInt, kHighestInt);
  } else {
    starts = node.constant_integers(1, "starts");
    ends = node.constant_integers(2, "ends");
    if (node.has_input(3)) axes = node.constant_integers(3, "axes");
    if (node.has_input(4)) steps = node.constant_integers(4, "steps");
  }
  ValueId x = node.input(0);
  if (node.failed()) return;
  const size_t count = starts.size();
  if (axes.empty()) {
    axes.resize(count);
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  if (steps.empty()) steps.assign(count, 1);
  if (ends.size() != count || axes.size() != count || steps.size() != count) {
    return node.fail(fmt::format("starts, ends, axes and steps have {}, {}, {} and {} entries; they must have as many",
                                 count, ends.size(), axes.size(), steps.size()));
  }
  for (size_t i = 0; i < count && !node.failed(); ++i) {
    const int64_t axis = front_axis(node, axes[i], node.builder().type(x).rank(), "axes");
    if (node.failed()) return;
    const int64_t extent = node.builder().type(x).shape[static_cast<size_t>(axis)];
    // ONNX moves a start before the first element onto it, where a step backwards would begin outside.
    const int64_t start = steps[i] < 0 && starts[i] < -extent && extent > 0 ? 0 : starts[i];
    x = ops::slice(node.builder(), x, axis, start, ends[i], steps[i]);
  }
  if (!node.failed()) node.set_output(x);
}

void convert_expand(NodeContext& node) {
  const Shape wanted = node.constant_integers(1, "shape");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  Result<Shape> shape = broadcast_shapes(node.builder().type(x).shape, wanted);
  if (!shape) return node.fail(shape.error().message);
  node.set_output(ops::expand(node.builder(), x, std::move(*shape)));
}

}  // namespace engine::onnx
