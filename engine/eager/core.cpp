// SPDX-License-Identifier: Apache-2.0
// Core: runs recipes on cells, and copies cells between devices.
#include "engine/eager/core.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "engine/eager/transfer.h"
#include "engine/graph/builder.h"

namespace engine::eager {

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
  core->tape.release(cell);
  core->end_if_unused();
}

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
  if (op != nullptr) recipe.runner->run(recipe, *op);
  if (recipe.target != recipe.runner) {
    if (const Error* error = finish_transfer(op)) {
      give_back(outputs[0]);
      return error;
    }
  }
  if (differentiable && no_grad == 0) tape.record(recipe, inputs, {outputs, count});
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

Result<Cell*> Core::to_device(Cell* from, const OpRunner& target, Transfer::Reason reason) {
  const Result<Recipe*> recipe = devices.copying(from->slot, target, reason);
  if (!recipe) return recipe.error();
  Cell* output = nullptr;
  if (const Error* error = execute(**recipe, {&from, 1}, &output)) return *error;
  return output;
}

const Error* Core::finish_transfer(PreparedOp* op) const {
  const auto* copied = static_cast<TransferOp*>(op);  // no other op has a target of its own
  if (const Error* error = copied->error()) return error;
  if (observer != nullptr) op->report(*observer, Transfer::kNoOp);
  return nullptr;
}

Result<int64_t> Core::relocate(std::span<Cell* const> cells, OpRunner& target) {
  std::vector<std::pair<Cell*, Slot>> moved;
  int64_t size_bytes = 0;
  for (Cell* cell : cells) {
    OpRunner& here = devices.runner_of(cell->slot);
    if (&here == &target) continue;
    here.wait();
    target.wait();
    const TypeInfo* type =
        target.type(TensorType::contiguous(cell->slot.type->type->dtype, cell->slot.type->type->shape));
    Result<Block*> block = target.pool().allocate(type->span_bytes);
    if (!block) return block.error();
    Slot slot{type, BlockUse(target.pool(), *block), (*block)->data};
    const Result<Transfer> done =
        transfer(here.backend(), cell->slot.tensor(), target.backend(), slot.tensor(), Transfer::Reason::asked);
    if (!done) return done.error();
    if (observer != nullptr) observer->transfer_done(Transfer::kNoOp, *done);
    size_bytes += done->size_bytes;
    moved.emplace_back(cell, std::move(slot));
  }
  for (auto& [cell, slot] : moved) cell->slot = std::move(slot);
  return size_bytes;
}

}  // namespace engine::eager
