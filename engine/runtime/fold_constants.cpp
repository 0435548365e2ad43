// SPDX-License-Identifier: Apache-2.0
// Finds the nodes, runs them in a plan of their own, and puts their results in.
#include "engine/runtime/fold_constants.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

constexpr int64_t kMostGrowth = 4, kAlwaysBytes = int64_t{64} << 20;

bool overwrites(const Op& op) {
  return std::ranges::any_of(op.in_place, [](int input) { return input >= 0; });
}

/// Which values and nodes depend on constants alone.
struct Constants {
  std::vector<bool> values, nodes;  ///< nodes: those to compute, without views
  bool any = false;
};

Constants find_constants(const Graph& graph, const FoldOptions& options) {
  Constants found{std::vector<bool>(graph.values().size()), std::vector<bool>(graph.nodes().size()), false};
  int64_t room = kAlwaysBytes;
  for (const Value& value : graph.values()) {
    if (value.kind != ValueKind::constant || !value.data.defined()) continue;
    found.values[value.id] = true;
    room += kMostGrowth * value.type.span_bytes();
  }
  // What is overwritten is no constant, and neither is what shares its bytes: graphs that overwrite are left alone.
  if (std::ranges::any_of(graph.nodes(), [](const Node& node) { return overwrites(*node.op); })) return found;
  for (const Node& node : graph.nodes()) {
    const bool known = !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](ValueId id) {
      return static_cast<bool>(found.values[id]);
    });
    if (!known || (options.keep_dequantized && node.op->name == "dequantize_linear")) continue;
    int64_t bytes = 0;
    for (const ValueId id : node.outputs) bytes += node.op->view != nullptr ? 0 : graph.value(id).type.span_bytes();
    if (bytes > room) continue;
    room -= bytes;
    for (const ValueId id : node.outputs) found.values[id] = true;
    if (node.op->view == nullptr) found.nodes[node.id] = found.any = true;
  }
  return found;
}

/// The values that stay: results of folded nodes that others read.
std::vector<ValueId> results_of(const Graph& graph, const Constants& constants) {
  std::vector<bool> read(graph.values().size());
  for (const ValueId id : graph.outputs()) read[id] = true;
  for (const Node& node : graph.nodes()) {
    if (constants.nodes[node.id]) continue;
    for (const ValueId id : node.inputs) read[id] = true;
  }
  std::vector<ValueId> results;
  for (const Node& node : graph.nodes()) {
    if (!constants.nodes[node.id]) continue;
    for (const ValueId id : node.outputs) {
      if (read[id]) results.push_back(id);
    }
  }
  return results;
}

/// The folded nodes, and the views that they read, as a graph of their own; `results` become its ids.
Result<Graph> graph_apart(const Graph& graph, const Constants& constants, std::vector<ValueId>& results) {
  GraphBuilder builder;
  std::unordered_map<ValueId, ValueId> apart;
  const auto id_of = [&](ValueId id) {
    const auto [entry, is_new] = apart.try_emplace(id, kNoValue);
    if (is_new) entry->second = builder.constant(graph.value(id).name, graph.value(id).data, graph.value(id).role);
    return entry->second;
  };
  std::vector<bool> needed(graph.values().size());
  for (size_t n = graph.nodes().size(); n-- > 0;) {
    const Node& node = graph.nodes()[n];
    const bool view = node.op->view != nullptr && constants.values[node.outputs[0]] && needed[node.outputs[0]];
    if (!constants.nodes[n] && !view) continue;
    for (const ValueId id : node.inputs) needed[id] = true;
  }
  for (const Node& node : graph.nodes()) {
    const bool view = node.op->view != nullptr && constants.values[node.outputs[0]] && needed[node.outputs[0]];
    if (!constants.nodes[node.id] && !view) continue;
    std::vector<ValueId> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(id_of(id));
    builder.set_layer(node.layer);
    const std::vector<ValueId> outputs = builder.append(*node.op, std::move(inputs), node.attributes);
    for (size_t j = 0; j < node.outputs.size(); ++j) apart[node.outputs[j]] = outputs[j];
  }
  for (ValueId& id : results) {
    id = apart[id];
    builder.mark_output(id);
  }
  return builder.finish();
}

/// Weight where a weight is among what it is made of.
std::vector<bool> made_of_weights(const Graph& graph, const Constants& constants) {
  std::vector<bool> learned(graph.values().size());
  for (const Value& value : graph.values())
    learned[value.id] = value.kind == ValueKind::constant && value.role == Role::weight;
  for (const Node& node : graph.nodes()) {
    if (!constants.values[node.outputs[0]]) continue;
    const bool any = std::ranges::any_of(node.inputs, [&](ValueId id) { return static_cast<bool>(learned[id]); });
    for (const ValueId id : node.outputs) learned[id] = any;
  }
  return learned;
}

}  // namespace

Result<FoldedConstants> fold_constants(const Graph& graph, Backend& backend, const FoldOptions& options) {
  const Constants constants = find_constants(graph, options);
  if (!constants.any) return FoldedConstants{graph, 0};
  const std::vector<ValueId> results = results_of(graph, constants);
  std::vector<ValueId> apart = results;
  Result<Graph> small = graph_apart(graph, constants, apart);
  if (!small) return small.error();
  auto plan = Plan::make(std::make_shared<const Graph>(*std::move(small)), backend);
  if (!plan) return plan.error();
  (*plan)->run_step(0, nullptr);
  const std::vector<bool> learned = made_of_weights(graph, constants);
  GraphBuilder builder(graph);
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& made = (*plan)->tensor(apart[i]);
    Result<Tensor> kept = Tensor::empty(graph.value(results[i]).type);
    if (!kept) return kept.error();
    if (Result<void> copied = backend.copy(made, *kept); !copied) return copied.error();
    builder.make_constant(results[i], *std::move(kept), learned[results[i]] ? Role::weight : Role::input);
  }
  FoldedConstants folded;
  std::vector<Node> nodes;
  std::vector<bool> read(graph.values().size());
  for (const ValueId id : graph.outputs()) read[id] = true;
  // Views that only folded nodes read go as well.
  for (size_t n = graph.nodes().size(); n-- > 0;) {
    const Node& node = graph.nodes()[n];
    const bool idle_view = node.op->view != nullptr && constants.values[node.outputs[0]] && !read[node.outputs[0]];
    if (constants.nodes[n]) ++folded.nodes;
    if (constants.nodes[n] || idle_view) continue;
    for (const ValueId id : node.inputs) read[id] = true;
    nodes.push_back(node);
  }
  std::ranges::reverse(nodes);
  builder.replace_nodes(std::move(nodes));
  for (const Value& value : graph.values()) {
    if (value.kind == ValueKind::constant && !read[value.id]) builder.forget(value.id);
  }
  Result<Graph> rest = builder.finish();
  if (!rest) return rest.error();
  folded.graph = *std::move(rest);
  return folded;
}

}  // namespace engine
