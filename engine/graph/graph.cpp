// SPDX-License-Identifier: Apache-2.0
// Graph: look-ups and sums over nodes and values.
#include "engine/graph/graph.h"

#include <algorithm>
#include <array>

#include "engine/graph/fused.h"

namespace engine {
namespace {

constexpr std::array<std::string_view, kRoleCount> kRoleNames{"input",    "weight",          "activation",
                                                              "gradient", "optimizer_state", "workspace"};

/// Learned numbers: parameters, and the weights of a model file (which come as constants, quantised ones as integers).
bool is_learned(const Value& value) {
  if (value.kind == ValueKind::parameter) return true;
  return value.kind == ValueKind::constant && value.role == Role::weight;
}

/// The value that owns the bytes a view shows; any other value is its own.
ValueId viewed_value(const Graph& graph, ValueId id) {
  while (true) {
    const NodeId producer = graph.value(id).producer;
    if (producer == kNoNode || graph.node(producer).op->view == nullptr) return id;
    id = graph.node(producer).inputs[0];
  }
}

/// Operands of matrix products and convolutions: those of the node, or of members of a fused one.
std::vector<ValueId> matrix_operands(const Node& node) {
  if (node.op->matrix_product) return node.inputs;
  std::vector<ValueId> operands;
  if (node.op->program == nullptr) return operands;
  for (const FusedMember& member : node.op->program(node.attributes).members) {
    if (!member.op->matrix_product) continue;
    for (const int operand : member.operands) {
      if (operand >= 0) operands.push_back(node.inputs[static_cast<size_t>(operand)]);
    }
  }
  return operands;
}

/// FLOPs of the matrix products and convolutions inside a fused op.
double matrix_flops_inside(const Graph& graph, const Node& node) {
  if (node.op->program == nullptr) return 0;
  const FusedProgram program = node.op->program(node.attributes);
  const std::vector<Cost> costs = member_costs(program, graph.input_types(node));
  double total = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (program.members[i].op->matrix_product) total += costs[i].flops;
  }
  return total;
}

/// The value behind views and casts: the weight kept in a wider type than it is multiplied in.
ValueId cast_value(const Graph& graph, ValueId id) {
  while (true) {
    id = viewed_value(graph, id);
    const NodeId producer = graph.value(id).producer;
    if (producer == kNoNode || graph.node(producer).op->name != "cast") return id;
    id = graph.node(producer).inputs[0];
  }
}

}  // namespace

std::string_view name(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

std::optional<Role> parse_role(std::string_view text) {
  const auto found = std::ranges::find(kRoleNames, text);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<Role>(found - kRoleNames.begin());
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::forward: return "forward";
    case Phase::backward: return "backward";
    case Phase::update: return "update";
  }
  return "unknown";
}

std::optional<ValueId> Graph::find(std::string_view value_name) const {
  const auto found = std::ranges::find(values_, value_name, &Value::name);
  if (found == values_.end()) return std::nullopt;
  return found->id;
}

std::vector<TensorType> Graph::input_types(const Node& node) const {
  std::vector<TensorType> types;
  types.reserve(node.inputs.size());
  for (const ValueId id : node.inputs) types.push_back(values_[id].type);
  return types;
}

std::vector<TensorType> Graph::output_types(const Node& node) const {
  std::vector<TensorType> types;
  types.reserve(node.outputs.size());
  for (const ValueId id : node.outputs) types.push_back(values_[id].type);
  return types;
}

Cost Graph::cost(const Node& node) const {
  if (node.op->view != nullptr) {
    return {0, std::vector<int64_t>(node.inputs.size(), 0), std::vector<int64_t>(node.outputs.size(), 0)};
  }
  const std::vector<TensorType> inputs = input_types(node), outputs = output_types(node);
  Cost cost = node.op->cost({node.attributes, inputs, outputs});
  // Operands that are views of one value share its bytes: x * x reads x once.
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const ValueId viewed = viewed_value(*this, node.inputs[i]);
    int64_t left = values_[viewed].type.distinct_bytes();
    for (size_t j = 0; j < i; ++j) {
      if (viewed_value(*this, node.inputs[j]) == viewed) left -= cost.read_bytes[j];
    }
    cost.read_bytes[i] = std::min(cost.read_bytes[i], std::max<int64_t>(left, 0));
  }
  return cost;
}

int64_t Graph::parameter_count() const {
  int64_t count = 0;
  for (const Value& value : values_) {
    if (is_learned(value)) count += value.type.elements();
  }
  return count;
}

int64_t Graph::matrix_weight_count() const {
  std::vector<bool> multiplied(values_.size(), false);
  for (const Node& node : nodes_) {
    if (node.phase != Phase::forward) continue;
    for (const ValueId id : matrix_operands(node)) multiplied[cast_value(*this, id)] = true;
  }
  int64_t count = 0;
  for (const Value& value : values_) {
    // Rank 1 is a bias, which is added.
    if (multiplied[value.id] && is_learned(value) && value.type.rank() > 1) count += value.type.elements();
  }
  return count;
}

double Graph::flops(std::optional<Phase> phase, bool matrix_only) const {
  double total = 0;
  for (const Node& node : nodes_) {
    if (phase && node.phase != *phase) continue;
    total += matrix_only && !node.op->matrix_product ? matrix_flops_inside(*this, node) : cost(node).flops;
  }
  return total;
}

}  // namespace engine
