// SPDX-License-Identifier: Apache-2.0
// Core: runs recipes on cells, records what gradients need, and frees what nothing can reach.
#include "engine/eager/core.h"

#include <bit>

#include "engine/eager/program.h"
#include "engine/graph/autograd.h"
#include "engine/ops/op_list.h"

namespace engine::eager {

namespace {

/// Which operands (bits: inputs, then outputs) the gradient by the `needed` inputs reads bytes of
/// when the loss depends on the `reached` outputs. Found by asking it on types alone; nothing where
/// it refuses.
uint64_t read_by_gradient(const Recipe& recipe, uint64_t needed, uint64_t reached) {
  GraphBuilder builder;
  std::vector<ValueId> ids;
  for (const TypeInfo* input : recipe.inputs) ids.push_back(builder.operand(*input->type));
  builder.append(*recipe.node.op, ids, recipe.node.attributes);
  const Node node = builder.graph().nodes().back();
  std::vector<ValueId> gradients;
  for (size_t j = 0; j < recipe.output_types.size(); ++j) {
    const TensorType& type = recipe.output_types[j];
    gradients.push_back((reached >> j & 1) != 0 ? builder.operand(TensorType::contiguous(type.dtype, type.shape))
                                                : kNoValue);
  }
  std::vector<bool> wanted;
  for (size_t i = 0; i < recipe.inputs.size(); ++i) wanted.push_back((needed >> i & 1) != 0);
  GradientContext context(builder, node, std::move(gradients), wanted);
  recipe.node.op->gradient(context);
  if (builder.failed()) return 0;
  // Whose bytes each value shows; kNoValue: its own. The node's operands were appended first, so
  // their id is their number.
  std::vector<ValueId> shows(builder.graph().values().size(), kNoValue);
  for (const ValueId id : node.inputs) shows[id] = id;
  for (const ValueId id : node.outputs) shows[id] = id;
  uint64_t operands = 0;
  const auto read = [&](ValueId id) {
    if (id != kNoValue && shows[id] != kNoValue) operands |= uint64_t{1} << shows[id];
  };
  for (NodeId n = node.id + 1; n < builder.graph().nodes().size(); ++n) {
    const Node& reader = builder.graph().node(n);
    if (reader.op->view != nullptr) {
      shows[reader.outputs[0]] = shows[reader.inputs[0]];
    } else {
      for (const ValueId id : reader.inputs) read(id);
    }
  }
  for (const ValueId gradient : context.input_gradients()) read(gradient);
  return operands;
}

}  // namespace

Core::Core(Backend& device, uint64_t first_seed)
    : backend(device), pool(device), runners{&runner}, runner(device, pool, runners), seed(first_seed) {}

Core::~Core() {
  for (const auto& program : programs_) give_back(*program);
}

void Core::give_back(Program& program) {
  for (Recipe* recipe : program.recipes) {
    if (recipe != nullptr) recipe->runner->give_back(recipe);
  }
}

// ---- cells
// --------------------------------------------------------------------------------------------------------------

Cell* Core::new_cell() {
  Cell* cell = cells_.take();
  cell->core = this;
  cell->users = 1;
  ++users;
  return cell;
}

Cell* Core::failed_cell(Core* core, Error error) {
  Cell* cell = core != nullptr ? core->new_cell() : new Cell;
  cell->users = 1;
  cell->error = std::make_unique<Error>(std::move(error));
  return cell;
}

void Core::give_back(Cell* cell) {
  if (--cell->users > 0) return;
  Core* core = cell->core;
  if (core == nullptr) {
    delete cell;
    return;
  }
  ++core->users;  // until the last line
  std::vector<Recorded*> unreachable;
  core->release(cell, unreachable);
  while (!unreachable.empty()) {
    Recorded* op = unreachable.back();
    unreachable.pop_back();
    core->release(op, unreachable);
  }
  leave(core);
}

void Core::release(Cell* cell, std::vector<Recorded*>& unreachable) {
  if (cell->gradient != nullptr && --cell->gradient->users == 0) release(cell->gradient, unreachable);
  if (cell->maker != nullptr && --cell->maker->users == 0) unreachable.push_back(cell->maker);
  cell->slot = {};
  cell->gradient = nullptr;
  cell->maker = nullptr;
  cell->requires_grad = false;
  cell->output = 0;
  cell->error.reset();
  cells_.put(cell);
  --users;
}

void Core::release(Recorded* op, std::vector<Recorded*>& unreachable) {
  const size_t count = op->recipe->inputs.size() + op->recipe->outputs.size();
  for (size_t i = 0; i < count; ++i) {
    RecordedOperand& operand = op->operands[i];
    if (operand.maker != nullptr && --operand.maker->users == 0) unreachable.push_back(operand.maker);
    if (operand.leaf != nullptr && --operand.leaf->users == 0) release(operand.leaf, unreachable);
    if (operand.saved != nullptr) {
      if (--operand.saved->recorded == 0) saved_bytes -= operand.saved->size_bytes;
      op->recipe->runner->pool().give_back(operand.saved);
    }
    operand = {};
  }
  op->many.reset();
  op->operands = nullptr;
  runner.give_back(std::exchange(op->recipe, nullptr));
  records_.put(op);
  --recorded_ops;
}

// ---- running and recording
// ----------------------------------------------------------------------------------------------

const Error* Core::execute(Recipe& recipe, std::span<Cell* const> inputs, Cell** outputs) {
  std::array<const Slot*, OpRunner::kMaxOperands> in;
  bool differentiable = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in[i] = &inputs[i]->slot;
    differentiable = differentiable || inputs[i]->requires_grad;
  }
  const std::span<const Slot* const> slots(in.data(), inputs.size());
  const size_t count = recipe.outputs.size();
  PreparedOp* op = nullptr;
  if (count == 1) {
    Cell* cell = new_cell();
    if (!recipe.runner->try_ready(recipe, slots, &cell->slot, op)) {
      give_back(cell);
      return &recipe.runner->error();
    }
    outputs[0] = cell;
  } else if (!ready_several(recipe, slots, outputs, op)) {
    return &recipe.runner->error();
  }
  if (op != nullptr) op->run();
  if (recipe.target != recipe.runner) {
    if (const Error* error = finish_transfer(op)) {
      give_back(outputs[0]);
      return error;
    }
  }
  if (differentiable && no_grad == 0) record(recipe, inputs, {outputs, count});
  return nullptr;
}

bool Core::ready_several(Recipe& recipe, std::span<const Slot* const> inputs, Cell** outputs, PreparedOp*& op) {
  std::array<Slot, GraphBuilder::kMaxOutputs> slots;
  if (!recipe.runner->try_ready(recipe, inputs, slots.data(), op)) return false;
  for (size_t j = 0; j < recipe.outputs.size(); ++j) {
    outputs[j] = new_cell();
    outputs[j]->slot = std::move(slots[j]);
  }
  return true;
}

Recipe* Core::scale_recipe(const TypeInfo* type, double factor, double shift) {
  const uint64_t bits = std::bit_cast<uint64_t>(factor) ^ (std::bit_cast<uint64_t>(shift) >> 1) ^
                        (reinterpret_cast<uintptr_t>(type) >> 4);
  KnownScale& known = scales_[bits * 0x9E3779B97F4A7C15u >> 58];  // the 6 bits that Fibonacci hashing mixes best
  const bool same = known.type == type && std::bit_cast<uint64_t>(known.factor) == std::bit_cast<uint64_t>(factor) &&
                    std::bit_cast<uint64_t>(known.shift) == std::bit_cast<uint64_t>(shift);
  if (same && known.generation == runner.generation()) return known.recipe;
  const Attributes attributes{{"factor", factor}, {"shift", shift}};
  Recipe* recipe = runner.find(ops::kScale, {&type, 1}, attributes);
  if (recipe == nullptr) {
    Result<Recipe*> made = runner.make(ops::kScale, {&type, 1}, attributes);
    if (!made) {
      refusal_ = made.error();
      return nullptr;
    }
    recipe = *made;
  }
  known = {type, factor, shift, runner.generation(), recipe};
  return recipe;
}

void Core::record(Recipe& recipe, std::span<Cell* const> inputs, std::span<Cell* const> outputs) {
  bool floating = false;
  for (size_t j = 0; j < outputs.size(); ++j) {
    if (recipe.in_place[j] >= 0)
      return;  // overwriting is not differentiable; what was saved of it notices by its version
    floating = floating || is_floating(recipe.output_types[j].dtype);
  }
  if (!floating) return;
  uint64_t needed = 0;
  for (size_t i = 0; i < inputs.size(); ++i) needed |= uint64_t{inputs[i]->requires_grad} << i;
  const uint64_t saved = saved_operands(recipe, needed);

  Recorded* op = records_.take();
  op->recipe = &recipe;
  runner.keep(&recipe);
  op->sequence = next_sequence_++;
  op->users = 0;
  const size_t count = inputs.size() + outputs.size();
  if (count > Recorded::kInline) {
    op->many = std::make_unique<RecordedOperand[]>(count);
    op->operands = op->many.get();
  } else {
    op->operands = op->few.data();
  }
  const auto save = [&](RecordedOperand& operand, const Slot& slot) {
    Block* block = slot.block.get();
    slot.block.pool()->keep(block);
    if (block->recorded++ == 0) saved_bytes += block->size_bytes;
    operand.saved = block;
    operand.data = slot.data;
    operand.version = block->version;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    RecordedOperand& operand = op->operands[i];
    Cell* input = inputs[i];
    if (input->requires_grad) {
      if (input->maker != nullptr) {
        operand.maker = input->maker;
        operand.output = input->output;
        ++operand.maker->users;
      } else {
        operand.leaf = input;
        keep(input);
      }
    }
    if ((saved >> i & 1) != 0) save(operand, input->slot);
  }
  for (size_t j = 0; j < outputs.size(); ++j) {
    if ((saved >> (inputs.size() + j) & 1) != 0) save(op->operands[inputs.size() + j], outputs[j]->slot);
    if (!is_floating(recipe.output_types[j].dtype)) continue;
    outputs[j]->requires_grad = true;
    outputs[j]->maker = op;
    outputs[j]->output = static_cast<uint32_t>(j);
    ++op->users;
  }
  ++recorded_ops;
}

uint64_t Core::saved_operands(Recipe& recipe, uint64_t needed) {
  for (const auto& [mask, saved] : recipe.saved) {
    if (mask == needed) return saved;
  }
  uint64_t saved = 0;
  if (recipe.node.op->gradient != nullptr) {
    // Not all outputs need be reached by a loss, and some may not: each alone, then all together.
    uint64_t all = 0;
    for (size_t j = 0; j < recipe.outputs.size(); ++j) {
      if (!is_floating(recipe.output_types[j].dtype)) continue;
      all |= uint64_t{1} << j;
      saved |= read_by_gradient(recipe, needed, uint64_t{1} << j);
    }
    if (!std::has_single_bit(all)) saved |= read_by_gradient(recipe, needed, all);
  }
  recipe.saved.emplace_back(needed, saved);
  return saved;
}

}  // namespace engine::eager
