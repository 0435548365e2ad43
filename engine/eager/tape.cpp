// SPDX-License-Identifier: Apache-2.0
// Tape: records what gradients need, and frees what nothing can reach.
#include "engine/eager/tape.h"

#include <bit>
#include <utility>

#include "engine/graph/autograd.h"

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

/// Which operands (bits: inputs, then outputs) the gradient by the `needed` inputs may read.
uint64_t saved_operands(Recipe& recipe, uint64_t needed) {
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

}  // namespace

void Tape::release(Cell* cell) {
  std::vector<Recorded*> unreachable;
  release(cell, unreachable);
  while (!unreachable.empty()) {
    Recorded* op = unreachable.back();
    unreachable.pop_back();
    release(op, unreachable);
  }
}

void Tape::release(Cell* cell, std::vector<Recorded*>& unreachable) {
  if (cell->gradient != nullptr && --cell->gradient->users == 0) release(cell->gradient, unreachable);
  if (cell->maker != nullptr && --cell->maker->users == 0) unreachable.push_back(cell->maker);
  cell->slot = {};
  cell->gradient = nullptr;
  cell->maker = nullptr;
  cell->requires_grad = false;
  cell->output = 0;
  cell->error.reset();
  free_cells_.put(cell);
  --cells_;
}

void Tape::release(Recorded* op, std::vector<Recorded*>& unreachable) {
  const size_t count = op->recipe->inputs.size() + op->recipe->outputs.size();
  for (size_t i = 0; i < count; ++i) {
    RecordedOperand& operand = op->operands[i];
    if (operand.maker != nullptr && --operand.maker->users == 0) unreachable.push_back(operand.maker);
    if (operand.leaf != nullptr && --operand.leaf->users == 0) release(operand.leaf, unreachable);
    if (operand.saved != nullptr) {
      if (--operand.saved->recorded == 0) saved_bytes_ -= operand.saved->size_bytes;
      op->recipe->runner->pool().give_back(operand.saved);
    }
    operand = {};
  }
  op->many.reset();
  op->operands = nullptr;
  Recipe* recipe = std::exchange(op->recipe, nullptr);
  recipe->runner->give_back(recipe);
  free_records_.put(op);
  --recorded_ops_;
}

void Tape::record(Recipe& recipe, std::span<Cell* const> inputs, std::span<Cell* const> outputs) {
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

  Recorded* op = free_records_.take();
  op->recipe = &recipe;
  recipe.runner->keep(&recipe);
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
    if (block->recorded++ == 0) saved_bytes_ += block->size_bytes;
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
  ++recorded_ops_;
}

}  // namespace engine::eager
