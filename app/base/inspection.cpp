// SPDX-License-Identifier: Apache-2.0
// Puts together what a file declares and what its graph would do.
#include "app/base/inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/base/job.h"
#include "engine/onnx/survey.h"
#include "engine/runtime/plan.h"

namespace app {
namespace {

using engine::Result;

InspectedValue declared(const engine::onnx::DeclaredValue& value) {
  InspectedValue inspected{value.name, value.type, {}, {}, false};
  for (size_t axis = 0; axis < value.extents.size(); ++axis) {
    const std::string& word = value.extent_names[axis];
    inspected.extents.push_back(value.extents[axis] >= 0 ? std::to_string(value.extents[axis])
                                : word.empty()           ? std::string("?")
                                                         : word);
  }
  return inspected;
}

/// "x.dims=1,3,224,224", with what the file declares where that is known.
std::string dims_option(const engine::onnx::DeclaredValue& value) {
  constexpr int64_t kExample = 224;
  engine::Shape shape = value.extents;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0) shape[axis] = axis == 0 ? 1 : kExample;
  }
  return fmt::format("--set {}.dims={}", value.name, fmt::join(shape, ","));
}

void add_open(const engine::onnx::DeclaredValue& value, std::set<std::string>& met, std::vector<OpenExtent>& open) {
  for (size_t axis = 0; axis < value.extents.size(); ++axis) {
    if (value.extents[axis] >= 0) continue;
    const std::string& name = value.extent_names[axis];
    if (!name.empty() && !met.insert(name).second) continue;
    open.push_back({name, fmt::format("dimension {} of input {}", axis, value.name),
                    name.empty() ? dims_option(value) : fmt::format("--set {}={}", name, axis == 0 ? 1 : 128)});
  }
}

void add_survey(const engine::onnx::Survey& survey, Inspection& inspection) {
  inspection.producer = survey.producer;
  inspection.opset = survey.opset;
  inspection.ir_version = survey.ir_version;
  inspection.parameters = static_cast<double>(survey.parameters);
  inspection.parameter_bytes = static_cast<double>(survey.initializer_bytes);
  std::set<std::string> met;
  for (const engine::onnx::DeclaredValue& value : survey.inputs) {
    inspection.inputs.push_back(declared(value));
    add_open(value, met, inspection.open);
  }
  for (const engine::onnx::DeclaredValue& value : survey.outputs) inspection.outputs.push_back(declared(value));
  for (const engine::onnx::OperatorCount& op : survey.operators) {
    InspectedOps counted;
    counted.type = op.name, counted.count = op.count, counted.needed = op.needed;
    inspection.operators.push_back(std::move(counted));
  }
}

/// The shape of a value, under a name that the file may have declared.
void set_shape(std::vector<InspectedValue>& values, const std::string& name, const engine::TensorType& type) {
  auto found = std::ranges::find(values, name, &InspectedValue::name);
  if (found == values.end()) {
    InspectedValue value{name, std::string(engine::name(type.dtype)), {}, {}, false};
    for (const int64_t extent : type.shape) value.extents.push_back(std::to_string(extent));
    found = values.insert(values.end(), std::move(value));
  }
  found->shape = type.shape;
  found->has_shape = true;
}

void add_graph(const RequestedGraph& requested, Inspection& inspection) {
  const engine::Graph& graph = *requested.graph;
  for (const engine::Value& value : graph.values()) {
    if (value.kind == engine::ValueKind::input) set_shape(inspection.inputs, value.name, value.type);
  }
  for (const auto& [name, id] : requested.outputs) set_shape(inspection.outputs, name, graph.value(id).type);
  std::map<std::string, InspectedOps> by_type;
  inspection.flops = inspection.operand_bytes = 0;
  for (const engine::Node& node : graph.nodes()) {
    if (node.op->view != nullptr) continue;
    const engine::Cost cost = graph.cost(node);
    double bytes = 0;
    for (const int64_t read : cost.read_bytes) bytes += static_cast<double>(read);
    for (const int64_t written : cost.written_bytes) bytes += static_cast<double>(written);
    InspectedOps& ops = by_type[std::string(node.op->name)];
    if (ops.count++ == 0) ops.type = node.op->name, ops.flops = ops.bytes = 0;
    ops.flops += cost.flops, ops.bytes += bytes;
    inspection.flops += cost.flops, inspection.operand_bytes += bytes;
  }
  for (auto& [type, ops] : by_type) inspection.ops.push_back(std::move(ops));
  std::ranges::stable_sort(inspection.ops, [](const InspectedOps& a, const InspectedOps& b) {
    return a.flops != b.flops ? a.flops > b.flops : a.bytes > b.bytes;
  });
  inspection.parameters = static_cast<double>(graph.parameter_count());
  inspection.parameter_bytes = 0;
  for (const engine::Value& value : graph.values()) {
    if (value.role == engine::Role::weight && value.kind != engine::ValueKind::intermediate)
      inspection.parameter_bytes += static_cast<double>(value.type.span_bytes());
  }
  if (const Result<engine::MemoryPlan> memory = engine::plan_memory(graph); memory)
    inspection.memory_bytes = memory->total_bytes;
  inspection.notes = requested.notes;
}

}  // namespace

Result<Inspection> inspect(const RunRequest& request) {
  Inspection inspection;
  const bool model = names_model_file(request.workload);
  if (model) {
    const Result<engine::onnx::Survey> survey = engine::onnx::survey_model(request.workload);
    if (!survey) return survey.error();
    inspection.title = std::filesystem::path(request.workload).filename().string();
    add_survey(*survey, inspection);
  }
  Result<std::optional<LanguageFacts>> language = language_facts(request);
  if (!language) return language.error();
  inspection.language = *std::move(language);
  if (inspection.language) {
    inspection.title = inspection.language->title;
    inspection.parameters = static_cast<double>(inspection.language->parameters);
  }
  const Result<RequestedGraph> requested = requested_graph(request);
  if (!requested && !model && !inspection.language) return requested.error();
  if (!requested) {
    inspection.why_not = requested.error().message;
    return inspection;
  }
  inspection.title = requested->title;
  add_graph(*requested, inspection);
  return inspection;
}

}  // namespace app
