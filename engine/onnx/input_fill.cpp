// SPDX-License-Identifier: Apache-2.0
// What stands in inputs of integers when nobody says it: numbers that their use allows.
#include "engine/onnx/input_fill.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

namespace engine::onnx {
namespace {

/// Operators that hand their input's elements on as they are.
constexpr std::array<std::string_view, 7> kHandOn{"Cast",    "Expand",  "Flatten",  "Identity",
                                                  "Reshape", "Squeeze", "Unsqueeze"};

/// The extent of an initializer's axis; nothing when there is no such thing.
int64_t extent_of(const ::onnx::GraphProto& graph, const std::string& name, int64_t axis) {
  for (const ::onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name() != name) continue;
    if (axis < 0) axis += tensor.dims_size();
    return axis >= 0 && axis < tensor.dims_size() ? tensor.dims(static_cast<int>(axis)) : 0;
  }
  return 0;
}

int64_t axis_of(const ::onnx::NodeProto& node) {
  for (const ::onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == "axis") return attribute.i();
  }
  return 0;
}

}  // namespace

Fill integer_fill(const ::onnx::GraphProto& graph, const std::string& input) {
  std::set<std::string> names{input};  // of the same elements
  int64_t highest = std::numeric_limits<int64_t>::max();
  for (const ::onnx::NodeProto& node : graph.node()) {
    const bool hands_on = std::ranges::find(kHandOn, std::string_view(node.op_type())) != kHandOn.end();
    if (hands_on && node.input_size() > 0 && node.output_size() > 0 && names.contains(node.input(0)))
      names.insert(node.output(0));
    const bool picks = node.op_type() == "Gather" || node.op_type() == "GatherElements";
    if (!picks || node.input_size() < 2 || !names.contains(node.input(1))) continue;
    const int64_t extent = extent_of(graph, node.input(0), axis_of(node));
    if (extent > 0) highest = std::min(highest, extent);
  }
  if (highest == std::numeric_limits<int64_t>::max()) return Fill{Fill::Kind::ones, 0, 0};
  return Fill{Fill::Kind::integers, 0, static_cast<double>(highest)};
}

}  // namespace engine::onnx
