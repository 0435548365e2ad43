// SPDX-License-Identifier: Apache-2.0
// HostInterpreter: runs a graph with the ops' references alone, one tensor per value: the truth backends are compared
// with.
#pragma once

#include <vector>

#include "engine/graph/graph.h"

namespace test {

class HostInterpreter {
 public:
  /// Allocates every value and fills inputs, parameters and states as a Plan of this seed does (stream = value id).
  /// Views and in-place outputs share the bytes of what they view or overwrite.
  explicit HostInterpreter(engine::Graph graph, uint64_t seed = 1) : graph_(std::move(graph)) {
    tensors_.resize(graph_.values().size());
    for (const engine::Value& value : graph_.values()) {
      if (value.kind == engine::ValueKind::intermediate) continue;
      tensors_[value.id] = value.kind == engine::ValueKind::constant ? value.data : empty(value.type);
      if (value.kind != engine::ValueKind::constant) engine::fill(tensors_[value.id], value.fill, seed, value.id);
    }
    // What is viewed or overwritten is made before, by node order.
    for (const engine::Node& node : graph_.nodes()) {
      for (const engine::ValueId id : node.outputs) tensors_[id] = intermediate(graph_.value(id));
    }
  }

  const engine::Graph& graph() const { return graph_; }
  const engine::Tensor& tensor(engine::ValueId id) const { return tensors_[id]; }

  /// All nodes once, in order.
  void run() {
    for (const engine::Node& node : graph_.nodes()) {
      if (node.op->view != nullptr) continue;
      engine::KernelArguments arguments{&node.attributes, {}, {}};
      for (const engine::ValueId id : node.inputs) arguments.inputs.push_back(tensors_[id]);
      for (const engine::ValueId id : node.outputs) arguments.outputs.push_back(tensors_[id]);
      node.op->reference(arguments);
    }
  }

 private:
  static engine::Tensor empty(const engine::TensorType& type) {
    engine::Result<engine::Tensor> tensor = engine::Tensor::empty(type);
    CHECK(tensor.ok());
    return *tensor;
  }

  engine::Tensor intermediate(const engine::Value& value) const {
    const engine::Node& node = graph_.node(value.producer);
    if (node.op->view != nullptr) {
      const engine::Tensor& viewed = tensors_[node.inputs[0]];
      const engine::Result<engine::View> view = node.op->view(viewed.type(), node.attributes);
      CHECK(view.ok());
      return engine::Tensor(viewed.storage(), view->type, viewed.offset_elements() + view->offset_elements);
    }
    for (size_t j = 0; j < node.outputs.size() && j < node.op->in_place.size(); ++j) {
      if (node.outputs[j] == value.id && node.op->in_place[j] >= 0) {
        return tensors_[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
      }
    }
    return empty(value.type);
  }

  engine::Graph graph_;
  std::vector<engine::Tensor> tensors_;
};

}  // namespace test
