// SPDX-License-Identifier: Apache-2.0
// What many conversions say: scalars as constants, axes counted from the front, the broadcasting of old opsets.
#include "engine/onnx/convert_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/onnx/tensor_proto.h"
#include "engine/ops/ops.h"

namespace engine::onnx {

ValueId constant_of(NodeContext& node, const Result<Tensor>& tensor) {
  if (node.failed()) return kNoValue;
  if (tensor) return node.builder().constant("constant", *tensor, Role::input);
  node.fail(tensor.error().message);
  return kNoValue;
}

ValueId scalar(NodeContext& node, double value, DType dtype) {
  return constant_of(node, Tensor::from_values({}, std::array{value}, dtype));
}

ValueId filled(NodeContext& node, double value, DType dtype, const Shape& shape) {
  const ValueId one = scalar(node, value, dtype);
  return node.failed() ? kNoValue : ops::expand(node.builder(), one, shape);
}

ValueId repeated_along(NodeContext& node, ValueId x, int64_t axis, int64_t count, int64_t extent) {
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  Shape wide = builder.type(x).shape, whole = wide;
  wide.insert(wide.begin() + axis + 1, count);
  whole[static_cast<size_t>(axis)] *= count;
  const ValueId each = ops::expand(builder, ops::unsqueeze(builder, x, axis + 1), wide);
  return ops::slice(builder, ops::reshape(builder, ops::contiguous(builder, each), whole), axis, 0, extent);
}

std::optional<ValueId> reshaped_from(const GraphBuilder& builder, ValueId x) {
  const Graph& graph = builder.graph();
  const auto made_by = [&](ValueId id, std::string_view op) -> const Node* {
    const NodeId producer = graph.value(id).producer;
    return producer != kNoNode && graph.node(producer).op->name == op ? &graph.node(producer) : nullptr;
  };
  const Node* reshape = made_by(x, "reshape");
  if (reshape == nullptr) return std::nullopt;
  const Node* copy = made_by(reshape->inputs[0], "contiguous");
  return copy == nullptr ? reshape->inputs[0] : copy->inputs[0];
}

Result<Tensor> integers_tensor(const std::vector<int64_t>& values, Shape shape) {
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(DType::int64, std::move(shape)));
  if (tensor) std::ranges::copy(values, tensor->data_as<int64_t>());
  return tensor;
}

ValueId vector_of(NodeContext& node, const std::vector<int64_t>& values) {
  return constant_of(node, integers_tensor(values, {static_cast<int64_t>(values.size())}));
}

int64_t front_axis(NodeContext& node, int64_t axis, int64_t rank, std::string_view what) {
  if (axis < -rank || axis >= rank) {
    node.fail(fmt::format("{}: {} is not one of {} axes", what, axis, rank));
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

int64_t read_axis(NodeContext& node, std::string_view name, int64_t fallback, int64_t rank) {
  const int64_t axis = node.integer(name, fallback, kLowestInt, kHighestInt);
  return node.failed() ? 0 : front_axis(node, axis, rank, fmt::format("attribute {}", name));
}

std::vector<int64_t> read_axes(NodeContext& node, int64_t rank, size_t input) {
  std::vector<int64_t> axes = node.integers("axes", {}, -kLargestRank, kLargestRank - 1);
  if (node.has_input(input)) axes = node.constant_integers(input, "axes");
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank) node.fail(fmt::format("axis {} is not one of {} axes", axis, rank));
    if (axis < 0) axis += rank;
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) node.fail("axes: one is named twice");
  return axes;
}

void ignore_old(NodeContext& node) {
  if (node.opset() < 7) node.ignore("consumed_inputs");
}

Pair broadcast_inputs(NodeContext& node, size_t i, size_t j) {
  ignore_old(node);
  Pair pair{node.input(i), node.input(j)};
  if (node.opset() >= 7) return pair;
  node.ignore("broadcast");  // what it allowed is the rule here
  if (node.failed() || !node.has_attribute("axis")) return pair;
  GraphBuilder& builder = node.builder();
  const int64_t rank = builder.type(pair.a).rank();
  const int64_t axis = read_axis(node, "axis", 0, std::max<int64_t>(rank, 1));
  const int64_t behind = rank - axis - builder.type(pair.b).rank();
  if (node.failed() || behind < 0) {
    node.fail(fmt::format("attribute axis: {} leaves no room for the axes of input {}", axis, j));
    return pair;
  }
  for (int64_t k = 0; k < behind; ++k) pair.b = ops::unsqueeze(builder, pair.b, builder.type(pair.b).rank());
  return pair;
}

}  // namespace engine::onnx
