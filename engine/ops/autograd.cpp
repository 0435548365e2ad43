// SPDX-License-Identifier: Apache-2.0
// Walks a graph backwards from the loss; each op's gradient function appends its part, gradients
// that meet are added.
#include "engine/ops/autograd.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/ops/ops.h"
#include "engine/ops/phase_scope.h"

namespace engine {
namespace {

/// For each value: whether it is wanted or made from what is wanted, by floating values all the
/// way.
std::vector<bool> values_on_the_way(const Graph& graph, std::span<const ValueId> wanted) {
  std::vector<bool> on_the_way(graph.values().size(), false);
  for (const ValueId id : wanted) on_the_way[id] = true;
  for (const Node& node : graph.nodes()) {
    bool any = false;
    for (const ValueId input : node.inputs) any = any || on_the_way[input];
    if (!any) continue;
    for (const ValueId output : node.outputs) {
      if (is_floating(graph.value(output).type.dtype)) on_the_way[output] = true;
    }
  }
  return on_the_way;
}

/// d(loss)/d(loss) = 1.
ValueId append_seed(GraphBuilder& builder, ValueId loss) {
  const Value& value = builder.graph().value(loss);
  const TensorType type = value.type;
  const std::string gradient_name = value.name + ".grad";
  if (!is_floating(type.dtype) || type.elements() != 1) {
    return builder.fail(usage_error(fmt::format(
        "[differentiate] the loss \"{}\" is {}: it must be one floating-point number", value.name, to_string(type))));
  }
  const double one = 1;
  Result<Tensor> tensor = Tensor::from_values(type.shape, {&one, 1}, type.dtype);
  if (!tensor) return builder.fail(tensor.error());
  return builder.constant(gradient_name, std::move(*tensor), Role::gradient);
}

/// Appends the gradients of one node and adds them to those its inputs have already.
void differentiate_node(GraphBuilder& builder, const Node& node, const std::vector<bool>& on_the_way,
                        std::vector<ValueId>& gradients) {
  std::vector<ValueId> reached;
  bool any_reached = false, any_needed = false;
  for (const ValueId output : node.outputs) {
    reached.push_back(gradients[output]);
    any_reached = any_reached || gradients[output] != kNoValue;
  }
  std::vector<bool> needed;
  for (const ValueId input : node.inputs) {
    needed.push_back(on_the_way[input]);
    any_needed = any_needed || on_the_way[input];
  }
  if (!any_reached || !any_needed) return;
  if (node.op->gradient == nullptr) {
    builder.fail(
        usage_error(fmt::format("[differentiate] op {} in layer \"{}\" has no gradient, but the loss depends on it",
                                node.op->name, node.layer)));
    return;
  }
  builder.set_layer(node.layer);
  GradientContext context(builder, node, std::move(reached), needed);
  node.op->gradient(context);
  if (builder.failed()) return;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId gradient = context.input_gradients()[i];
    if (!needed[i] || gradient == kNoValue) continue;
    const ValueId input = node.inputs[i];
    CHECK(builder.type(gradient).shape == builder.type(input).shape &&
          builder.type(gradient).dtype == builder.type(input).dtype);
    gradients[input] = gradients[input] == kNoValue ? gradient : ops::add(builder, gradients[input], gradient);
  }
}

}  // namespace

std::vector<ValueId> differentiate(GraphBuilder& builder, ValueId loss, std::span<const ValueId> wanted) {
  if (builder.failed()) return std::vector<ValueId>(wanted.size(), kNoValue);
  const PhaseScope scope(builder, Phase::backward);
  return differentiate_along(builder, loss, append_seed(builder, loss), wanted);
}

std::vector<ValueId> differentiate_along(GraphBuilder& builder, ValueId y, ValueId y_gradient,
                                         std::span<const ValueId> wanted) {
  std::vector<ValueId> result(wanted.size(), kNoValue);
  if (builder.failed()) return result;
  CHECK(builder.type(y).shape == builder.type(y_gradient).shape &&
        builder.type(y).dtype == builder.type(y_gradient).dtype);
  const std::vector<bool> on_the_way = values_on_the_way(builder.graph(), wanted);
  std::vector<ValueId> gradients(builder.graph().values().size(), kNoValue);
  const PhaseScope scope(builder, Phase::backward);
  gradients[y] = y_gradient;
  for (size_t i = builder.graph().nodes().size(); i-- > 0 && !builder.failed();) {
    const Node node = builder.graph().node(static_cast<NodeId>(i));  // a copy: the builder's nodes move
    differentiate_node(builder, node, on_the_way, gradients);
  }
  if (builder.failed()) return result;
  for (size_t i = 0; i < wanted.size(); ++i) result[i] = gradients[wanted[i]];
  return result;
}

}  // namespace engine
