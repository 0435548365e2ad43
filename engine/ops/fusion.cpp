// SPDX-License-Identifier: Apache-2.0
// Which nodes become one: groups grown from their last node backwards, then an order in which nothing is overwritten
// too early.
#include "engine/ops/fusion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "engine/base/check.h"
#include "engine/graph/builder.h"
#include "engine/ops/fused.h"
#include "engine/ops/fusion_limits.h"
#include "engine/ops/quantized_fusion.h"

namespace engine {
namespace {

/// Batch norm with given statistics, which a convolution before it takes along.
bool normalizes(const Node& norm, const Node& convolution) {
  const bool is_convolution = convolution.op->name == "conv2d" || convolution.op->name == "conv3d";
  return is_convolution && norm.op->name == "batch_norm_inference" && norm.inputs[0] == convolution.outputs[0];
}

bool has_epilogue(FusionPart part) { return part == FusionPart::product || part == FusionPart::normalization; }

/// Groups of a graph. A group is named by its last node; a node alone is a group of one.
class Grouping {
 public:
  explicit Grouping(const Graph& graph);

  const std::vector<NodeId>& group_of() const { return group_; }
  /// Groups in an order in which they can run; empty: there is none.
  std::vector<NodeId> order();
  /// Takes the groups apart that stand in the way of an order.
  void take_apart_conflicts();
  FusionOutcome outcome(ValueId value, const Node& consumer) const;

 private:
  FusionPart part(NodeId id) const { return parts_[id]; }
  void find_readers();
  /// Whether the pair could be joined, apart from group limits.
  FusionOutcome check_pair(ValueId value, const Node& consumer) const;
  FusionOutcome check_readers(ValueId value, const Node& producer) const;
  void join(const Node& producer);
  bool fits(const Node& producer, NodeId group) const;
  std::vector<std::set<NodeId>> dependencies() const;

  const Graph& graph_;
  std::vector<FusionPart> parts_;              // by node
  std::vector<ValueId> roots_;                 // by value: whose bytes these are
  std::vector<ValueId> shown_;                 // by value: what it is a view of
  std::vector<bool> viewed_;                   // by value: there are views of it
  std::vector<std::vector<NodeId>> readers_;   // by value: nodes other than views that read it or a view of it
  std::vector<NodeId> group_;                  // by node
  std::vector<std::vector<NodeId>> members_;   // by group, descending
  std::vector<bool> output_;                   // by value: it or a view of it is a result
  std::vector<bool> conflicting_, too_large_;  // by node: could not stay in, or join, a group
  std::vector<NodeId> unordered_;              // groups that order() could not place
};

Grouping::Grouping(const Graph& graph)
    : graph_(graph),
      roots_(graph.values().size()),
      shown_(graph.values().size()),
      viewed_(graph.values().size(), false),
      readers_(graph.values().size()),
      members_(graph.nodes().size()),
      output_(graph.values().size(), false),
      conflicting_(graph.nodes().size(), false),
      too_large_(graph.nodes().size(), false) {
  for (const Node& node : graph.nodes()) {
    parts_.push_back(fusion_part(*node.op));
    group_.push_back(node.id);
    members_[node.id] = {node.id};
  }
  find_readers();
  for (size_t i = graph.nodes().size(); i-- > 0;) join(graph.node(static_cast<NodeId>(i)));
}

void Grouping::find_readers() {
  for (const Value& value : graph_.values()) roots_[value.id] = shown_[value.id] = value.id;
  for (const Node& node : graph_.nodes()) {
    for (const ValueId id : node.inputs) {
      std::vector<NodeId>& readers = readers_[roots_[id]];
      if (node.op->view == nullptr && (readers.empty() || readers.back() != node.id)) readers.push_back(node.id);
    }
    if (node.op->view != nullptr) {
      roots_[node.outputs[0]] = roots_[node.inputs[0]];
      shown_[node.outputs[0]] = shown_[node.inputs[0]];
      viewed_[shown_[node.inputs[0]]] = true;
    }
    for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
      if (node.op->in_place[j] >= 0)
        roots_[node.outputs[j]] = roots_[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
    }
  }
  for (const ValueId id : graph_.outputs()) output_[roots_[id]] = true;
}

/// Why others than one group read `value`, a root; `fused` when they do not matter. A normalisation overwrites what it
/// normalises: it must be the only reader.
FusionOutcome Grouping::check_readers(ValueId value, const Node& producer) const {
  if (output_[value]) return FusionOutcome::graph_output;
  const bool forward = producer.phase == Phase::forward;
  for (const NodeId reader : readers_[value]) {
    if (forward && graph_.node(reader).phase == Phase::backward) return FusionOutcome::kept_for_backward;
  }
  for (const NodeId reader : readers_[value]) {
    if (group_[reader] != group_[readers_[value].front()]) return FusionOutcome::second_consumer;
    if (readers_[value].size() > 1 && part(reader) == FusionPart::normalization) return FusionOutcome::second_consumer;
  }
  return FusionOutcome::fused;
}

FusionOutcome Grouping::check_pair(ValueId value, const Node& consumer) const {
  switch (part(consumer.id)) {
    case FusionPart::product:
    case FusionPart::library_call: return FusionOutcome::library_call;
    case FusionPart::reduction: return FusionOutcome::reduction;
    case FusionPart::update: return FusionOutcome::update;
    case FusionPart::view:
    case FusionPart::none: return FusionOutcome::no_kernel;
    case FusionPart::normalization:
    case FusionPart::elementwise: break;
  }
  const Value& root = graph_.value(shown_[value]);
  const Node& producer = graph_.node(root.producer);
  if (part(consumer.id) == FusionPart::normalization && !normalizes(consumer, producer))
    return FusionOutcome::reduction;
  const FusionPart made_by = part(producer.id);
  if (made_by == FusionPart::reduction) return FusionOutcome::reduction;
  if (made_by == FusionPart::update) return FusionOutcome::update;
  if (made_by != FusionPart::elementwise && !has_epilogue(made_by)) return FusionOutcome::no_kernel;
  if (producer.phase != consumer.phase)
    return consumer.phase == Phase::backward ? FusionOutcome::kept_for_backward : FusionOutcome::other_phase;
  const TensorType& type = root.type;
  const TensorType& result = graph_.value(consumer.outputs[0]).type;
  if (root.id != value || type.shape != result.shape) return FusionOutcome::layout;
  if (producer.outputs[0] != root.id) return FusionOutcome::reduction;  // statistics beside the output
  if (!ops::fusable_dtype(type.dtype) || !ops::fusable_dtype(result.dtype)) return FusionOutcome::no_kernel;
  return FusionOutcome::fused;
}

/// Whether `producer` can be added to a group: operands, members, one library call that writes in the layout of the
/// result.
bool Grouping::fits(const Node& producer, NodeId group) const {
  std::vector<NodeId> nodes = members_[group];
  nodes.push_back(producer.id);
  std::set<ValueId> made, read;
  size_t outputs = 0, members = 0;
  std::vector<NodeId> calls;
  for (const NodeId id : nodes) {
    const Node& node = graph_.node(id);
    for (const ValueId value : node.outputs) made.insert(value);
    members += node.op->program != nullptr ? ops::kMostFusedMembers : 1;  // a fused op is complete
    if (has_epilogue(part(id))) {
      calls.push_back(id);
      outputs += node.outputs.size() - 1;
      if (graph_.value(node.outputs[0]).type != graph_.value(graph_.node(group).outputs[0]).type) return false;
      continue;  // its operands are its own kernel's business
    }
    for (const ValueId value : node.inputs) {
      if (!ops::fusable_dtype(graph_.value(value).type.dtype)) return false;
      read.insert(value);
    }
  }
  std::erase_if(read, [&](ValueId id) { return made.contains(id); });
  const bool one_call =
      calls.size() <= 1 || (calls.size() == 2 && normalizes(graph_.node(calls[0]), graph_.node(calls[1])));
  return one_call && members <= ops::kMostFusedMembers && read.size() + 1 <= ops::kMostFusedOperands;
}

/// Puts a node into the group of those who read it, if they are one group and every pair can be joined.
void Grouping::join(const Node& producer) {
  if (part(producer.id) != FusionPart::elementwise && !has_epilogue(part(producer.id))) return;
  const ValueId value = producer.outputs[0];
  const std::vector<NodeId>& readers = readers_[value];
  if (viewed_[value] || readers.empty() || check_readers(value, producer) != FusionOutcome::fused) return;
  for (const NodeId reader : readers) {
    if (check_pair(value, graph_.node(reader)) != FusionOutcome::fused) return;
  }
  const NodeId group = group_[readers.front()];
  if (!fits(producer, group)) {
    too_large_[producer.id] = true;
    return;
  }
  group_[producer.id] = group;
  members_[group].push_back(producer.id);
  members_[producer.id].clear();
}

/// By group: those that must run before it. Producers, and before a node that overwrites those that read what was
/// there.
std::vector<std::set<NodeId>> Grouping::dependencies() const {
  std::vector<std::set<NodeId>> before(graph_.nodes().size());
  std::vector<NodeId> maker(graph_.values().size(), kNoNode), writer(graph_.values().size(), kNoNode);
  std::vector<std::vector<NodeId>> readers(graph_.values().size());
  const auto after = [&](NodeId node, NodeId other) {
    if (other != kNoNode && group_[other] != group_[node]) before[group_[node]].insert(group_[other]);
  };
  for (const Node& node : graph_.nodes()) {
    for (const ValueId id : node.inputs) {
      after(node.id, maker[id]);
      after(node.id, writer[roots_[id]]);
      readers[roots_[id]].push_back(node.id);
    }
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      const ValueId id = node.outputs[j];
      maker[id] = node.id;
      if (j >= node.op->in_place.size() || node.op->in_place[j] < 0) continue;
      for (const NodeId reader : readers[roots_[id]]) after(node.id, reader);
      readers[roots_[id]].clear();
      writer[roots_[id]] = node.id;
    }
  }
  return before;
}

std::vector<NodeId> Grouping::order() {
  const std::vector<std::set<NodeId>> before = dependencies();
  std::vector<std::vector<NodeId>> then(before.size());
  std::vector<size_t> missing(before.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId id = 0; id < before.size(); ++id) {
    if (group_[id] != id) continue;
    missing[id] = before[id].size();
    for (const NodeId other : before[id]) then[other].push_back(id);
    if (missing[id] == 0) ready.push(id);
  }
  std::vector<NodeId> placed;
  while (!ready.empty()) {
    placed.push_back(ready.top());
    ready.pop();
    for (const NodeId next : then[placed.back()]) {
      if (--missing[next] == 0) ready.push(next);
    }
  }
  unordered_.clear();
  for (NodeId id = 0; id < before.size(); ++id) {
    if (group_[id] == id && missing[id] > 0) unordered_.push_back(id);
  }
  return unordered_.empty() ? placed : std::vector<NodeId>();
}

void Grouping::take_apart_conflicts() {
  bool found = false;
  for (const NodeId group : unordered_) {
    if (members_[group].size() < 2) continue;
    found = true;
    for (const NodeId id : members_[group]) {
      conflicting_[id] = true;
      group_[id] = id;
    }
    for (const NodeId id : std::vector(members_[group])) members_[id] = {id};
  }
  CHECK(found);  // the nodes alone are in order
}

FusionOutcome Grouping::outcome(ValueId value, const Node& consumer) const {
  const ValueId root = shown_[value];
  const Node& producer = graph_.node(graph_.value(root).producer);
  const FusionOutcome pair = check_pair(value, consumer);
  if (pair != FusionOutcome::fused) return pair;
  if (group_[producer.id] == group_[consumer.id]) return FusionOutcome::possible;
  const FusionOutcome readers = check_readers(root, producer);
  if (readers != FusionOutcome::fused) return readers;
  if (conflicting_[producer.id]) return FusionOutcome::order;
  return too_large_[producer.id] ? FusionOutcome::too_large : FusionOutcome::layout;
}

/// One node for a group of several. The library call becomes the first member, its operands the first inputs: it reads
/// nothing that others of the group make. A batch norm that it takes along comes next.
Node fused_node(const Graph& graph, std::vector<NodeId> ids) {
  std::ranges::sort(ids);
  const ValueId result = graph.node(ids.back()).outputs[0];
  std::ranges::stable_partition(ids, [&](NodeId id) { return has_epilogue(fusion_part(*graph.node(id).op)); });
  FusedProgram program;
  std::map<ValueId, int> value_number, input_number;
  Node node{.op = &ops::kFused,
            .attributes = {},
            .inputs = {},
            .outputs = {},
            .layer = graph.node(ids.front()).layer,
            .phase = graph.node(ids.front()).phase};
  std::vector<ValueId> beside;  // other outputs of the library call
  std::vector<int> results;
  for (const NodeId id : ids) {
    const Node& member = graph.node(id);
    FusedMember part{.op = member.op, .attributes = member.attributes, .layer = member.layer, .outputs = {}};
    for (const ValueId value : member.inputs) {
      if (const auto made = value_number.find(value); made != value_number.end()) {
        part.operands.push_back(~made->second);
        continue;
      }
      const auto [known, is_new] = input_number.try_emplace(value, static_cast<int>(node.inputs.size()));
      if (is_new) node.inputs.push_back(value);
      part.operands.push_back(known->second);
    }
    for (size_t j = 0; j < member.outputs.size(); ++j) {
      const int number = static_cast<int>(value_number.size());
      value_number.emplace(member.outputs[j], number);
      part.outputs.push_back(member.outputs[j]);
      if (j == 0) continue;
      beside.push_back(member.outputs[j]);
      results.push_back(number);
    }
    program.members.push_back(std::move(part));
  }
  program.results = {value_number.at(result)};
  program.results.insert(program.results.end(), results.begin(), results.end());
  node.outputs = {result};
  node.outputs.insert(node.outputs.end(), beside.begin(), beside.end());
  node.attributes = ops::fused_attributes(program);
  return node;
}

/// Pairs inside a fused node.
void add_inner_pairs(const Graph& graph, const Node& node, std::vector<FusionPair>& pairs) {
  const FusedProgram program = node.op->program(node.attributes);
  const std::vector<Cost> costs = member_costs(program, graph.input_types(node));
  std::vector<std::pair<size_t, size_t>> maker;  // of each value: member and output
  for (size_t i = 0; i < program.members.size(); ++i) {
    const FusedMember& member = program.members[i];
    std::set<int> seen;
    for (size_t k = 0; k < member.operands.size(); ++k) {
      const int operand = member.operands[k];
      if (operand >= 0 || !seen.insert(operand).second) continue;
      const auto [made_by, output] = maker[static_cast<size_t>(~operand)];
      pairs.push_back({.producer = node.id,
                       .consumer = node.id,
                       .producer_member = static_cast<int>(made_by),
                       .consumer_member = static_cast<int>(i),
                       .value = program.members[made_by].outputs[output],
                       .written_bytes = costs[made_by].written_bytes[output],
                       .read_bytes = costs[i].read_bytes[k],
                       .outcome = FusionOutcome::fused});
    }
    for (size_t j = 0; j < member.outputs.size(); ++j) maker.emplace_back(i, j);
  }
}

/// The member of a fused node that reads its input, or makes its output, `value`; -1: the node is not fused.
int member_with(const Node& node, ValueId value, bool reads) {
  if (node.op->program == nullptr) return -1;
  const FusedProgram program = node.op->program(node.attributes);
  for (size_t i = 0; i < program.members.size(); ++i) {
    const FusedMember& member = program.members[i];
    if (!reads && std::ranges::find(member.outputs, value) != member.outputs.end()) return static_cast<int>(i);
    for (const int operand : member.operands) {
      if (reads && operand >= 0 && node.inputs[static_cast<size_t>(operand)] == value) return static_cast<int>(i);
    }
  }
  return -1;
}

/// Grouping with an order found.
std::vector<NodeId> settle(Grouping& grouping) {
  std::vector<NodeId> order = grouping.order();
  while (order.empty()) {
    grouping.take_apart_conflicts();
    order = grouping.order();
  }
  return order;
}

}  // namespace

Graph fuse(const Graph& given) {
  if (given.nodes().empty()) return given;
  const std::optional<Graph> folded = fold_quantized(given);
  const Graph& graph = folded ? *folded : given;
  Grouping grouping(graph);
  std::map<NodeId, std::vector<NodeId>> groups;
  std::vector<Node> nodes;
  const std::vector<NodeId> order = settle(grouping);
  for (const Node& node : graph.nodes()) groups[grouping.group_of()[node.id]].push_back(node.id);
  for (const NodeId group : order) {
    const std::vector<NodeId>& ids = groups.at(group);
    nodes.push_back(ids.size() == 1 ? graph.node(group) : fused_node(graph, ids));
  }
  GraphBuilder builder(graph);
  builder.replace_nodes(std::move(nodes));
  Result<Graph> fused = builder.finish();
  CHECK(fused.ok());  // the order keeps readers before what overwrites
  return *std::move(fused);
}

std::vector<FusionPair> fusion_pairs(const Graph& graph) {
  std::vector<FusionPair> pairs;
  if (graph.nodes().empty()) return pairs;
  Grouping grouping(graph);
  settle(grouping);
  std::vector<ValueId> root(graph.values().size());
  for (const Value& value : graph.values()) root[value.id] = value.id;
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr) {
      root[node.outputs[0]] = root[node.inputs[0]];
      continue;
    }
    if (node.op->program != nullptr) add_inner_pairs(graph, node, pairs);
    const Cost cost = graph.cost(node);
    std::set<ValueId> seen;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const ValueId value = node.inputs[k], made = root[value];
      if (graph.value(made).producer == kNoNode || !seen.insert(made).second) continue;
      const Node& producer = graph.node(graph.value(made).producer);
      const auto output = static_cast<size_t>(std::ranges::find(producer.outputs, made) - producer.outputs.begin());
      pairs.push_back({.producer = producer.id,
                       .consumer = node.id,
                       .producer_member = member_with(producer, made, false),
                       .consumer_member = member_with(node, value, true),
                       .value = made,
                       .written_bytes = graph.cost(producer).written_bytes[output],
                       .read_bytes = cost.read_bytes[k],
                       .outcome = grouping.outcome(value, node)});
    }
  }
  return pairs;
}

}  // namespace engine
