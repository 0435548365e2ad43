// SPDX-License-Identifier: Apache-2.0
// Rewrites the reads of the backward pass: from values of the forward pass to copies computed again.
#include "engine/ops/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/ops/phase_scope.h"

namespace engine {
namespace {

class Recomputation {
 public:
  Recomputation(GraphBuilder& builder, std::span<const ValueId> kept)
      : builder_(builder),
        graph_(builder.graph()),
        nodes_(graph_.nodes().size()),
        kept_(graph_.values().size(), false),
        again_(graph_.values().size(), kNoValue),
        root_(graph_.values().size()),
        place_(nodes_) {
    std::iota(root_.begin(), root_.end(), ValueId{0});
    std::iota(place_.begin(), place_.end(), size_t{0});
    for (size_t& place : place_) place = 2 * place + 1;  // copies for node i stand at 2 i
    for (const ValueId id : kept) {
      kept_[id] = true;
      const NodeId producer = graph_.value(id).producer;
      if (producer != kNoNode) end_ = std::max<size_t>(end_, producer + size_t{1});
    }
    for (const ValueId id : graph_.outputs()) kept_[id] = true;
    find_overwritten();
  }

  void run() {
    for (size_t i = 0; i < nodes_ && !builder_.failed(); ++i) {
      const Node node = graph_.nodes()[i];  // a copy: the builder's nodes move
      if (node.phase == Phase::forward) continue;
      for (size_t k = 0; k < node.inputs.size() && !builder_.failed(); ++k) {
        const ValueId value = at(node.inputs[k], node.id);
        if (value != node.inputs[k]) builder_.replace_input(node.id, k, value);
      }
    }
    if (builder_.failed()) return;
    std::vector<NodeId> order(graph_.nodes().size());
    std::iota(order.begin(), order.end(), NodeId{0});
    std::ranges::stable_sort(order, {}, [this](NodeId id) { return place_[id]; });
    builder_.reorder(order);
  }

 private:
  void find_overwritten() {
    for (const Node& node : graph_.nodes()) {
      if (node.op->view != nullptr) root_[node.outputs[0]] = root_[node.inputs[0]];
      for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
        if (node.op->in_place[j] < 0) continue;
        root_[node.outputs[j]] = root_[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
        overwritten_[root_[node.outputs[j]]].push_back(node.id);
      }
    }
  }

  /// Whether the node, run again right before `reader`, gives the same bits.
  bool repeatable(const Node& node, NodeId reader) const {
    if (node.phase != Phase::forward || node.id >= end_) return false;
    if (std::ranges::any_of(node.op->in_place, [](int operand) { return operand >= 0; })) return false;
    return std::ranges::none_of(node.inputs, [&](ValueId id) {
      const auto found = overwritten_.find(root_[id]);
      return found != overwritten_.end() &&
             std::ranges::any_of(found->second, [&](NodeId writer) { return writer > node.id && writer < reader; });
    });
  }

  /// Whether `reader` may read the value itself.
  bool stays(ValueId id, NodeId reader) const {
    const NodeId producer = graph_.value(id).producer;
    return producer == kNoNode || producer >= nodes_ || kept_[id] || !repeatable(graph_.node(producer), reader);
  }

  /// What stands for a value in front of `reader`: itself or its copy, appended with all the copies that needs.
  ValueId at(ValueId wanted, NodeId reader) {
    if (again_[wanted] != kNoValue || stays(wanted, reader))
      return again_[wanted] != kNoValue ? again_[wanted] : wanted;
    std::vector<NodeId> missing;
    std::vector<ValueId> open{wanted};
    std::vector<bool> seen(nodes_, false);
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      if (again_[id] != kNoValue || stays(id, reader) || seen[graph_.value(id).producer]) continue;
      const Node& node = graph_.node(graph_.value(id).producer);
      seen[node.id] = true;
      missing.push_back(node.id);
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    std::ranges::sort(missing);
    for (const NodeId id : missing) repeat(id, reader);
    return again_[wanted] != kNoValue ? again_[wanted] : wanted;
  }

  void repeat(NodeId id, NodeId reader) {
    if (builder_.failed()) return;
    const Node node = graph_.node(id);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(again_[input] != kNoValue ? again_[input] : input);
    if (node.op->view != nullptr && inputs == node.inputs) return;  // the view of a value that stays
    builder_.set_layer(node.layer);
    const std::vector<ValueId> outputs =
        builder_.append(*node.op, std::move(inputs), node.attributes, graph_.value(node.outputs[0]).name + ".again");
    if (builder_.failed()) return;
    place_.resize(graph_.nodes().size(), 2 * size_t{reader});
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      builder_.set_role(outputs[j], graph_.value(node.outputs[j]).role);
      if (!kept_[node.outputs[j]]) again_[node.outputs[j]] = outputs[j];
    }
  }

  GraphBuilder& builder_;
  const Graph& graph_;
  size_t nodes_;                                        ///< of the graph as it came
  size_t end_ = 0;                                      ///< forward nodes from here on are not repeated
  std::vector<bool> kept_;                              ///< by value
  std::vector<ValueId> again_;                          ///< the copy of a value, kNoValue: none
  std::vector<ValueId> root_;                           ///< whose bytes a value is
  std::vector<size_t> place_;                           ///< by node, what the order is sorted by
  std::map<ValueId, std::vector<NodeId>> overwritten_;  ///< by root: the nodes that write into it
};

}  // namespace

void recompute_in_backward(GraphBuilder& builder, std::span<const ValueId> kept) {
  if (builder.failed() || kept.empty() || builder.eager()) return;
  const PhaseScope scope(builder, Phase::backward);
  Recomputation(builder, kept).run();
}

std::vector<ValueId> every_nth(std::span<const ValueId> layer_outputs, int64_t interval) {
  const auto count = static_cast<int64_t>(layer_outputs.size());
  if (interval == 0) interval = std::max<int64_t>(std::llround(std::sqrt(static_cast<double>(count))), 1);
  CHECK(interval > 0);
  std::vector<ValueId> kept;
  for (int64_t i = interval; i <= count; i += interval) {
    kept.push_back(layer_outputs[static_cast<size_t>(i - 1)]);
    if (i > count - interval) break;  // i + interval may pass 63 bits
  }
  return kept;
}

}  // namespace engine
