// SPDX-License-Identifier: Apache-2.0
// Graph, memory plan and kernels as records of a capture.
#include "profiler/record/plan_records.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/check.h"
#include "engine/ops/fusion.h"

namespace profiler {
namespace {

using engine::Node;
using engine::Placement;
using engine::Value;

void add_tensors(CaptureBuilder& builder, const engine::Graph& graph, const engine::MemoryPlan& memory) {
  const OpId last = graph.nodes().empty() ? kNoOp : static_cast<OpId>(graph.nodes().size() - 1);
  for (const Value& value : graph.values()) {
    const Placement& placement = memory.placements[value.id];
    TensorRecord tensor;
    tensor.name = builder.intern(value.name);
    tensor.dtype = value.type.dtype;
    tensor.shape = value.type.shape;
    tensor.strides = value.type.strides;
    tensor.role = value.role;
    tensor.persistent = placement.persistent;
    tensor.alias_of = placement.alias_of;
    tensor.size_bytes = placement.size_bytes;
    tensor.offset_bytes = placement.offset_bytes;
    const bool lives_always = placement.persistent || last == kNoOp;
    tensor.first_op = lives_always ? (last == kNoOp ? kNoOp : 0) : placement.first_op;
    tensor.last_op = lives_always ? last : placement.last_op;
    CHECK(builder.add_tensor(std::move(tensor)) == value.id);
  }
}

std::vector<OperandRecord> operands_of(const engine::Graph& graph, const Node& node, const engine::Cost& cost) {
  CHECK(cost.read_bytes.size() == node.inputs.size() && cost.written_bytes.size() == node.outputs.size());
  std::vector<OperandRecord> operands;
  const auto add = [&](engine::ValueId value, bool output, int64_t bytes) {
    OperandRecord operand;
    operand.tensor = value;
    operand.role = graph.value(value).role;
    operand.output = output;
    (output ? operand.written_bytes : operand.read_bytes) = bytes;
    operands.push_back(operand);
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) add(node.inputs[i], false, cost.read_bytes[i]);
  for (size_t i = 0; i < node.outputs.size(); ++i) add(node.outputs[i], true, cost.written_bytes[i]);
  return operands;
}

class UniqueNames {
 public:
  std::string of(const std::string& wanted) {
    std::string name = wanted;
    for (int& n = times_[wanted]; !taken_.insert(name).second;) name = fmt::format("{}#{}", wanted, ++n + 1);
    return name;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> times_;
};

std::string in_layer(const std::string& layer, std::string_view type) {
  return layer.empty() ? std::string(type) : fmt::format("{}/{}", layer, type);
}

/// What an op is called in tables: fused ones after their members.
std::string type_of(const Node& node) {
  return node.op->program == nullptr ? std::string(node.op->name) : fused_name(node.op->program(node.attributes));
}

/// Members of fused ops under the names they have without fusion, and all pairs of ops that share a value. Members are
/// numbered among all ops of their name in the order of the ops.
void add_fusion(CaptureBuilder& builder, const engine::Graph& graph) {
  UniqueNames unique;
  std::vector<std::vector<NameId>> names(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    if (node.op->program == nullptr) {
      names[node.id].push_back(builder.intern(unique.of(in_layer(node.layer, node.op->name))));
      continue;
    }
    const engine::FusedProgram program = node.op->program(node.attributes);
    const std::vector<engine::Cost> costs = member_costs(program, graph.input_types(node));
    for (size_t i = 0; i < costs.size(); ++i) {
      const engine::FusedMember& member = program.members[i];
      names[node.id].push_back(builder.intern(unique.of(in_layer(member.layer, member.op->name))));
      builder.add_fused_member({node.id, names[node.id].back(), builder.intern(member.op->name), costs[i].flops});
    }
  }
  const auto name_of = [&](engine::NodeId node, int member) {
    return names[node][member < 0 ? 0 : static_cast<size_t>(member)];
  };
  for (const engine::FusionPair& pair : fusion_pairs(graph)) {
    builder.add_fusion_pair({pair.producer, pair.consumer, name_of(pair.producer, pair.producer_member),
                             name_of(pair.consumer, pair.consumer_member), pair.value, pair.written_bytes,
                             pair.read_bytes, pair.outcome});
  }
}

/// Of experts, several tokens may choose the same ones: how many bytes that spares is not known before a run.
void note_choices(CaptureBuilder& builder, const engine::Graph& graph) {
  const bool several = std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return node.op->name == "expert_linear" && graph.value(node.inputs[2]).type.shape[0] > 1;
  });
  if (several)
    builder.honesty().notes.emplace_back(
        "Experts: bytes and simulated caches take tokens to choose different ones until each is chosen. Tokens that "
        "choose alike read less.");
}

/// Everything but the workspace; `steps` is a Plan or a session. FLOPs of an op are those its kernel does.
template <class Run>
void add_step(CaptureBuilder& builder, const engine::Graph& graph, const Run& steps) {
  add_tensors(builder, graph, steps.memory());
  UniqueNames unique;
  for (const Node& node : graph.nodes()) {
    const engine::Cost cost = graph.cost(node);
    const std::string type = type_of(node);
    OpRecord op;
    op.name = builder.intern(unique.of(in_layer(node.layer, type)));
    op.type = builder.intern(type);
    op.layer = builder.intern(node.layer);
    op.phase = node.phase;
    op.view = node.op->view != nullptr;
    op.flops = cost.flops - steps.spared_flops(node.id);
    CHECK(builder.add_op(op, operands_of(graph, node, cost)) == node.id);
    builder.set_facts(node.id, steps.facts(node.id));
    builder.set_attributes(node.id, node.attributes);
  }
  add_fusion(builder, graph);
  note_choices(builder, graph);
  RunInfo& run = builder.run();
  run.parameter_count = graph.parameter_count();
  run.matrix_weight_count = graph.matrix_weight_count();
  run.arena_bytes = steps.memory().arena_bytes;
  run.persistent_bytes = steps.memory().persistent_bytes;
  run.arena_bytes_without_reuse = steps.memory().arena_bytes_without_reuse;
}

/// What a graph and its memory plan can tell, in the form of a Plan.
struct Planned {
  const engine::MemoryPlan& plan;
  std::vector<engine::Shortcut> shortcuts;
  const engine::MemoryPlan& memory() const { return plan; }
  const engine::KernelFacts& facts(engine::NodeId id) const { return shortcuts[id].facts; }
  double spared_flops(engine::NodeId id) const { return shortcuts[id].spared_flops; }
};

}  // namespace

void add_plan(CaptureBuilder& builder, const engine::Plan& plan) {
  add_step(builder, plan.graph(), plan);
  const auto is_winograd = [&](const Node& node) { return plan.facts(node.id).winograd_tile != 0; };
  const auto& arguments = builder.run().arguments;
  const auto asked = arguments.find("winograd");
  if (asked != arguments.end() && asked->second == name(engine::WinogradUse::always) &&
      std::ranges::none_of(plan.graph().nodes(), is_winograd)) {
    builder.honesty().notes.push_back(
        "--winograd on changed nothing: no convolution of this run uses it. It needs f32, 3x3 kernels of stride 1 "
        "without groups or dilation, and 200,000 multiply-adds.");
  }
  builder.run().workspace_bytes = plan.workspace_bytes();
}

void add_session(CaptureBuilder& builder, const engine::EagerSession& session, const engine::Graph& graph) {
  add_step(builder, graph, session);
  builder.run().workspace_bytes = session.runner().workspace_bytes();
}

void add_planned(CaptureBuilder& builder, const engine::Graph& graph, const engine::MemoryPlan& memory,
                 const engine::Backend* backend, bool eager) {
  Planned planned{memory, std::vector<engine::Shortcut>(graph.nodes().size())};
  const std::vector<bool> constant = engine::constant_values(graph, memory);
  for (const Node& node : graph.nodes()) {
    if (backend == nullptr || node.op->view != nullptr) continue;
    const auto inputs = graph.input_types(node), outputs = graph.output_types(node);
    const bool constant_weights = !eager && node.inputs.size() > 1 && constant[node.inputs[1]];
    planned.shortcuts[node.id] = backend->shortcut(node, {node.attributes, inputs, outputs}, constant_weights);
  }
  add_step(builder, graph, planned);
}

}  // namespace profiler
