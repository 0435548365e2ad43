// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: infers types, names values, keeps the first error.
#include "engine/graph/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/memory.h"

namespace engine {
namespace {

/// Refuses what could never be placed: a negative extent, or bytes beyond 63 bits.
std::optional<Error> check_size(const std::string& what, const TensorType& type) {
  if (type.strides.size() != type.shape.size()) {
    return usage_error(fmt::format("{}: shape {} has {} axes, its strides have {}", what, to_string(type.shape),
                                   type.shape.size(), type.strides.size()));
  }
  if (std::ranges::any_of(type.shape, [](int64_t extent) { return extent < 0; })) {
    return usage_error(fmt::format("{}: shape {} has a negative extent", what, to_string(type.shape)));
  }
  double bytes = static_cast<double>(size_bytes(type.dtype));
  for (const int64_t extent : type.shape) bytes *= static_cast<double>(extent);
  const bool counted = element_count(type.shape).has_value();
  // span_bytes() is held at 2^63 - 1; a broadcast type may have more elements than bytes.
  if (counted && type.span_bytes() < std::numeric_limits<int64_t>::max()) return std::nullopt;
  return refused_error(
      fmt::format("{}: a {} tensor would need {}, more than 63 bits can address: make the batch or "
                  "the shape smaller",
                  what, to_string(type), format_bytes(bytes)));
}

/// Refuses a node that reads bytes by an old name after an in-place op has overwritten them: it would compute with the
/// new ones.
std::optional<Error> check_overwritten(const Graph& graph) {
  const std::span<const Value> values = graph.values();
  std::vector<ValueId> root(values.size());
  std::iota(root.begin(), root.end(), ValueId{0});
  std::vector<uint32_t> made(values.size(), 0),
      current(values.size(), 0);                           // by value and by root: times overwritten when made, so far
  std::vector<NodeId> overwriter(values.size(), kNoNode);  // by root: the last
  const auto refuse = [&](std::string reader, ValueId id) {
    const Node& writer = graph.node(overwriter[root[id]]);
    return usage_error(
        fmt::format("{} {} after [{}]{}{} has overwritten it in place: use the output of [{}], or read it before",
                    std::move(reader), values[id].name, writer.op->name, writer.layer.empty() ? "" : " in ",
                    writer.layer, writer.op->name));
  };
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.inputs) {
      if (made[id] == current[root[id]]) continue;
      return refuse(fmt::format("{}{}[{}] reads", node.layer, node.layer.empty() ? "" : ": ", node.op->name), id);
    }
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      const bool overwrites = j < node.op->in_place.size() && node.op->in_place[j] >= 0;
      if (!overwrites && node.op->view == nullptr) continue;
      const ValueId shared = root[node.inputs[overwrites ? static_cast<size_t>(node.op->in_place[j]) : 0]],
                    output = node.outputs[j];
      root[output] = shared;
      if (overwrites) {
        ++current[shared];
        overwriter[shared] = node.id;
      }
      made[output] = current[shared];
    }
  }
  for (const ValueId id :
       graph.outputs()) {  // a parameter or state marked as output is read after the step, as it is then
    if (values[id].kind == ValueKind::intermediate && made[id] != current[root[id]])
      return refuse("the graph gives out", id);
  }
  return std::nullopt;
}

}  // namespace

GraphBuilder::GraphBuilder(Graph graph) : graph_(std::move(graph)) {
  for (const Value& value : graph_.values_) names_.emplace(value.name, 1);
}

ValueId GraphBuilder::fail(Error error) {
  if (!error_) error_ = std::move(error);
  return kNoValue;
}

std::string GraphBuilder::in_layer(std::string_view what) const {
  return layer_.empty() ? std::string(what) : fmt::format("{}.{}", layer_, what);
}

std::string GraphBuilder::unique_name(std::string wanted) {
  const auto [found, is_new] = names_.try_emplace(wanted, 1);
  if (is_new) return wanted;
  // Counting on from the last number given keeps thousands of equal names linear.
  uint32_t number = found->second;
  std::string candidate;
  do {
    candidate = fmt::format("{}_{}", wanted, ++number);
  } while (names_.contains(candidate));
  names_[wanted] = number;
  names_.emplace(candidate, 1);
  return candidate;
}

ValueId GraphBuilder::add_value(Value value) {
  CHECK(graph_.values_.size() < kNoValue);
  value.id = static_cast<ValueId>(graph_.values_.size());
  if (executor_ == nullptr || !value.name.empty()) value.name = unique_name(std::move(value.name));
  graph_.values_.push_back(std::move(value));
  return graph_.values_.back().id;
}

ValueId GraphBuilder::add_leaf(std::string name, TensorType type, ValueKind kind, Role role, Fill fill, Tensor data) {
  if (failed()) return kNoValue;
  if (auto error = check_size(name, type)) return fail(std::move(*error));
  CHECK(is_dense(type.shape, type.strides));  // only views have holes
  return settle(add_value({.name = std::move(name),
                           .type = std::move(type),
                           .role = role,
                           .kind = kind,
                           .fill = fill,
                           .data = std::move(data)}));
}

ValueId GraphBuilder::settle(ValueId leaf) {
  if (executor_ == nullptr) return leaf;
  Result<void> given = executor_->leaf(graph_.values_[leaf]);
  return given ? leaf : fail(given.error());
}

ValueId GraphBuilder::operand(TensorType type) {
  if (failed()) return kNoValue;
  if (auto error = check_size("an operand", type)) return fail(std::move(*error));
  return settle(add_value({.type = std::move(type), .kind = ValueKind::input}));
}

ValueId GraphBuilder::input(std::string name, TensorType type, Fill fill, Tensor given) {
  CHECK(!given.defined() || (given.shape() == type.shape && given.dtype() == type.dtype));
  return add_leaf(std::move(name), std::move(type), ValueKind::input, Role::input, fill, std::move(given));
}

void GraphBuilder::give(ValueId leaf, Tensor given) {
  if (failed()) return;
  CHECK(!eager() && leaf < graph_.values_.size());
  Value& value = graph_.values_[leaf];
  CHECK((value.kind != ValueKind::intermediate && value.kind != ValueKind::constant) &&
        given.shape() == value.type.shape && given.dtype() == value.type.dtype);
  value.data = std::move(given);
}

ValueId GraphBuilder::parameter(std::string name, TensorType type, Fill fill) {
  return add_leaf(std::move(name), std::move(type), ValueKind::parameter, Role::weight, fill, {});
}

ValueId GraphBuilder::state(std::string name, TensorType type, Fill fill, Role role) {
  return add_leaf(std::move(name), std::move(type), ValueKind::state, role, fill, {});
}

ValueId GraphBuilder::constant(std::string name, Tensor data, Role role) {
  if (failed()) return kNoValue;
  CHECK(data.defined());
  if (!is_dense(data.shape(), data.strides())) {
    Result<Tensor> copy = data.contiguous();
    if (!copy) return fail(copy.error());
    data = std::move(*copy);
  }
  TensorType type = data.type();
  return add_leaf(std::move(name), std::move(type), ValueKind::constant, role, {}, std::move(data));
}

Result<std::vector<TensorType>> GraphBuilder::infer(const Op& op, const std::vector<ValueId>& inputs,
                                                    const Attributes& attributes) const {
  if (executor_ != nullptr) {
    if (const auto* known = executor_->known_outputs(op, inputs, attributes)) return *known;
  }
  std::vector<TensorType> types;
  types.reserve(inputs.size());
  for (const ValueId id : inputs) types.push_back(graph_.values_[id].type);
  if (op.view != nullptr) {
    CHECK(inputs.size() == 1);
    Result<View> view = op.view(types[0], attributes);
    if (!view) return view.error();
    types[0] = std::move(view->type);
  } else {
    Result<std::vector<TensorType>> inferred = op.infer(types, attributes);
    if (!inferred) return inferred;
    types = std::move(*inferred);
  }
  CHECK(types.size() <= kMaxOutputs);
  for (size_t j = 0; j < types.size(); ++j) {
    if (auto error = check_size(fmt::format("[{}]", op.name), types[j])) return *std::move(error);
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    CHECK(in_place || op.view != nullptr || is_dense(types[j].shape, types[j].strides));
  }
  return types;
}

std::vector<ValueId> GraphBuilder::append(const Op& op, std::vector<ValueId> inputs, Attributes attributes,
                                          std::string output_name) {
  const auto refuse = [&](const Error& error) {
    if (!failed()) {
      fail({error.kind, layer_.empty() ? error.message : fmt::format("{}: {}", layer_, error.message)});
    }
    return std::vector<ValueId>(kMaxOutputs, kNoValue);
  };
  if (failed()) return refuse(*error_);
  for (const ValueId id : inputs) CHECK(id < graph_.values_.size());
  Result<std::vector<TensorType>> types = infer(op, inputs, attributes);
  if (!types) return refuse(types.error());
  std::vector<TensorType>& output_types = *types;

  const auto node_id = static_cast<NodeId>(graph_.nodes_.size());
  Node node{node_id, &op, std::move(attributes), std::move(inputs), {}, layer_, phase_};
  const bool shown = executor_ == nullptr || !output_name.empty();
  const std::string wanted = output_name.empty() && shown ? in_layer(op.name) : std::move(output_name);
  for (size_t j = 0; j < output_types.size(); ++j) {
    Role role = phase_ == Phase::forward ? Role::activation : Role::gradient;
    if (op.view != nullptr) role = graph_.values_[node.inputs[0]].role;
    if (j < op.in_place.size() && op.in_place[j] >= 0) {
      const auto operand = static_cast<size_t>(op.in_place[j]);
      CHECK(operand < node.inputs.size() && output_types[j] == graph_.values_[node.inputs[operand]].type);
      role = graph_.values_[node.inputs[operand]].role;
    }
    node.outputs.push_back(
        add_value({.name = wanted, .type = std::move(output_types[j]), .role = role, .producer = node_id}));
  }
  std::vector<ValueId> outputs = node.outputs;
  graph_.nodes_.push_back(std::move(node));
  if (executor_ != nullptr) {
    if (Result<void> ran = executor_->run(graph_, graph_.nodes_.back()); !ran) return refuse(ran.error());
  }
  return outputs;
}

ValueId GraphBuilder::append1(const Op& op, std::vector<ValueId> inputs, Attributes attributes,
                              std::string output_name) {
  const std::vector<ValueId> outputs = append(op, std::move(inputs), std::move(attributes), std::move(output_name));
  CHECK(failed() || outputs.size() == 1);
  return outputs[0];
}

void GraphBuilder::reorder(std::span<const NodeId> order) {
  if (failed() || eager()) return;
  CHECK(order.size() == graph_.nodes_.size());
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  std::vector<bool> made(graph_.values_.size());
  for (const Value& value : graph_.values_) made[value.id] = value.kind != ValueKind::intermediate;
  for (const NodeId old : order) {
    CHECK(old < graph_.nodes_.size() && graph_.nodes_[old].op != nullptr);
    Node node = std::move(graph_.nodes_[old]);
    graph_.nodes_[old].op = nullptr;  // taken
    node.id = static_cast<NodeId>(nodes.size());
    for (const ValueId id : node.inputs) CHECK(made[id]);
    for (const ValueId id : node.outputs) {
      made[id] = true;
      graph_.values_[id].producer = node.id;
    }
    nodes.push_back(std::move(node));
  }
  graph_.nodes_ = std::move(nodes);
}

void GraphBuilder::replace_nodes(std::vector<Node> nodes) {
  if (failed()) return;
  CHECK(!eager());
  std::vector<bool> made(graph_.values_.size());
  for (Value& value : graph_.values_) {
    made[value.id] = value.kind != ValueKind::intermediate;
    value.producer = kNoNode;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].id = static_cast<NodeId>(i);
    for (const ValueId id : nodes[i].inputs) CHECK(made[id]);
    for (const ValueId id : nodes[i].outputs) {
      CHECK(!made[id]);
      made[id] = true;
      graph_.values_[id].producer = nodes[i].id;
    }
  }
  for (const ValueId id : graph_.outputs_) CHECK(made[id]);
  graph_.nodes_ = std::move(nodes);
}

void GraphBuilder::replace_input(NodeId node, size_t input, ValueId value) {
  if (failed()) return;
  CHECK(!eager() && node < graph_.nodes_.size() && input < graph_.nodes_[node].inputs.size());
  ValueId& read = graph_.nodes_[node].inputs[input];
  CHECK(type(value) == type(read));
  read = value;
}

void GraphBuilder::make_constant(ValueId id, Tensor data, Role role) {
  if (failed()) return;
  CHECK(!eager() && id < graph_.values_.size());
  Value& value = graph_.values_[id];
  CHECK(value.kind == ValueKind::intermediate && data.type() == value.type);
  value.kind = ValueKind::constant;
  value.role = role;
  value.producer = kNoNode;
  value.data = std::move(data);
}

void GraphBuilder::forget(ValueId id) {
  if (failed()) return;
  CHECK(!eager() && id < graph_.values_.size() && graph_.values_[id].kind == ValueKind::constant);
  CHECK(std::ranges::find(graph_.outputs_, id) == graph_.outputs_.end());
  for (const Node& node : graph_.nodes_) CHECK(std::ranges::find(node.inputs, id) == node.inputs.end());
  Value& value = graph_.values_[id];
  value.kind = ValueKind::intermediate;  // without a producer: it has no bytes
  value.producer = kNoNode;
  value.data = {};
}

void GraphBuilder::mark_output(ValueId id) {
  if (failed()) return;
  CHECK(id < graph_.values_.size());
  if (std::ranges::find(graph_.outputs_, id) == graph_.outputs_.end()) graph_.outputs_.push_back(id);
}

void GraphBuilder::set_role(ValueId id, Role role) {
  if (failed()) return;
  CHECK(id < graph_.values_.size());
  graph_.values_[id].role = role;
}

const TensorType& GraphBuilder::type(ValueId id) const {
  CHECK(id < graph_.values_.size());
  return graph_.values_[id].type;
}

Result<Graph> GraphBuilder::finish() {
  if (error_) return *error_;
  if (auto error = check_overwritten(graph_)) return *std::move(error);
  return std::move(graph_);
}

void GraphBuilder::restart() {
  graph_.values_.clear();
  graph_.nodes_.clear();
  graph_.outputs_.clear();
  names_.clear();
  error_.reset();
  layer_.clear();
  phase_ = Phase::forward;
}

LayerScope::LayerScope(GraphBuilder& builder, std::string_view name) : builder_(builder), outer_(builder.layer()) {
  builder_.set_layer(outer_.empty() ? std::string(name) : fmt::format("{}.{}", outer_, name));
}

LayerScope::~LayerScope() { builder_.set_layer(outer_); }

}  // namespace engine
