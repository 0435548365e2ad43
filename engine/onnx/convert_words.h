// SPDX-License-Identifier: Apache-2.0
// What many conversions say: scalars as constants, axes counted from the front, the broadcasting of old opsets.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/onnx/node_context.h"

namespace engine::onnx {

/// The range of INT attributes that may be anything.
inline constexpr int64_t kLowestInt = INT64_MIN, kHighestInt = INT64_MAX;

/// A constant of one value.
ValueId scalar(NodeContext& node, double value, DType dtype);
/// A constant with these elements.
ValueId vector_of(NodeContext& node, const std::vector<int64_t>& values);
/// A constant of the bytes there; fails when memory does not suffice.
ValueId constant_of(NodeContext& node, const Result<Tensor>& tensor);
/// A tensor that one value fills, without bytes of its own (one element, expanded).
ValueId filled(NodeContext& node, double value, DType dtype, const Shape& shape);
/// Each element `count` times along the axis, of which `extent` stay: what blocks of that many elements share.
ValueId repeated_along(NodeContext& node, ValueId x, int64_t axis, int64_t count, int64_t extent);
/// What this value shows in another shape, past the copy that made it row-major. None: it is no reshape. Nothing
/// overwrites a tensor of an imported graph, so the copy holds what its source does.
std::optional<ValueId> reshaped_from(const GraphBuilder&, ValueId x);
/// An i64 tensor.
Result<Tensor> integers_tensor(const std::vector<int64_t>& values, Shape shape);

/// `axis` counted from the front; fails when it is none of `rank` axes.
int64_t front_axis(NodeContext& node, int64_t axis, int64_t rank, std::string_view what);
/// The attribute of that name, counted from the front of `rank` axes.
int64_t read_axis(NodeContext& node, std::string_view name, int64_t fallback, int64_t rank);
/// Axes from the attribute (older opsets) or from input `input`, counted from the front, in rising order, each once.
std::vector<int64_t> read_axes(NodeContext& node, int64_t rank, size_t input = 1);

/// Inputs i and j for an operator that broadcasts. Before opset 7 the second one's axes stood at attribute `axis` of
/// the first.
struct Pair {
  ValueId a = kNoValue, b = kNoValue;
};
Pair broadcast_inputs(NodeContext& node, size_t i = 0, size_t j = 1);
/// Attributes of opsets before 7 that only say how an output may lie in memory.
void ignore_old(NodeContext& node);

}  // namespace engine::onnx
