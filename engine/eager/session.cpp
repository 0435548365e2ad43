// SPDX-License-Identifier: Apache-2.0
// EagerSession: leaves by name, ops as they come, memory given back where an announced graph says
// so.
#include "engine/eager/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/eager/transfer.h"

namespace engine {

using eager::Block;
using eager::BlockUse;
using eager::Recipe;
using eager::Slot;

EagerSession::EagerSession(Backend& backend, uint64_t seed)
    : core_(new eager::Core(backend, seed)),
      backend_(backend),
      seed_(seed),
      pool_(core_->devices.pool()),
      runner_(core_->devices.runner()),
      builder_(static_cast<EagerExecutor&>(*this)) {}

EagerSession::~EagerSession() {
  forget_fetches();
  slots_.clear();
  eager::Core::leave(core_);
}

Result<void> EagerSession::add_device(Backend& backend) { return core_->devices.add(backend); }

void EagerSession::observe(Observer* observer) { core_->observer = observer; }

// ---- leaves
// -------------------------------------------------------------------------------------------------------------

Result<EagerSession::Leaf*> EagerSession::new_leaf(const Value& value) {
  auto leaf = std::make_unique<Leaf>();
  const int64_t size = value.type.span_bytes();
  Result<std::shared_ptr<Storage>> storage = backend_.allocate(size);
  if (!storage)
    return Error{storage.error().kind,
                 fmt::format("[{}] {}: {}", value.name, to_string(value.type), storage.error().message)};
  leaf->storage = std::move(*storage);
  leaf->type = value.type;
  leaf->kind = value.kind;
  leaf->block.data = leaf->storage->data();
  leaf->block.size_bytes = size;
  leaf->block.offset_bytes = persistent_bytes_;
  leaf->block.storage = &leaf->storage;
  leaf->block.users = 1;  // the session's, which the pool never sees end
  const Tensor target(leaf->storage, value.type);
  if (Result<void> started = start_leaf(value, backend_, target, seed_); !started) return started.error();
  leaf->source = value.data.storage();
  leaf->source_offset = value.data.offset_elements();
  persistent_bytes_ += (size + 63) / 64 * 64;
  return leaves_.insert_or_assign(value.name, std::move(leaf)).first->second.get();
}

Result<void> EagerSession::leaf(const Value& value) {
  const auto found = leaves_.find(value.name);
  Leaf* leaf = found == leaves_.end() ? nullptr : found->second.get();
  if (leaf != nullptr && (leaf->type != value.type || leaf->kind != value.kind)) {
    return usage_error(
        fmt::format("[{}] is {} in this step, but was {} in an earlier one: what lives across "
                    "steps keeps its type",
                    value.name, to_string(value.type), to_string(leaf->type)));
  }
  if (leaf == nullptr) {
    Result<Leaf*> made = new_leaf(value);
    if (!made) return made.error();
    leaf = *made;
  } else if (value.kind == ValueKind::constant &&
             (leaf->source != value.data.storage() || leaf->source_offset != value.data.offset_elements())) {
    // Made anew by this step; a model file's constants are the same bytes each time and are not
    // copied again.
    if (Result<void> copied = backend_.copy(value.data, Tensor(leaf->storage, leaf->type)); !copied) return copied;
    leaf->source = value.data.storage();
    leaf->source_offset = value.data.offset_elements();
  }
  pool_.keep(&leaf->block);
  slots_.push_back({runner_.type(value.type), BlockUse(pool_, &leaf->block), leaf->block.data});
  CHECK(slots_.size() == value.id + size_t{1});
  return {};
}

// ---- ops
// ----------------------------------------------------------------------------------------------------------------

const std::vector<TensorType>* EagerSession::known_outputs(const Op& op, std::span<const ValueId> inputs,
                                                           const Attributes& attributes) {
  input_types_.clear();
  inputs_.clear();
  bool at_home = true;
  for (const ValueId id : inputs) {
    input_types_.push_back(slots_[id].type);
    inputs_.push_back(&slots_[id]);
    at_home = at_home && (slots_[id].block.pool() == &pool_ || !slots_[id].block);
  }
  known_ = nullptr;
  meeting_ = eager::Meeting{&runner_, 0};
  if (!at_home) {
    meeting_ = core_->devices.meet(op, inputs_);
    if (!meeting_) return nullptr;  // ready() tells why
    for (size_t i = 0; i < inputs.size(); ++i) {
      if ((meeting_->fetched >> i & 1) != 0) input_types_[i] = meeting_->runner->type(*input_types_[i]->type);
    }
  }
  known_ = meeting_->runner->find(op, input_types_, attributes);
  return known_ == nullptr ? nullptr : &known_->output_types;
}

/// Finds the recipe of a node whose input types are in input_types_, and makes its outputs ready.
Result<PreparedOp*> EagerSession::ready(const Graph& graph, const Node& node) {
  if (!meeting_) return meeting_.error();
  if (known_ == nullptr) {
    Result<Recipe*> made = meeting_->runner->make(*node.op, input_types_, node.attributes, graph.output_types(node));
    if (!made) return made.error();
    known_ = *made;
  }
  const size_t first = slots_.size();
  CHECK(node.outputs.empty() || node.outputs[0] == first);
  slots_.resize(first + node.outputs.size());
  inputs_.clear();
  for (const ValueId id : node.inputs) {
    CHECK(slots_[id].block);  // only an announced graph gives memory back, and it knows the last use
    inputs_.push_back(&slots_[id]);
  }
  forget_fetches();
  for (size_t i = 0; i < inputs_.size() && meeting_->fetched != 0; ++i) {
    if ((meeting_->fetched >> i & 1) == 0) continue;
    if (Result<void> fetched = fetch(i); !fetched) return fetched.error();
  }
  return meeting_->runner->ready(*known_, inputs_, slots_.data() + first);
}

/// Makes the copy of a 0-d operand ready, and the copy the operand.
Result<void> EagerSession::fetch(size_t input) {
  const Result<Recipe*> recipe = core_->devices.copying(*inputs_[input], *meeting_->runner, Transfer::Reason::scalar);
  if (!recipe) return recipe.error();
  auto slot = std::make_unique<Slot>();
  const Result<PreparedOp*> copy = (*recipe)->runner->ready(**recipe, {&inputs_[input], 1}, slot.get());
  if (!copy) return copy.error();
  fetches_.push_back(*copy);
  inputs_[input] = slot.get();
  fetched_.push_back(std::move(slot));
  return {};
}

/// The copies hold memory of the session's pools.
void EagerSession::forget_fetches() {
  fetched_.clear();
  fetches_.clear();
}

void EagerSession::run_fetches() {
  if (fetches_.empty()) return;
  core_->devices.wait();
  for (PreparedOp* copy : fetches_) copy->run();
}

/// Reports what devices have computed beside this thread.
void EagerSession::report_beside() {
  for (eager::OpRunner* runner : core_->devices.runners()) {
    for (const eager::DoneOp& done : runner->take_done()) {
      if (observer_ == nullptr) continue;
      observer_->op_begin(done.op);
      see_team_of(done);
      observer_->op_done(done.op, done.begin_ticks, done.end_ticks);
    }
  }
}

/// Runs a node's op and the copies it needs, and reports them.
Result<void> EagerSession::run_op(NodeId node, PreparedOp& op) {
  const bool beside = known_->target == known_->runner && known_->runner->works_beside();
  if (observer_ == nullptr) {
    run_fetches();
    known_->runner->run(*known_, op);
  } else if (beside) {
    run_fetches();
    known_->runner->run(*known_, op, node);
    for (PreparedOp* copy : fetches_) copy->report(*observer_, node);
    if (op.reports()) {  // the prepared op is used again
      known_->runner->wait();
      op.report(*observer_, node);
    }
  } else {
    // What devices still compute is no part of the op, or of the copies it needs.
    if (known_->target != known_->runner || !fetches_.empty()) core_->devices.wait();
    observer_->op_begin(node);
    const int64_t begin = now_ticks();
    run_fetches();
    known_->runner->run(*known_, op);
    observer_->op_done(node, begin, now_ticks());
    for (PreparedOp* copy : fetches_) copy->report(*observer_, node);
    op.report(*observer_, node);
  }
  if (known_->target != known_->runner) fetches_.push_back(&op);
  for (PreparedOp* copy : fetches_) {
    if (const Error* error = static_cast<eager::TransferOp*>(copy)->error()) return *error;
  }
  return {};
}

Result<void> EagerSession::run(const Graph& graph, const Node& node) {
  if (Result<void> expected = check_announced(node); !expected) return expected;
  Result<PreparedOp*> op = ready(graph, node);
  if (!op) return op.error();
  if (*op != nullptr) {
    if (Result<void> ran = run_op(node.id, **op); !ran) return ran;
  }
  release_after(node.id);
  return {};
}

Result<void> EagerSession::check_announced(const Node& node) const {
  if (announced_ == nullptr) return {};
  const bool beyond = node.id >= announced_->nodes().size();
  if (!beyond) {
    const Node& known = announced_->node(node.id);
    if (known.op == node.op && known.inputs == node.inputs && known.attributes == node.attributes) return {};
  }
  return refused_error(fmt::format(
      "[eager] op {} of this step is {}, of the announced step {}. A capture holds one "
      "list of ops, so a "
      "step that depends on data cannot be announced",
      node.id, node.op->name,
      beyond ? fmt::format("has only {} ops", announced_->nodes().size())
             : fmt::format("has {} there{}", announced_->node(node.id).op->name,
                           announced_->node(node.id).op == node.op ? " with other operands or attributes" : "")));
}

void EagerSession::release_after(NodeId node) {
  if (announced_ == nullptr) return;
  for (const ValueId id : releases_[node]) slots_[id].block = {};
}

Result<void> EagerSession::run_step(uint32_t step, const Build& build, Observer* observer) {
  slots_.clear();
  builder_.restart();
  observer_ = observer;
  if (observer != nullptr) observer->step_begin(step, now_ticks());
  build(builder_);
  core_->devices.wait();
  backend_.synchronize();
  forget_fetches();
  report_beside();
  if (observer != nullptr) observer->step_end(step, now_ticks());
  observer_ = nullptr;
  if (builder_.failed()) {
    const Error error = builder_.finish().error();
    slots_.clear();
    builder_.restart();
    return error;
  }
  if (announced_ != nullptr && tape().nodes().size() != announced_->nodes().size()) {
    return refused_error(
        fmt::format("[eager] this step has {} ops, the announced step {}. A capture holds one list "
                    "of ops, so a step "
                    "that depends on data cannot be announced",
                    tape().nodes().size(), announced_->nodes().size()));
  }
  return {};
}

Tensor EagerSession::tensor(ValueId id) const {
  CHECK(id < slots_.size() && slots_[id].block);
  core_->devices.wait();
  return slots_[id].tensor();
}

std::optional<Tensor> EagerSession::find(std::string_view name) const {
  core_->devices.wait();
  for (const Value& value : tape().values()) {
    if (value.name == name && value.id < slots_.size() && slots_[value.id].block) return slots_[value.id].tensor();
  }
  const auto found = leaves_.find(std::string(name));
  if (found == leaves_.end()) return std::nullopt;
  return Tensor(found->second->storage, found->second->type);
}

// ---- announced steps
// ----------------------------------------------------------------------------------------------------

/// Builders that plan may move nodes (checkpointing, tangents beside their ops); those that run at once cannot.
static bool in_order_of_appending(const Graph& graph) {
  ValueId next = 0;
  for (const Node& node : graph.nodes()) {
    if (node.outputs.empty()) continue;
    if (node.outputs.front() < next) return false;
    next = node.outputs.back();
  }
  return true;
}

Result<void> EagerSession::announce(std::shared_ptr<const Graph> graph) {
  announced_ = nullptr;
  slots_.clear();
  if (graph == nullptr) return {};
  if (!in_order_of_appending(*graph)) {
    return usage_error(
        "[eager] this graph runs its ops in another order than it appends them (checkpointing, "
        "forward mode), which "
        "needs a plan. Use --graph static, or leave these out");
  }
  Result<MemoryPlan> lifetimes = plan_memory_within(*graph, backend_.info());
  if (!lifetimes) return lifetimes.error();
  memory_ = std::move(*lifetimes);
  releases_.assign(graph->nodes().size(), {});
  std::vector<bool> kept(graph->values().size(), false);
  for (const ValueId id : graph->outputs()) kept[id] = true;
  for (const Placement& placement : memory_.placements) {
    const Value& value = graph->value(placement.value);
    if (value.producer == kNoNode || kept[value.id]) continue;
    // A view is read no longer than its last use says, the viewed bytes are held by whoever else
    // views them.
    releases_[placement.last_op].push_back(value.id);
  }
  announced_ = graph;
  // The pool has grown after the first pass; from the second on values lie where they will lie in
  // every step.
  Result<void> placed = place_once(*graph);
  if (placed) {
    for (eager::OpRunner* runner : core_->devices.runners()) runner->pool().reset_peak();
    placed = place_once(*graph);
  }
  if (!placed) announced_ = nullptr;
  slots_.clear();
  return placed;
}

/// A step without computing: every value gets its memory and every op its kernel.
Result<void> EagerSession::place_once(const Graph& graph) {
  slots_.clear();
  facts_.assign(graph.nodes().size(), view_facts());
  runners_.assign(graph.nodes().size(), nullptr);
  std::vector<const eager::MemoryPool*> pools(graph.values().size(), nullptr);  // of values that lie on further devices
  memory_.persistent_bytes = 0;
  size_t next_node = 0;
  for (const Value& value : graph.values()) {
    if (value.producer == kNoNode) {
      if (Result<void> given = leaf(value); !given) return given;
      memory_.placements[value.id].offset_bytes = slots_[value.id].block->offset_bytes;
      continue;
    }
    if (value.producer != next_node) continue;  // a further output of the node before
    const Node& node = graph.node(static_cast<NodeId>(next_node++));
    known_outputs(*node.op, node.inputs, node.attributes);
    Result<PreparedOp*> op = ready(graph, node);
    if (!op)
      return Error{op.error().kind,
                   node.layer.empty() ? op.error().message : fmt::format("{}: {}", node.layer, op.error().message)};
    runners_[node.id] = known_->runner;
    if (*op != nullptr) facts_[node.id] = (*op)->facts();
    for (const ValueId id : node.outputs) {
      memory_.placements[id].offset_bytes = slots_[id].block->offset_bytes;
      memory_.placements[id].size_bytes = slots_[id].block->size_bytes;
      pools[id] = slots_[id].block.pool();
    }
    release_after(node.id);
  }
  memory_.arena_bytes = memory_.peak_live_bytes = 0;
  int64_t workspace_bytes = 0;
  for (const eager::OpRunner* runner : core_->devices.runners()) {  // one device's memory behind the other's
    for (ValueId id = 0; id < pools.size(); ++id) {
      if (pools[id] == &runner->pool()) memory_.placements[id].offset_bytes += memory_.arena_bytes;
    }
    memory_.arena_bytes += runner->pool().reserved_bytes();
    memory_.peak_live_bytes += runner->pool().peak_bytes();
    workspace_bytes += runner->workspace_bytes();
  }
  memory_.persistent_bytes = persistent_bytes_;
  memory_.total_bytes = static_cast<double>(memory_.arena_bytes) + static_cast<double>(persistent_bytes_) +
                        static_cast<double>(workspace_bytes);
  return {};
}

void append_graph(GraphBuilder& builder, const Graph& graph) {
  size_t next_node = 0;
  for (const Value& value : graph.values()) {
    if (builder.failed()) return;
    switch (value.kind) {
      case ValueKind::input: builder.input(value.name, value.type, value.fill, value.data); break;
      case ValueKind::parameter: builder.parameter(value.name, value.type, value.fill); break;
      case ValueKind::state: builder.state(value.name, value.type, value.fill, value.role); break;
      case ValueKind::constant: builder.constant(value.name, value.data, value.role); break;
      case ValueKind::intermediate:
        if (value.producer != next_node) break;  // a further output of the node before
        const Node& node = graph.node(static_cast<NodeId>(next_node++));
        builder.set_layer(node.layer);
        builder.set_phase(node.phase);
        builder.append(*node.op, node.inputs, node.attributes, value.name);
        break;
    }
  }
  for (const ValueId id : graph.outputs()) builder.mark_output(id);
}

}  // namespace engine
