// SPDX-License-Identifier: Apache-2.0
// Which device each value of a backward pass lies on: values that share an op share a device.
#include <numeric>

#include "engine/eager/program.h"
#include "engine/graph/to_device.h"

namespace engine::eager {
namespace {

/// Disjoint sets of values.
class Sets {
 public:
  explicit Sets(size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), ValueId{0}); }
  ValueId root(ValueId id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
  }
  void join(ValueId a, ValueId b) { parents_[root(a)] = root(b); }

 private:
  std::vector<ValueId> parents_;
};

}  // namespace

std::vector<OpRunner*> place_values(const Graph& graph, std::span<const std::pair<ValueId, OpRunner*>> known,
                                    std::span<OpRunner* const> runners) {
  const size_t count = graph.values().size();
  std::vector<OpRunner*> places(count, nullptr);
  if (runners.size() == 1) {
    places.assign(count, runners[0]);
    return places;
  }
  Sets sets(count);
  for (const Node& node : graph.nodes()) {
    if (node.op == &kToDevice) continue;
    const ValueId first = node.outputs.empty() ? node.inputs[0] : node.outputs[0];
    for (const ValueId id : node.inputs) sets.join(id, first);
    for (const ValueId id : node.outputs) sets.join(id, first);
  }
  std::vector<OpRunner*> of_set(count, nullptr);
  for (const auto& [id, runner] : known) of_set[sets.root(id)] = runner;
  for (const Node& node : graph.nodes()) {
    if (node.op != &kToDevice) continue;
    of_set[sets.root(node.inputs[0])] = find_runner(runners, node.attributes.get_string("from", ""));
    of_set[sets.root(node.outputs[0])] = find_runner(runners, node.attributes.get_string("to", ""));
  }
  for (ValueId id = 0; id < count; ++id) {
    OpRunner* place = of_set[sets.root(id)];
    places[id] = place != nullptr ? place : runners[0];
  }
  return places;
}

}  // namespace engine::eager
