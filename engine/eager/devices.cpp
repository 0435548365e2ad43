// SPDX-License-Identifier: Apache-2.0
// Several devices in one session: where tensors lie, copies between devices, and what may be mixed.
#include <fmt/format.h>

#include <algorithm>

#include "engine/eager/transfer.h"
#include "engine/eager/variable.h"
#include "engine/graph/to_device.h"
#include "engine/ops/casting.h"
#include "engine/ops/ops.h"
#include "engine/tensor/device_name.h"

namespace engine {
namespace eager {

Result<void> Core::add_device(Backend& device) {
  const std::string name = to_string(device.info().device);
  if (find_runner(runners, name) != nullptr)
    return usage_error(fmt::format("[add_device] the session has {} already", name));
  places.push_back(std::make_unique<Place>(device, runners, runners.size()));
  runners.push_back(&places.back()->runner);
  return {};
}

OpRunner& Core::further_runner(const MemoryPool& other) {
  const auto found = std::ranges::find(places, &other, [](const auto& place) { return &place->pool; });
  CHECK(found != places.end());
  return (*found)->runner;
}

Result<Meeting> Core::meet(const Op& op, std::span<const Slot* const> operands) {
  Meeting meeting;
  size_t decisive = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->type->type->shape.empty()) continue;
    OpRunner& there = runner_of(*operands[i]);
    if (meeting.runner == nullptr) {
      meeting.runner = &there;
      decisive = i;
    } else if (meeting.runner != &there) {
      return usage_error(
          fmt::format("[{0}] operand {1} is on {2}, operand {3} on {4}, but an op runs on one device. "
                      "Copy one of them first, such as operand {1} by .to(\"{4}\"). Only 0-d operands "
                      "are fetched automatically",
                      op.name, decisive, meeting.runner->device_name(), i, there.device_name()));
    }
  }
  if (meeting.runner == nullptr) meeting.runner = operands.empty() ? &runner : &runner_of(*operands[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (&runner_of(*operands[i]) == meeting.runner) continue;
    if (std::ranges::find(op.in_place, static_cast<int>(i)) != op.in_place.end()) {
      return usage_error(fmt::format("[{}] overwrites operand {}, which is on {} and not on {}: copy it there first",
                                     op.name, i, runner_of(*operands[i]).device_name(), meeting.runner->device_name()));
    }
    meeting.fetched |= uint64_t{1} << i;
  }
  return meeting;
}

Result<Recipe*> Core::fetching(const Slot& scalar, const OpRunner& target) {
  OpRunner& from = runner_of(scalar);
  const Attributes attributes{
      {"from", from.device_name()}, {"to", target.device_name()}, {"reason", std::string(kScalarReason)}};
  Recipe* known = from.find(kToDevice, {&scalar.type, 1}, attributes);
  return known != nullptr ? Result<Recipe*>(known) : from.make(kToDevice, {&scalar.type, 1}, attributes);
}

Result<Cell*> Core::to_device(Cell* from, const OpRunner& target, Transfer::Reason reason) {
  const auto recipe_for = [&]() -> Result<Recipe*> {
    if (reason == Transfer::Reason::scalar) return fetching(from->slot, target);
    OpRunner& here = runner_of(from->slot);
    const Attributes attributes{{"from", here.device_name()}, {"to", target.device_name()}};
    Recipe* known = here.find(kToDevice, {&from->slot.type, 1}, attributes);
    return known != nullptr ? Result<Recipe*>(known) : here.make(kToDevice, {&from->slot.type, 1}, attributes);
  };
  const Result<Recipe*> recipe = recipe_for();
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
    OpRunner& here = runner_of(cell->slot);
    if (&here == &target) continue;
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

}  // namespace eager

using eager::Cell;
using eager::Core;
using eager::OpRunner;
using eager::Slot;

Result<void> EagerSession::add_device(Backend& backend) { return core_->add_device(backend); }

void EagerSession::observe(Observer* observer) { core_->observer = observer; }

// ---- variables

Device Variable::device() const {
  CHECK(ok());
  return cell_->core->runner_of(cell_->slot).backend().info().device;
}

Variable Variable::to(const Device& device) const {
  if (!ok()) return *this;
  Core& core = *cell_->core;
  const OpRunner* target = find_runner(core.runners, to_string(device));
  if (target == nullptr) {
    return Variable(Core::failed_cell(&core, usage_error(fmt::format("[to] this session has no {}; it has {}",
                                                                     to_string(device), device_names(core.runners)))));
  }
  if (target == &core.runner_of(cell_->slot)) return *this;
  const Result<Cell*> there = core.to_device(cell_, *target, Transfer::Reason::asked);
  return Variable(there ? *there : Core::failed_cell(&core, there.error()));
}

Variable Variable::to(std::string_view device) const {
  if (!ok()) return *this;
  const Result<Device> parsed = parse_device(device);
  if (!parsed) return Variable(Core::failed_cell(cell_->core, usage_error("[to] " + parsed.error().message)));
  return to(*parsed);
}

Variable Variable::new_full(const Shape& shape, double value) const {
  return new_leaf_like(shape, {Fill::Kind::constant, value, 0});
}
Variable Variable::new_zeros(const Shape& shape) const { return new_leaf_like(shape, {Fill::Kind::zeros, 0, 0}); }
Variable Variable::new_ones(const Shape& shape) const { return new_leaf_like(shape, {Fill::Kind::ones, 0, 0}); }

namespace {

/// `from` in the dtype and shape of `target`, on its own device.
Variable fitted(const Variable& from, const Variable& target) {
  if (from.dtype() == target.dtype() && from.shape() == target.shape()) return from;
  return apply({&from, 1}, [&](GraphBuilder& builder, std::span<const ValueId> x) {
    return std::vector{ops::expand(builder, ops::cast(builder, x[0], target.dtype()), target.shape())};
  })[0];
}

}  // namespace

Result<void> Variable::copy_(const Variable& from) const {
  if (!ok()) return error();
  if (!from.ok()) return from.error();
  Core& core = *cell_->core;
  if (from.cell_->core != &core) return usage_error("[copy_] the operands belong to different sessions");
  if (core.no_grad == 0 && (requires_grad() || from.requires_grad())) {
    return usage_error(
        fmt::format("[copy_] {} requires a gradient, and overwriting is not recorded: let a NoGrad live around it, or "
                    "compute a new value",
                    requires_grad() ? "what is overwritten" : "what is copied"));
  }
  ++core.no_grad;
  const Variable fitting = fitted(from, *this);
  --core.no_grad;
  if (!fitting.ok())
    return Error{fitting.error().kind, fmt::format("[copy_] {} to {}: {}", to_string(from.type()), to_string(type()),
                                                   fitting.error().message)};
  OpRunner &here = core.runner_of(fitting.cell_->slot), &there = core.runner_of(cell_->slot);
  Tensor source = fitting.cell_->slot.tensor();
  if (fitting.cell_->slot.block.get() ==
      cell_->slot.block.get()) {  // the same bytes: read them all before the first is written
    Result<Tensor> apart = fitting.to_tensor();
    if (!apart) return apart.error();
    if (Result<void> copied = there.backend().copy(*apart, cell_->slot.tensor()); !copied) return copied;
  } else if (&here == &there) {
    if (Result<void> copied = there.backend().copy(source, cell_->slot.tensor()); !copied) return copied;
  } else {
    const Result<Transfer> done =
        eager::transfer(here.backend(), source, there.backend(), cell_->slot.tensor(), Transfer::Reason::asked);
    if (!done) return done.error();
    if (core.observer != nullptr) core.observer->transfer_done(Transfer::kNoOp, *done);
  }
  ++cell_->slot.block->version;
  return {};
}

Result<void> Variable::fill_(double value) const { return ok() ? copy_(new_full({}, value)) : Result<void>(error()); }

}  // namespace engine
