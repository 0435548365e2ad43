// SPDX-License-Identifier: Apache-2.0
// to_device: types, cost and gradient.
#include "engine/graph/to_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/autograd.h"

namespace engine {
namespace {

Result<std::vector<TensorType>> infer(std::span<const TensorType> inputs, const Attributes&) {
  if (inputs.size() != 1) return usage_error(fmt::format("[to_device] takes one operand, got {}", inputs.size()));
  return std::vector{TensorType::contiguous(inputs[0].dtype, inputs[0].shape)};
}

/// Reads each distinct byte of x, writes all of y.
Cost cost(const Call& call) { return {0, {call.inputs[0].distinct_bytes()}, {call.outputs[0].distinct_bytes()}}; }

ValueId move(GraphBuilder& builder, ValueId x, const std::string& from, const std::string& to,
             std::string_view reason) {
  Attributes attributes{{"from", from}, {"to", to}};
  if (!reason.empty()) attributes.set("reason", std::string(reason));
  return builder.append1(kToDevice, {x}, std::move(attributes));
}

void gradient(GradientContext& context) {
  if (context.output_gradient(0) == kNoValue || !context.needed(0)) return;
  const Attributes& attributes = context.attributes();
  context.set_input_gradient(0, move(context.builder(), context.output_gradient(0), attributes.get_string("to", ""),
                                     attributes.get_string("from", ""), kGradientReason));
}

}  // namespace

ValueId to_device(GraphBuilder& builder, ValueId x, const std::string& from, const std::string& to) {
  return from == to ? x : move(builder, x, from, to, "");
}

std::vector<std::string> named_devices(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (node.op != &kToDevice) continue;
    for (const char* end : {"from", "to"}) {
      const std::string name = node.attributes.get_string(end, "");
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::vector<int64_t> split_rows(int64_t rows, int64_t parts) {
  CHECK(rows >= 0 && parts >= 1);
  if (rows == 0) return {0};
  const int64_t each = (rows + parts - 1) / parts;
  std::vector<int64_t> sizes;
  for (int64_t at = 0; at < rows; at += each) sizes.push_back(std::min(each, rows - at));
  return sizes;
}

const Op kToDevice{
    .name = "to_device",
    .formula = "y = x, in another device's memory",
    .infer = infer,
    .cost = cost,
    .gradient = gradient,
    .attributes = {AttributeSpec::word("from", ""), AttributeSpec::word("to", ""), AttributeSpec::word("reason", "")}};

}  // namespace engine
