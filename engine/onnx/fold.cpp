// SPDX-License-Identifier: Apache-2.0
// Computes at import what a node makes of constants.
#include "engine/onnx/fold.h"

#include <optional>

namespace engine::onnx {
namespace {

/// Operations and elements that the references of all nodes go through; nothing when a value is too large.
std::optional<double> work_of(const Graph& graph) {
  double work = 1;
  for (const Value& value : graph.values()) {
    if (value.type.elements() > kLargestFolded) return std::nullopt;
  }
  for (const Node& node : graph.nodes()) {
    if (node.op->view == nullptr && node.op->reference == nullptr) return std::nullopt;
    work += graph.cost(node).flops;
    for (const ValueId id : node.inputs) work += static_cast<double>(graph.value(id).type.elements());
    for (const ValueId id : node.outputs) work += static_cast<double>(graph.value(id).type.elements());
  }
  return work;
}

Result<Tensor> view_of(const Tensor& viewed, const Node& node) {
  const Result<View> view = node.op->view(viewed.type(), node.attributes);
  if (!view) return view.error();
  return Tensor(viewed.storage(), view->type, viewed.offset_elements() + view->offset_elements);
}

Result<Tensor> output_of(const Graph& graph, const Node& node, size_t j, const std::vector<Tensor>& tensors) {
  if (node.op->view != nullptr) return view_of(tensors[node.inputs[0]], node);
  if (j < node.op->in_place.size() && node.op->in_place[j] >= 0)
    return tensors[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
  return Tensor::empty(graph.value(node.outputs[j]).type);
}

}  // namespace

Result<Tensor> materialize(const Constant& constant) {
  if (!constant.uniform) return constant.data;
  Result<Tensor> tensor = Tensor::empty(constant.type);
  if (tensor) fill(*tensor, Fill{Fill::Kind::constant, *constant.uniform, 0}, 0, 0);
  return tensor;
}

Result<std::vector<Tensor>> evaluate(const Graph& graph, std::span<const ValueId> wanted,
                                     const std::function<bool(double work)>& spend) {
  const std::optional<double> work = work_of(graph);
  if (!work || !spend(*work)) return std::vector<Tensor>{};
  std::vector<Tensor> tensors(graph.values().size());
  for (const Value& value : graph.values()) {
    if (value.kind == ValueKind::constant) tensors[value.id] = value.data;
  }
  for (const Node& node : graph.nodes()) {
    KernelArguments arguments{&node.attributes, {}, {}};
    for (const ValueId id : node.inputs) arguments.inputs.push_back(tensors[id]);
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      Result<Tensor> output = output_of(graph, node, j, tensors);
      if (!output) return output.error();
      tensors[node.outputs[j]] = *output;
      arguments.outputs.push_back(std::move(*output));
    }
    if (node.op->view == nullptr) node.op->reference(arguments);
  }
  std::vector<Tensor> results;
  for (const ValueId id : wanted) {
    Result<Tensor> dense = tensors[id].contiguous();
    if (!dense) return dense.error();
    results.push_back(std::move(*dense));
  }
  return results;
}

}  // namespace engine::onnx
