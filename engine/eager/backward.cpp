// SPDX-License-Identifier: Apache-2.0
// Backward: collects the tape behind a loss, lists the ops of its gradient, and runs them with the saved bytes.
#include "engine/eager/backward.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/eager/core.h"
#include "engine/eager/program.h"
#include "engine/ops/autograd.h"
#include "engine/ops/op_list.h"
#include "engine/runtime/plan.h"

namespace engine::eager {
namespace {

constexpr size_t kMostPrograms = 16;
constexpr uint64_t kLeaf = uint64_t{1} << 62, kOther = uint64_t{1} << 63;

size_t operand_count(const Recorded& op) { return op.recipe->inputs.size() + op.recipe->outputs.size(); }

/// The ops behind `loss` in the order they ran, and the leaves they read.
void collect(Cell* loss, uint64_t walk, std::vector<Recorded*>& tape, std::vector<Cell*>& leaves) {
  const auto visit = [&](Recorded* op) {
    if (op == nullptr || op->walk == walk) return;
    op->walk = walk;
    tape.push_back(op);
  };
  visit(loss->maker);
  for (size_t next = 0; next < tape.size(); ++next) {
    for (size_t i = 0; i < tape[next]->recipe->inputs.size(); ++i) visit(tape[next]->operands[i].maker);
  }
  std::ranges::sort(tape, {}, &Recorded::sequence);
  for (size_t n = 0; n < tape.size(); ++n) {
    tape[n]->index = static_cast<uint32_t>(n);
    for (size_t i = 0; i < tape[n]->recipe->inputs.size(); ++i) {
      Cell* leaf = tape[n]->operands[i].leaf;
      if (leaf == nullptr || leaf->walk == walk) continue;
      leaf->walk = walk;
      leaf->index = static_cast<uint32_t>(leaves.size());
      leaves.push_back(leaf);
    }
  }
}

Signature signature_of(const Cell* loss, std::span<Recorded* const> tape) {
  Signature signature{loss->maker->index, loss->output};
  for (const Recorded* op : tape) {
    signature.push_back(op->recipe->id);
    for (size_t i = 0; i < op->recipe->inputs.size(); ++i) {
      const RecordedOperand& operand = op->operands[i];
      if (operand.maker != nullptr) {
        signature.push_back(uint64_t{operand.maker->index} << 8 | operand.output);
      } else {
        signature.push_back(operand.leaf != nullptr ? kLeaf | operand.leaf->index : kOther);
      }
    }
  }
  return signature;
}

/// Bytes that were overwritten since they were saved would give wrong gradients.
Result<void> check_versions(std::span<Recorded* const> tape) {
  for (const Recorded* op : tape) {
    for (size_t i = 0; i < operand_count(*op); ++i) {
      const RecordedOperand& operand = op->operands[i];
      if (operand.saved == nullptr || operand.saved->version == operand.version) continue;
      const bool input = i < op->recipe->inputs.size();
      const TypeInfo* type = input ? op->recipe->inputs[i] : op->recipe->outputs[i - op->recipe->inputs.size()];
      return usage_error(
          fmt::format("[backward] {} {} of {} ({}) was overwritten after the op ran, but its "
                      "gradient needs the old "
                      "bytes. Call backward() first, or compute a new value",
                      input ? "input" : "output", input ? i : i - op->recipe->inputs.size(), op->recipe->node.op->name,
                      to_string(*type->type)));
    }
  }
  return {};
}

/// The tape's ops on a builder, its gradient after them, and when each value is read for the last
/// time.
Result<std::unique_ptr<Program>> make_program(const Cell* loss, std::span<Recorded* const> tape,
                                              std::span<Cell* const> leaves) {
  auto program = std::make_unique<Program>();
  GraphBuilder builder;
  std::vector<ValueId> wanted;
  for (const Cell* leaf : leaves) wanted.push_back(builder.operand(*leaf->slot.type->type));
  std::vector<size_t> outputs_of;  // by op: where its outputs begin in operands
  for (const Recorded* op : tape) {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < op->recipe->inputs.size(); ++i) {
      const RecordedOperand& operand = op->operands[i];
      if (operand.maker != nullptr) {
        inputs.push_back(program->operands[outputs_of[operand.maker->index] + operand.output]);
      } else {
        inputs.push_back(operand.leaf != nullptr ? wanted[operand.leaf->index]
                                                 : builder.operand(*op->recipe->inputs[i]->type));
      }
    }
    program->operands.insert(program->operands.end(), inputs.begin(), inputs.end());
    outputs_of.push_back(program->operands.size());
    const std::vector<ValueId> outputs =
        builder.append(*op->recipe->node.op, std::move(inputs), op->recipe->node.attributes);
    program->operands.insert(program->operands.end(), outputs.begin(), outputs.end());
  }
  program->first = static_cast<NodeId>(tape.size());
  const ValueId loss_value = program->operands[outputs_of[loss->maker->index] + loss->output];
  program->gradients = differentiate(builder, loss_value, wanted);
  Result<Graph> graph = builder.finish();
  if (!graph) return graph.error();
  program->graph = std::move(*graph);

  const size_t nodes = program->graph.nodes().size() - program->first;
  std::vector<NodeId> last(program->graph.values().size(), kNoNode);
  for (size_t n = program->first; n < program->graph.nodes().size(); ++n) {
    const Node& node = program->graph.node(static_cast<NodeId>(n));
    for (const ValueId id : node.inputs) last[id] = node.id;
    for (const ValueId id : node.outputs) last[id] = node.id;
  }
  for (const ValueId id : program->gradients) {
    if (id != kNoValue) last[id] = kNoNode;
  }
  program->releases.resize(nodes);
  program->recipes.assign(nodes, nullptr);
  for (size_t id = 0; id < last.size(); ++id) {
    if (last[id] != kNoNode) program->releases[last[id] - program->first].push_back(static_cast<ValueId>(id));
  }
  return program;
}

/// Where the program's values lie: the tape's recipes say it of their operands.
void place_program(Program& program, std::span<Recorded* const> tape, std::span<OpRunner* const> runners) {
  std::vector<std::pair<ValueId, OpRunner*>> known;
  size_t next = 0;
  for (const Recorded* op : tape) {
    for (size_t i = 0; i < operand_count(*op); ++i)
      known.emplace_back(program.operands[next++],
                         i < op->recipe->inputs.size() ? op->recipe->runner : op->recipe->target);
  }
  program.places = place_values(program.graph, known, runners);
}

Result<void> make_constants(Program& program) {
  for (const Value& value : program.graph.values()) {
    if (value.kind != ValueKind::constant) continue;
    auto constant = std::make_unique<Program::Constant>();
    Backend& backend = program.places[value.id]->backend();
    Result<std::shared_ptr<Storage>> storage = backend.allocate(value.type.span_bytes());
    if (!storage) return storage.error();
    constant->value = value.id;
    constant->storage = std::move(*storage);
    constant->block.data = constant->storage->data();
    constant->block.size_bytes = value.type.span_bytes();
    constant->block.storage = &constant->storage;
    constant->block.users = 1;  // the program's, which the pool never sees end
    if (auto copied = backend.copy(value.data, Tensor(constant->storage, value.type)); !copied) return copied;
    program.constants.push_back(std::move(constant));
  }
  return {};
}

/// The values a backward pass starts from: what was saved, and constants.
std::vector<Slot> starting_slots(const Program& program, std::span<Recorded* const> tape) {
  std::vector<Slot> slots(program.graph.values().size());
  size_t next = 0;
  for (const Recorded* op : tape) {
    for (size_t i = 0; i < operand_count(*op); ++i) {
      const size_t inputs = op->recipe->inputs.size();
      const OpRunner& place = i < inputs ? *op->recipe->runner : *op->recipe->target;
      Slot& slot = slots[program.operands[next++]];
      slot.type = i < inputs ? op->recipe->inputs[i] : op->recipe->outputs[i - inputs];
      const RecordedOperand& operand = op->operands[i];
      if (operand.saved == nullptr || slot.block) continue;
      place.pool().keep(operand.saved);
      slot.block = BlockUse(place.pool(), operand.saved);
      slot.data = operand.data;
    }
  }
  for (const auto& constant : program.constants) {
    OpRunner& place = *program.places[constant->value];
    place.pool().keep(&constant->block);
    slots[constant->value] = {place.type(program.graph.value(constant->value).type),
                              BlockUse(place.pool(), &constant->block), constant->block.data};
  }
  return slots;
}

/// Who computes a node of the gradient.
OpRunner& runner_of(Core& core, const Program& program, const Node& node) {
  if (!node.inputs.empty()) return *program.places[node.inputs[0]];
  return node.outputs.empty() ? core.devices.runner() : *program.places[node.outputs[0]];
}

/// A gradient cannot be added up where its leaf is no longer.
Result<void> check_place(Core& core, const Program& program, size_t leaf_index, const Cell& leaf) {
  const ValueId gradient = program.gradients[leaf_index];
  if (gradient == kNoValue) return {};
  const OpRunner &then = *program.places[gradient], &now = core.devices.runner_of(leaf.slot);
  if (&then == &now) return {};
  return usage_error(fmt::format(
      "[backward] a leaf, {}, was moved from {} to {} after ops had read it: move modules before they are used",
      to_string(*leaf.slot.type->type), then.device_name(), now.device_name()));
}

/// Runs the gradient's nodes; values are let go after their last use.
Result<void> run_program(Core& core, Program& program, std::vector<Slot>& slots) {
  std::vector<const Slot*> inputs;
  std::vector<const TypeInfo*> types;
  for (size_t n = 0; n < program.recipes.size(); ++n) {
    const Node& node = program.graph.node(static_cast<NodeId>(program.first + n));
    inputs.clear();
    for (const ValueId id : node.inputs) inputs.push_back(&slots[id]);
    Recipe*& recipe = program.recipes[n];
    if (recipe == nullptr) {
      types.clear();
      for (const ValueId id : node.inputs) types.push_back(slots[id].type);
      OpRunner& runner = runner_of(core, program, node);
      Recipe* found = runner.find(*node.op, types, node.attributes);
      if (found == nullptr) {
        Result<Recipe*> made = runner.make(*node.op, types, node.attributes, program.graph.output_types(node));
        if (!made) return made.error();
        found = *made;
      }
      recipe = found;
      runner.keep(recipe);
    }
    for (const Slot* input : inputs) {
      if (input->block || recipe->view) continue;
      return refused_error(fmt::format("[backward] {} needs the bytes of a {} that was not kept for it", node.op->name,
                                       to_string(*input->type->type)));
    }
    Result<PreparedOp*> op = recipe->runner->ready(*recipe, inputs, slots.data() + node.outputs[0]);
    if (!op) return op.error();
    if (*op != nullptr) recipe->runner->run(*recipe, **op);
    if (recipe->target != recipe->runner) {
      if (const Error* error = core.finish_transfer(*op)) return *error;
    }
    for (const ValueId id : program.releases[n]) slots[id].block = {};
  }
  return {};
}

void give_back(Program& program) {
  for (Recipe* recipe : program.recipes) {
    if (recipe != nullptr) recipe->runner->give_back(recipe);
  }
}

}  // namespace

Backward::Backward(Core& core) : core_(core) {}

Backward::~Backward() {
  core_.devices.wait();  // constants go with their programs
  for (const auto& program : programs_) give_back(*program);
}

Result<Program*> Backward::program_for(Cell* loss, std::span<Recorded* const> tape, std::span<Cell* const> leaves) {
  Signature signature = signature_of(loss, tape);
  for (const auto& program : programs_) {
    if (program->signature == signature) return program.get();
  }
  Result<std::unique_ptr<Program>> made = make_program(loss, tape, leaves);
  if (!made) return made.error();
  (*made)->signature = std::move(signature);
  place_program(**made, tape, core_.devices.runners());
  if (auto constants = make_constants(**made); !constants) return constants.error();
  if (programs_.size() < kMostPrograms) {
    programs_.push_back(std::move(*made));
    return programs_.back().get();
  }
  std::unique_ptr<Program>& place = programs_[next_program_++ % kMostPrograms];
  core_.devices.wait();
  give_back(*place);
  place = std::move(*made);
  return place.get();
}

Result<void> Backward::run(Cell* loss) {
  std::vector<Recorded*> tape;
  std::vector<Cell*> leaves;
  collect(loss, ++next_walk_, tape, leaves);
  if (Result<void> whole = check_versions(tape); !whole) return whole;
  Result<Program*> program = program_for(loss, tape, leaves);
  if (!program) return program.error();
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (Result<void> there = check_place(core_, **program, i, *leaves[i]); !there) return there;
  }
  std::vector<Slot> slots = starting_slots(**program, tape);
  if (Result<void> ran = run_program(core_, **program, slots); !ran) return ran;

  // All sums first, so that a refusal leaves every gradient as it was.
  std::vector<Cell*> sums(leaves.size(), nullptr);
  Result<void> done;
  for (size_t i = 0; i < leaves.size() && done; ++i) {
    const ValueId id = (*program)->gradients[i];
    if (id != kNoValue) done = add_gradient(leaves[i]->gradient, slots[id], sums[i]);
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (sums[i] == nullptr) continue;
    if (done) std::swap(leaves[i]->gradient, sums[i]);
    if (sums[i] != nullptr) Core::give_back(sums[i]);
  }
  return done;
}

/// sum = gradient, or earlier + gradient where there is an earlier one.
Result<void> Backward::add_gradient(Cell* earlier, const Slot& gradient, Cell*& sum) {
  Cell* cell = core_.new_cell();
  cell->slot = gradient;
  if (earlier == nullptr) {
    sum = cell;
    return {};
  }
  Cell* const both[] = {earlier, cell};
  const TypeInfo* const types[] = {earlier->slot.type, gradient.type};
  OpRunner& place = core_.devices.runner_of(gradient);
  Recipe* recipe = place.find(ops::kAdd, types, {});
  Result<Recipe*> known = recipe != nullptr ? Result<Recipe*>(recipe) : place.make(ops::kAdd, types, {});
  const Error* error = known ? core_.execute(**known, both, &sum) : &known.error();
  Result<void> result;
  if (error != nullptr) result = *error;
  Core::give_back(cell);
  return result;
}

}  // namespace engine::eager
