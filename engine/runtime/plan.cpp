// SPDX-License-Identifier: Apache-2.0
// Plan: checks memory and kernels, allocates, fills, prepares; then a step is one pass over a flat
// list.
#include "engine/runtime/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/graph/leaf.h"
#include "engine/graph/to_device.h"
#include "engine/tensor/device_name.h"

namespace engine {
namespace {

/// "layer1.0.conv2: why".
Error in_layer(const Node& node, const Error& error) {
  if (node.layer.empty()) return error;
  return {error.kind, fmt::format("{}: {}", node.layer, error.message)};
}

/// "device cpu has 18.2 GiB available of 23.5 GiB".
std::string device_memory(const DeviceInfo& info) {
  const auto shown = [](int64_t bytes) {
    return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : std::string("an unknown amount");
  };
  return fmt::format("device {} has {} available of {}", to_string(info.device), shown(info.memory_available_bytes),
                     shown(info.memory_bytes));
}

constexpr const char* kAdvice = "choose a smaller batch or a smaller model";

/// What the device has no kernel for: one op's refusal in its own words, and after it the other ops by name.
Error lacking(const Node& first, const Error& refusal, const std::vector<std::string_view>& ops,
              const Backend& backend) {
  Error error = in_layer(first, refusal);
  const std::string device = to_string(backend.info().device);
  if (ops.size() > 1)
    error.message += fmt::format(". In all, {} ops of this graph have no kernel on {}: {}", ops.size(), device,
                                 fmt::join(ops, ", "));
  if (backend.info().traits().is_gpu && error.message.find("--device cpu") == std::string::npos)
    error.message += "; run it on --device cpu";
  return error;
}

/// One tensor per value on the blocks. Views take their offset from the op, in order, so that views
/// of views add up.
std::vector<Tensor> place_tensors(const Graph& graph, const MemoryPlan& plan, const std::shared_ptr<Storage>& arena,
                                  const std::shared_ptr<Storage>& persistent) {
  std::vector<Tensor> tensors(graph.values().size());
  const auto place_root = [&](const Value& value) {
    const Placement& placement = plan.placements[value.id];
    tensors[value.id] = Tensor(placement.persistent ? persistent : arena, value.type,
                               placement.offset_bytes / size_bytes(value.type.dtype));
  };
  for (const Value& value : graph.values()) {
    if (plan.placements[value.id].alias_of == kNoValue && !value.inside_fused_op()) place_root(value);
  }
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr) {
      const Tensor& viewed = tensors[node.inputs[0]];
      const Result<View> view = node.op->view(viewed.type(), node.attributes);
      CHECK(view.ok());  // the builder has asked the same
      tensors[node.outputs[0]] = Tensor(viewed.storage(), view->type, viewed.offset_elements() + view->offset_elements);
    }
    for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
      if (node.op->in_place[j] >= 0)
        tensors[node.outputs[j]] = tensors[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
    }
  }
  return tensors;
}

}  // namespace

std::vector<bool> constant_values(const Graph& graph, const MemoryPlan& plan) {
  const auto root = [&](ValueId id) {
    return plan.placements[id].alias_of == kNoValue ? id : plan.placements[id].alias_of;
  };
  std::vector<bool> overwritten(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
      if (node.op->in_place[j] >= 0) overwritten[root(node.outputs[j])] = true;
    }
  }
  std::vector<bool> unchanging(graph.values().size());
  for (const Value& value : graph.values()) {
    const Value& owner = graph.value(root(value.id));
    const bool fixed = owner.kind == ValueKind::constant || owner.kind == ValueKind::parameter;
    unchanging[value.id] = fixed && !overwritten[owner.id];
  }
  return unchanging;
}

namespace {

Result<void> fill_persistent(const Graph& graph, Backend& backend, const std::vector<Tensor>& tensors, uint64_t seed) {
  for (const Value& value : graph.values()) {
    if (value.kind == ValueKind::intermediate) continue;
    if (auto filled = start_leaf(value, backend, tensors[value.id], seed); !filled) return filled;
  }
  return {};
}

}  // namespace

Result<void> start_leaf(const Value& leaf, Backend& backend, const Tensor& target, uint64_t seed) {
  if (leaf.data.defined()) return backend.copy(leaf.data, target);
  if (target.storage()->device() == Device{}) {
    fill(target, leaf.fill, seed, random_stream(leaf));
    return {};
  }
  const Result<Tensor> staged = starting_data(leaf, seed);
  if (!staged) return staged.error();
  return backend.copy(*staged, target);
}

Result<int64_t> workspace_of(const Graph& graph, const Backend& backend) {
  std::vector<std::string_view> lacked;  // each op once
  const Node* first = nullptr;
  std::optional<Error> refusal;
  for (const Node& node : graph.nodes()) {
    if (node.op == &kToDevice) {
      return in_layer(node,
                      usage_error(fmt::format(
                          "[to_device] copies from device to device, and a planned step runs on one, {}: run it with "
                          "--graph eager",
                          to_string(backend.info().device))));
    }
    if (node.op->view != nullptr) continue;
    const auto inputs = graph.input_types(node), outputs = graph.output_types(node);
    const Result<void> supported = backend.supports(node, {node.attributes, inputs, outputs});
    if (supported) continue;
    if (first == nullptr) {
      first = &node;
      refusal = supported.error();
    }
    if (std::ranges::find(lacked, node.op->name) == lacked.end()) lacked.push_back(node.op->name);
  }
  if (first != nullptr) return lacking(*first, *refusal, lacked, backend);
  int64_t workspace = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr) continue;
    const auto inputs = graph.input_types(node), outputs = graph.output_types(node);
    workspace = std::max(workspace, backend.workspace_bytes(node, {node.attributes, inputs, outputs}));
  }
  return workspace;
}

Result<void> check_memory(const MemoryPlan& plan, const DeviceInfo& info) {
  const int64_t limit = info.memory_available_bytes > 0 ? info.memory_available_bytes : info.memory_bytes;
  if (limit <= 0 || plan.total_bytes <= static_cast<double>(limit)) return {};
  const auto persistent = static_cast<double>(plan.persistent_bytes), arena = static_cast<double>(plan.arena_bytes);
  const double workspace = plan.total_bytes - persistent - arena;  // 0 as long as no kernel was asked
  return refused_error(
      fmt::format("[plan] a step would need {} of memory ({} for weights and inputs, {} for what is "
                  "computed{}); {}: {}",
                  format_bytes(plan.total_bytes), format_bytes(persistent), format_bytes(arena),
                  workspace > 0 ? fmt::format(", {} for kernels' workspace", format_bytes(workspace)) : "",
                  device_memory(info), kAdvice));
}

/// The value that takes most, by name, and who makes it: where to look in a network of hundreds of ops.
std::string largest_value(const Graph& graph) {
  const auto bytes = [](const Value& v) { return static_cast<double>(v.type.elements()) * size_bytes(v.type.dtype); };
  const auto largest = std::ranges::max_element(graph.values(), {}, bytes);
  if (largest == graph.values().end()) return "";
  std::string text = fmt::format("; the largest is {} ({}, {}", largest->name, to_string(largest->type),
                                 format_bytes(bytes(*largest)));
  if (largest->producer == kNoNode) return text + ")";
  const Node& maker = graph.node(largest->producer);
  return text + fmt::format(", made by {}{}{})", maker.op->name, maker.layer.empty() ? "" : " in ", maker.layer);
}

Result<MemoryPlan> plan_memory_within(const Graph& graph, const DeviceInfo& info) {
  Result<MemoryPlan> plan = plan_memory(graph);
  if (!plan)
    return refused_error(
        fmt::format("{}; {}: {}{}", plan.error().message, device_memory(info), kAdvice, largest_value(graph)));
  if (auto fits = check_memory(*plan, info); !fits) return refused_error(fits.error().message + largest_value(graph));
  return plan;
}

Result<std::unique_ptr<Plan>> Plan::make(std::shared_ptr<const Graph> graph, Backend& backend,
                                         const PlanOptions& options) {
  CHECK(graph != nullptr);
  std::unique_ptr<Plan> plan(new Plan(std::move(graph), backend));
  // Memory first: absurd sizes never reach a kernel library.
  Result<MemoryPlan> memory = plan_memory_within(*plan->graph_, backend.info());
  if (!memory) return memory.error();
  plan->memory_ = std::move(*memory);
  const Result<int64_t> workspace = workspace_of(*plan->graph_, backend);
  if (!workspace) return workspace.error();
  plan->workspace_bytes_ = *workspace;
  plan->memory_.total_bytes += static_cast<double>(*workspace);
  if (auto fits = check_memory(plan->memory_, backend.info()); !fits) return fits.error();

  for (const int64_t size : {plan->memory_.arena_bytes, plan->memory_.persistent_bytes, plan->workspace_bytes_}) {
    Result<std::shared_ptr<Storage>> block = backend.allocate(size);
    if (!block) return block.error();
    plan->blocks_.push_back(std::move(*block));
  }
  plan->tensors_ = place_tensors(*plan->graph_, plan->memory_, plan->blocks_[0], plan->blocks_[1]);
  if (auto filled = fill_persistent(*plan->graph_, backend, plan->tensors_, options.seed); !filled)
    return filled.error();
  if (auto prepared = plan->prepare(); !prepared) return prepared.error();
  return plan;
}

Result<void> Plan::prepare() {
  const std::vector<bool> unchanging = constant_values(*graph_, memory_);
  facts_.reserve(graph_->nodes().size());
  spared_flops_.assign(graph_->nodes().size(), 0);
  for (const Node& node : graph_->nodes()) {
    if (node.op->view != nullptr) {
      facts_.push_back(view_facts());
      continue;
    }
    PrepareRequest request{
        node, {&node.attributes, {}, {}}, workspace_bytes_ > 0 ? blocks_[2]->data() : nullptr, {}, workspace_bytes_};
    for (const ValueId id : node.inputs) {
      request.arguments.inputs.push_back(tensors_[id]);
      request.inputs_constant.push_back(unchanging[id]);
    }
    for (const ValueId id : node.outputs) request.arguments.outputs.push_back(tensors_[id]);
    Result<std::unique_ptr<PreparedOp>> op = backend_.prepare(request);
    if (!op) return in_layer(node, op.error());
    facts_.push_back((*op)->facts());
    spared_flops_[node.id] = (*op)->spared_flops();
    ready_.push_back({op->get(), node.id});
    if ((*op)->reports()) reporting_.push_back(ready_.back());
    prepared_.push_back(std::move(*op));
  }
  return {};
}

Plan::~Plan() = default;

Result<void> Plan::replay(Observer* noting) {
  for (const ReadyOp& ready : ready_) {
    if (ready.op->only_submits()) continue;
    const Node& node = graph_->node(ready.node);
    return in_layer(node, refused_error(fmt::format(
                              "[{}] the host takes part in it, so that no step with it can be replayed as one launch; "
                              "use --graph static",
                              node.op->name)));
  }
  if (Result<void> begun = backend_.begin_graph(); !begun) return begun;
  for (const ReadyOp& ready : ready_) {
    const int64_t now = now_ticks();
    if (noting != nullptr) noting->op_begin(ready.node);
    ready.op->run();
    if (noting != nullptr) noting->op_done(ready.node, now, now);
  }
  Result<std::unique_ptr<PreparedOp>> all = backend_.end_graph();
  if (!all) return all.error();
  replay_ = *std::move(all);
  return {};
}

void Plan::run_step(uint32_t step, Observer* observer) {
  if (replay_ != nullptr) {
    if (observer != nullptr) observer->step_begin(step, now_ticks());
    replay_->run();
    backend_.synchronize();
    if (observer != nullptr) observer->step_end(step, now_ticks());
    return;
  }
  if (observer == nullptr) {
    for (const ReadyOp& ready : ready_) ready.op->run();
    backend_.synchronize();
    return;
  }
  observer->step_begin(step, now_ticks());
  int64_t begin = now_ticks();
  for (const ReadyOp& ready : ready_) {
    observer->op_begin(ready.node);
    ready.op->run();
    const int64_t end = now_ticks();
    observer->op_done(ready.node, begin, end);
    begin = end;
  }
  backend_.synchronize();
  const int64_t end = now_ticks();
  for (const ReadyOp& reporting : reporting_) reporting.op->report(*observer, reporting.node);
  observer->step_end(step, end);
}

}  // namespace engine
