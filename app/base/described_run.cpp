// SPDX-License-Identifier: Apache-2.0
// Values at addresses: persistent block, arena, workspace; views and in-place outputs resolved.
#include "app/base/described_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"

namespace app {
namespace {

using engine::Result;
using engine::Value;
using engine::ValueId;
using engine::access::OpCall;
using engine::access::Operand;

constexpr uint64_t kPage = 4096, kFirstAddress = uint64_t{1} << 28;
constexpr uint64_t kWorkspaceBytes = uint64_t{16} << 20;

uint64_t pages(int64_t bytes) { return (static_cast<uint64_t>(bytes) + kPage - 1) / kPage * kPage + kPage; }

/// Hears nothing.
struct Silence : engine::AccessSink {
  void group(int64_t, std::span<const engine::AccessStream>) override {}
};

}  // namespace

Result<DescribedRun> DescribedRun::make(const RunRequest& request, uint64_t address_limit) {
  Result<RequestedGraph> requested = requested_graph(request);
  if (!requested) return requested.error();
  DescribedRun run;
  run.title_ = requested->title;
  run.graph_ = requested->graph;
  const engine::Graph& graph = *run.graph_;
  const Result<engine::MemoryPlan> memory = engine::plan_memory(graph);
  if (!memory) return memory.error();
  const uint64_t arena = kFirstAddress + pages(memory->persistent_bytes), workspace = arena + pages(memory->arena_bytes);
  if (workspace + kWorkspaceBytes > address_limit / 2) {
    return engine::refused_error(fmt::format("{} needs {} bytes of addresses; at most {} are simulated", request.workload,
                                             workspace + kWorkspaceBytes, address_limit / 2));
  }
  std::vector<Operand> operands(graph.values().size());
  for (const Value& value : graph.values()) {
    const engine::Placement& placement = memory->placements[value.id];
    operands[value.id] = {value.type, (placement.persistent ? kFirstAddress : arena) + static_cast<uint64_t>(placement.offset_bytes), 0};
    if (placement.alias_of != engine::kNoValue || value.inside_fused_op()) continue;
    operands[value.id].tensor = static_cast<uint32_t>(run.tensors_.size());
    run.tensors_.push_back({value.name, value.role, placement.size_bytes});
    // Arena addresses serve several values in turn: write-backs of what nobody else claims go to the last of them.
    if (placement.persistent) {
      const uint64_t begin = operands[value.id].address;
      run.ranges_.push_back({begin, begin + static_cast<uint64_t>(placement.size_bytes), operands[value.id].tensor});
    }
  }
  run.tensors_.push_back({"(values of the arena, written back later)", engine::Role::activation, memory->arena_bytes});
  run.ranges_.push_back({arena, arena + static_cast<uint64_t>(memory->arena_bytes), static_cast<uint32_t>(run.tensors_.size() - 1)});
  run.tensors_.push_back({"(packed panels)", engine::Role::workspace, 0});
  const auto panels = static_cast<uint32_t>(run.tensors_.size() - 1);
  run.ranges_.push_back({workspace, address_limit, panels});
  const bool learns = std::ranges::any_of(graph.nodes(), [](const engine::Node& n) { return n.phase != engine::Phase::forward; });
  for (const engine::Node& node : graph.nodes()) {
    if (node.op->view != nullptr) {
      const Operand& viewed = operands[node.inputs[0]];
      const Result<engine::View> view = node.op->view(viewed.type, node.attributes);
      CHECK(view.ok());  // the builder has asked the same
      const int64_t offset = view->offset_elements * static_cast<int64_t>(engine::size_bytes(view->type.dtype));
      operands[node.outputs[0]] = {view->type, viewed.address + static_cast<uint64_t>(offset), viewed.tensor};
    }
    for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
      if (node.op->in_place[j] >= 0) operands[node.outputs[j]] = operands[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
    }
    OpCall call{.node = node, .inputs = {}, .outputs = {}, .workspace_address = workspace, .workspace_tensor = panels, .constant_weights = !learns};
    for (const ValueId id : node.inputs) call.inputs.push_back(operands[id]);
    for (const ValueId id : node.outputs) call.outputs.push_back(operands[id]);
    run.calls_.push_back(std::move(call));
  }
  return run;
}

std::string DescribedRun::op_name(size_t op) const {
  const engine::Node& node = calls_[op].node;
  if (node.op->view != nullptr) return {};
  return node.layer.empty() ? std::string(node.op->name) : fmt::format("{}/{}", node.layer, node.op->name);
}

void DescribedRun::step(engine::AccessSink& sink, const std::atomic<bool>* stop) const {
  for (const OpCall& call : calls_) {
    if (stop != nullptr && *stop) return;
    engine::access::describe(call, sink);
  }
}

std::array<int, 3> DescribedRun::fidelities() const {
  std::array<int, 3> count{};
  Silence nobody;
  for (const OpCall& call : calls_) {
    if (call.node.op->view == nullptr) ++count[static_cast<size_t>(engine::access::describe(call, nobody))];
  }
  return count;
}

}  // namespace app
