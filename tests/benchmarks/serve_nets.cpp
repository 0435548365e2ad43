// SPDX-License-Identifier: Apache-2.0
// Cases of whole networks: the forward pass, or forward and backward without the update of the weights.
#include <memory>

#include "engine/ops/fusion.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "profiler/record/engine_collector.h"
#include "serve_cases.h"

namespace benchmarks {
namespace {

/// The graph's forward and backward ops; all gradients that an update would have read are outputs. Weights become
/// states, which may change from step to step as they do in training: nothing may be packed once for all steps.
engine::Result<engine::Graph> without_updates(const engine::Graph& graph) {
  engine::GraphBuilder builder;
  std::vector<engine::ValueId> copies(graph.values().size(), engine::kNoValue);
  std::vector<engine::ValueId> wanted = graph.outputs();
  for (const engine::Value& value : graph.values()) {
    if (value.kind == engine::ValueKind::input) copies[value.id] = builder.input(value.name, value.type, value.fill);
    if (value.kind == engine::ValueKind::parameter)
      copies[value.id] = builder.state(value.name, value.type, value.fill, value.role);
    if (value.kind == engine::ValueKind::constant)
      copies[value.id] = builder.constant(value.name, value.data, value.role);
    if (value.kind == engine::ValueKind::state && value.role != engine::Role::optimizer_state) {
      copies[value.id] = builder.state(value.name, value.type, value.fill, value.role);
    }
  }
  for (const engine::Node& node : graph.nodes()) {
    if (node.phase == engine::Phase::update) {
      wanted.insert(wanted.end(), node.inputs.begin(), node.inputs.end());
      continue;
    }
    std::vector<engine::ValueId> inputs;
    for (const engine::ValueId id : node.inputs) inputs.push_back(copies[id]);
    builder.set_layer(node.layer);
    builder.set_phase(node.phase);
    const auto outputs = builder.append(*node.op, inputs, node.attributes);
    for (size_t i = 0; i < node.outputs.size(); ++i) copies[node.outputs[i]] = outputs[i];
  }
  for (const engine::ValueId id : wanted) {
    const engine::ValueKind kind = graph.value(id).kind;
    if (kind == engine::ValueKind::intermediate && copies[id] != engine::kNoValue) builder.mark_output(copies[id]);
  }
  return builder.finish();
}

engine::Result<engine::Graph> build_net(const std::string& name, int64_t batch, bool gradients) {
  engine::Arguments given{{"batch", std::to_string(batch)}, {"mode", gradients ? "training" : "inference"}};
  const auto workload = engine::find_workload(name);
  if (!workload) return workload.error();
  const auto arguments = engine::resolve(**workload, given);
  if (!arguments) return arguments.error();
  auto graph = build_graph(**workload, *arguments);
  if (!graph || !gradients) return graph;
  return without_updates(*graph);
}

}  // namespace

std::optional<engine::Result<Timed>> net_case(Devices& devices, CaseText& text) {
  if (text.name() != "net") return std::nullopt;
  const std::string name = text.choice("name", "resnet50 mlp");
  const int64_t batch = text.count("batch");
  const bool gradients = text.choice("mode", "forward gradients") == "gradients";
  const bool fused = text.choice("fuse", "off on") == "on";
  engine::Backend& backend = text.choice("winograd", "auto off") == "off" ? *devices.direct : *devices.plan;
  const bool tracing = text.choice("tracing", "off on") == "on";
  if (auto checked = text.check(); !checked) return checked.error();
  auto graph = build_net(name, batch, gradients);
  if (!graph) return graph.error();
  if (fused) *graph = engine::fuse(*graph);
  if (!tracing) return timed_plan(std::move(*graph), backend);
  // The recorder reads the notes out between steps, outside the steps' time: here they are only dropped.
  const auto collector = std::make_shared<profiler::EngineCollector>(graph->nodes().size());
  auto timed = timed_plan(std::move(*graph), backend, collector.get());
  if (!timed) return timed.error();
  const auto one = timed->ns_per_run;
  timed->ns_per_run = [collector, one](int64_t repeats) {
    double ns = 0;
    for (int64_t i = 0; i < repeats; ++i) {
      collector->clear();
      ns += one(1);
    }
    return ns / static_cast<double>(repeats);
  };
  return timed;
}

}  // namespace benchmarks
