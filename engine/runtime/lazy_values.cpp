// SPDX-License-Identifier: Apache-2.0
// Finds the nodes that a value needs and are not computed yet, and runs them in order.
#include "engine/runtime/lazy_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/runtime/plan.h"

namespace engine {

Result<void> LazyValues::start(const Value& leaf) {
  Result<std::shared_ptr<Storage>> storage = backend_.allocate(leaf.type.span_bytes());
  if (!storage) return storage.error();
  tensors_[leaf.id] = Tensor(std::move(*storage), leaf.type);
  unchanging_[leaf.id] = leaf.kind == ValueKind::constant || leaf.kind == ValueKind::parameter;
  const auto given = given_.find(leaf.name);
  if (given != given_.end() && leaf.kind == ValueKind::input) return backend_.copy(given->second, tensors_[leaf.id]);
  return start_leaf(leaf, backend_, tensors_[leaf.id], seed_);
}

Result<void> LazyValues::compute(const Graph& graph, const Node& node) {
  if (node.op->view != nullptr) {
    const Tensor& viewed = tensors_[node.inputs[0]];
    const Result<View> view = node.op->view(viewed.type(), node.attributes);
    if (!view) return view.error();
    tensors_[node.outputs[0]] = Tensor(viewed.storage(), view->type, viewed.offset_elements() + view->offset_elements);
    unchanging_[node.outputs[0]] = unchanging_[node.inputs[0]];
    return {};
  }
  if (std::ranges::any_of(node.op->in_place, [](int input) { return input >= 0; }))
    return refused_error(fmt::format("[{}] overwrites an operand: its result is known in a step alone", node.op->name));
  const std::vector<TensorType> inputs = graph.input_types(node), outputs = graph.output_types(node);
  const int64_t wanted = backend_.workspace_bytes(node, {node.attributes, inputs, outputs});
  if (wanted > workspace_bytes_) {
    Result<std::shared_ptr<Storage>> storage = backend_.allocate(wanted);
    if (!storage) return storage.error();
    workspace_ = std::move(*storage);
    workspace_bytes_ = wanted;
  }
  PrepareRequest request{
      node, {&node.attributes, {}, {}}, workspace_ ? workspace_->data() : nullptr, {}, workspace_bytes_};
  for (const ValueId id : node.inputs) {
    request.arguments.inputs.push_back(tensors_[id]);
    request.inputs_constant.push_back(unchanging_[id]);
  }
  for (const ValueId id : node.outputs) {
    const TensorType& type = graph.value(id).type;
    Result<std::shared_ptr<Storage>> storage = backend_.allocate(type.span_bytes());
    if (!storage) return storage.error();
    tensors_[id] = Tensor(std::move(*storage), type);
    request.arguments.outputs.push_back(tensors_[id]);
  }
  Result<std::unique_ptr<PreparedOp>> op = backend_.prepare(request);
  if (!op) return op.error();
  (*op)->run();
  backend_.synchronize();
  return {};
}

Result<void> LazyValues::run(const Graph& graph, const Node& node) {
  for (const ValueId id : node.inputs) {
    if (tensors_[id].defined()) continue;
    const Value& leaf = graph.value(id);
    CHECK(leaf.kind != ValueKind::intermediate);
    if (Result<void> started = start(leaf); !started)
      return Error{started.error().kind, fmt::format("{}: {}", leaf.name, started.error().message)};
  }
  Result<void> ran = compute(graph, node);
  if (ran || node.layer.empty()) return ran;
  return Error{ran.error().kind, fmt::format("{}: {}", node.layer, ran.error().message)};
}

Result<Tensor> LazyValues::value(const Graph& graph, ValueId id) {
  tensors_.resize(graph.values().size());
  unchanging_.resize(graph.values().size());
  std::vector<NodeId> needed;
  std::vector<bool> seen(graph.nodes().size());
  const auto need = [&](ValueId of) {
    const NodeId producer = graph.value(of).producer;
    if (tensors_[of].defined() || producer == kNoNode || seen[producer]) return;
    seen[producer] = true;
    needed.push_back(producer);
  };
  need(id);
  for (size_t i = 0; i < needed.size(); ++i) {
    for (const ValueId input : graph.node(needed[i]).inputs) need(input);
  }
  std::ranges::sort(needed);
  for (const NodeId node : needed) {
    if (Result<void> ran = run(graph, graph.node(node)); !ran) return ran.error();
  }
  if (!tensors_[id].defined()) {
    if (Result<void> started = start(graph.value(id)); !started) return started.error();
  }
  return tensors_[id].contiguous();
}

}  // namespace engine
