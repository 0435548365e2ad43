// SPDX-License-Identifier: Apache-2.0
// Variable: ops on handles, and building functions run on them.
#include "engine/eager/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "engine/eager/transfer.h"
#include "engine/ops/casting.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/tensor/device_name.h"
#include "engine/tensor/promotion.h"

namespace engine {

using eager::Block;
using eager::BlockUse;
using eager::Cell;
using eager::Core;
using eager::OpRunner;
using eager::Recipe;

namespace {

/// The error that all operands agree on having: one of theirs, or that they do not belong together.
/// Null: none.
Cell* refused_operand(std::string_view op, std::span<Cell* const> operands) {
  for (Cell* operand : operands) {
    if (operand == nullptr)
      return Core::failed_cell(nullptr, usage_error(fmt::format("[{}] an operand is an empty variable", op)));
    if (operand->error != nullptr) {
      ++operand->users;
      return operand;
    }
  }
  for (const Cell* operand : operands) {
    if (operand->core == operands[0]->core) continue;
    return Core::failed_cell(operands[0]->core,
                             usage_error(fmt::format("[{}] the operands belong to different sessions", op)));
  }
  return nullptr;
}

/// The operands of an op, gathered where it will be computed.
struct Gathered {
  OpRunner* runner = nullptr;
  std::vector<Cell*> operands;
  std::vector<const eager::TypeInfo*> types;
  std::vector<Variable> fetched;  // keeps 0-d operands that were copied
};

Result<Gathered> gather(Core& core, const Op& op, std::span<Cell* const> operands) {
  std::vector<const eager::Slot*> slots;
  for (const Cell* operand : operands) slots.push_back(&operand->slot);
  const Result<eager::Meeting> meeting = core.devices.meet(op, slots);
  if (!meeting) return meeting.error();
  Gathered gathered{meeting->runner, {operands.begin(), operands.end()}, {}, {}};
  for (size_t i = 0; i < operands.size(); ++i) {
    if ((meeting->fetched >> i & 1) != 0) {
      const Result<Cell*> copy = core.to_device(operands[i], *meeting->runner, Transfer::Reason::scalar);
      if (!copy) return copy.error();
      gathered.fetched.emplace_back(*copy);
      gathered.operands[i] = *copy;
    }
    gathered.types.push_back(gathered.operands[i]->slot.type);
  }
  return gathered;
}

/// Runs an op with one output some of whose operands lie on further devices.
Variable run_abroad(Core& core, const Op& op, std::span<Cell* const> operands, const Attributes& attributes) {
  const Result<Gathered> gathered = gather(core, op, operands);
  if (!gathered) return Variable(Core::failed_cell(&core, gathered.error()));
  Recipe* recipe = gathered->runner->find(op, gathered->types, attributes);
  if (recipe == nullptr) {
    Result<Recipe*> made = gathered->runner->make(op, gathered->types, attributes);
    if (!made) return Variable(Core::failed_cell(&core, made.error()));
    recipe = *made;
  }
  Cell* output = nullptr;
  if (const Error* error = core.execute(*recipe, gathered->operands, &output))
    return Variable(Core::failed_cell(&core, *error));
  return Variable(output);
}

/// Runs an op with one output.
Variable run(const Op& op, std::span<Cell* const> operands, const Attributes& attributes) {
  bool usable = true, at_home = true;
  for (const Cell* operand : operands) {
    usable = usable && operand != nullptr && operand->error == nullptr && operand->core == operands[0]->core;
    at_home = at_home && usable && operand->slot.block.pool() == &operand->core->devices.pool();
  }
  if (!usable) return Variable(refused_operand(op.name, operands));
  Core& core = *operands[0]->core;
  if (!at_home) return run_abroad(core, op, operands, attributes);
  std::array<const eager::TypeInfo*, 4> types{};
  CHECK(operands.size() <= types.size());
  for (size_t i = 0; i < operands.size(); ++i) types[i] = operands[i]->slot.type;
  const std::span<const eager::TypeInfo* const> known(types.data(), operands.size());
  Recipe* recipe = core.devices.runner().find(op, known, attributes);
  if (recipe == nullptr) {
    Result<Recipe*> made = core.devices.runner().make(op, known, attributes);
    if (!made) return Variable(Core::failed_cell(&core, made.error()));
    recipe = *made;
  }
  Cell* output = nullptr;
  if (const Error* error = core.execute(*recipe, operands, &output)) return Variable(Core::failed_cell(&core, *error));
  return Variable(output);
}

Variable unary(const Op& op, const Variable& x, const Attributes& attributes = {}) {
  Cell* const operands[] = {x.cell()};
  return run(op, operands, attributes);
}

Variable binary(const Op& op, const Variable& a, const Variable& b) {
  static const Attributes kNone;
  Cell* const operands[] = {a.cell(), b.cell()};
  return run(op, operands, kNone);
}

/// x in another dtype, recorded as any op.
Variable cast_to(const Variable& x, DType dtype) {
  return x.dtype() == dtype ? x : unary(ops::kCast, x, {{"dtype", std::string(name(dtype))}});
}

/// Element by element: a 0-d operand of another dtype mixes in as PyTorch promotes; others are refused by the op.
Variable elementwise(const Op& op, const Variable& a, const Variable& b) {
  if (!a.ok() || !b.ok() || a.dtype() == b.dtype()) return binary(op, a, b);
  const std::optional<DType> dtype = promoted(a.dtype(), a.shape().empty(), b.dtype(), b.shape().empty());
  return dtype ? binary(op, cast_to(a, *dtype), cast_to(b, *dtype)) : binary(op, a, b);
}

/// A leaf of the session with bytes of its own, not yet written.
Result<Cell*> new_leaf(Core& core, OpRunner& place, const TensorType& type) {
  Result<Block*> block = place.pool().allocate(type.span_bytes());
  if (!block)
    return Error{block.error().kind, fmt::format("[variable] {}: {}", to_string(type), block.error().message)};
  place.wait();  // ops may still read what lay there before
  Cell* cell = core.new_cell();
  cell->slot = {place.type(type), BlockUse(place.pool(), *block), (*block)->data};
  return cell;
}

/// A leaf that starts like a value of that description.
Variable started(Core& core, OpRunner& place, const Value& value, bool requires_grad) {
  if (requires_grad && !is_floating(value.type.dtype)) {
    return Variable(Core::failed_cell(
        &core, usage_error(fmt::format("[variable] {} cannot require a gradient: only floating-point numbers have one",
                                       to_string(value.type)))));
  }
  // A builder says what is wrong with a type no tensor can have.
  GraphBuilder builder;
  builder.operand(value.type);
  if (builder.failed()) return Variable(Core::failed_cell(&core, builder.finish().error()));
  Result<Cell*> cell = new_leaf(core, place, value.type);
  if (!cell) return Variable(Core::failed_cell(&core, cell.error()));
  Variable variable(*cell);
  if (auto filled = start_leaf(value, place.backend(), (*cell)->slot.tensor(), core.seed); !filled)
    return Variable(Core::failed_cell(&core, filled.error()));
  (*cell)->requires_grad = requires_grad;
  return variable;
}

/// Runs a building function's nodes on cells, recording as single ops do.
class CellExecutor final : public EagerExecutor {
 public:
  CellExecutor(Core& core, std::span<Cell* const> operands) : core_(core), operands_(operands) {}
  ~CellExecutor() override {
    for (Cell* cell : cells_) Core::give_back(cell);
  }
  CellExecutor(const CellExecutor&) = delete;
  CellExecutor& operator=(const CellExecutor&) = delete;

  Result<void> leaf(const Value& value) override {
    if (cells_.size() < operands_.size()) {
      cells_.push_back(operands_[cells_.size()]);
      ++cells_.back()->users;
      return {};
    }
    if (value.kind != ValueKind::constant) {
      return usage_error(
          fmt::format("[{}] a function of variables makes no inputs, parameters or states: pass "
                      "them as operands",
                      value.name));
    }
    const Variable constant = started(core_, core_.devices.runner_of(operands_[0]->slot), value, false);
    if (!constant.ok()) return constant.error();
    cells_.push_back(constant.cell());
    ++cells_.back()->users;
    return {};
  }

  const std::vector<TensorType>* known_outputs(const Op& op, std::span<const ValueId> inputs,
                                               const Attributes& attributes) override {
    inputs_.clear();
    types_.clear();
    runner_ = &core_.devices.runner();
    bool at_home = true;
    for (const ValueId id : inputs) {
      inputs_.push_back(cells_[id]);
      types_.push_back(cells_[id]->slot.type);
      at_home = at_home && cells_[id]->slot.block.pool() == &core_.devices.pool();
    }
    refusal_.reset();
    fetched_.clear();
    if (!at_home && !gather_inputs(op)) return nullptr;
    known_ = runner_->find(op, types_, attributes);
    return known_ == nullptr ? nullptr : &known_->output_types;
  }

  Result<void> run(const Graph& graph, const Node& node) override {
    if (refusal_) return *refusal_;
    if (known_ == nullptr) {
      Result<Recipe*> made = runner_->make(*node.op, types_, node.attributes, graph.output_types(node));
      if (!made) return made.error();
      known_ = *made;
    }
    std::array<Cell*, GraphBuilder::kMaxOutputs> outputs{};
    if (const Error* error = core_.execute(*known_, inputs_, outputs.data())) return *error;
    cells_.insert(cells_.end(), outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(node.outputs.size()));
    return {};
  }

  Variable variable(ValueId id) const {
    ++cells_[id]->users;
    return Variable(cells_[id]);
  }

 private:
  bool gather_inputs(const Op& op) {
    known_ = nullptr;
    Result<Gathered> gathered = gather(core_, op, inputs_);
    if (!gathered) {
      refusal_ = gathered.error();
      return false;
    }
    runner_ = gathered->runner;
    inputs_ = std::move(gathered->operands);
    types_ = std::move(gathered->types);
    fetched_ = std::move(gathered->fetched);
    return true;
  }

  Core& core_;
  std::span<Cell* const> operands_;
  std::vector<Cell*> cells_;  // by value id
  std::vector<Cell*> inputs_;
  std::vector<const eager::TypeInfo*> types_;
  OpRunner* runner_ = nullptr;  // of the op at hand
  std::vector<Variable> fetched_;
  std::optional<Error> refusal_;
  Recipe* known_ = nullptr;
};

/// `from` in the dtype and shape of `target`, on its own device.
Variable fitted(const Variable& from, const Variable& target) {
  if (from.dtype() == target.dtype() && from.shape() == target.shape()) return from;
  return apply({&from, 1}, [&](GraphBuilder& builder, std::span<const ValueId> x) {
    return std::vector{ops::expand(builder, ops::cast(builder, x[0], target.dtype()), target.shape())};
  })[0];
}

}  // namespace

// ---- the handle
// ---------------------------------------------------------------------------------------------------------

const Error& Variable::error() const {
  static const Error kEmpty = usage_error("[variable] it is empty");
  CHECK(!ok());
  return cell_ == nullptr ? kEmpty : *cell_->error;
}

const TensorType& Variable::type() const {
  CHECK(ok());
  return *cell_->slot.type->type;
}

Result<Tensor> Variable::to_tensor() const {
  if (!ok()) return error();
  Result<Tensor> host = Tensor::empty(TensorType::contiguous(dtype(), shape()));
  if (!host) return host;
  OpRunner& place = cell_->core->devices.runner_of(cell_->slot);
  place.wait();
  Backend& backend = place.backend();
  backend.synchronize();
  if (Result<void> copied = backend.copy(cell_->slot.tensor(), *host); !copied) return copied.error();
  return host;
}

double Variable::item() const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!ok() || cell_->slot.type->elements != 1) return kNone;
  const bool on_host = (*cell_->slot.block->storage)->device() == Device{};
  if (on_host && dtype() == DType::float32) {
    cell_->core->devices.runner().backend().synchronize();
    return static_cast<double>(*reinterpret_cast<const float*>(cell_->slot.data));
  }
  const Result<Tensor> host = to_tensor();
  return host ? host->get_flat(0) : kNone;
}

Result<void> Variable::backward() const {
  if (!ok()) return error();
  if (cell_->maker == nullptr) {
    return usage_error(
        fmt::format("[backward] {} was made by no recorded op: {}", to_string(type()),
                    cell_->requires_grad ? "it is a leaf" : "nothing it was computed from requires a gradient"));
  }
  return cell_->core->backward.run(cell_);
}

Variable Variable::grad() const {
  if (!ok()) return *this;
  if (cell_->gradient == nullptr) {
    return Variable(Core::failed_cell(
        cell_->core, usage_error(fmt::format("[grad] {} has none: {}", to_string(type()),
                                             cell_->maker != nullptr ? "only leaves keep their gradient"
                                             : cell_->requires_grad  ? "no backward() has reached it"
                                                                     : "it does not require one"))));
  }
  ++cell_->gradient->users;
  return Variable(cell_->gradient);
}

void Variable::zero_grad() const {
  if (ok() && cell_->gradient != nullptr) Core::give_back(std::exchange(cell_->gradient, nullptr));
}

std::vector<TapedOp> Variable::tape() const {
  std::vector<eager::Recorded*> reached, open;
  const auto visit = [&](eager::Recorded* op) {
    if (op != nullptr && std::ranges::find(reached, op) == reached.end()) reached.push_back(op), open.push_back(op);
  };
  if (ok()) visit(cell_->maker);
  while (!open.empty()) {
    const eager::Recorded* op = open.back();
    open.pop_back();
    for (size_t i = 0; i < op->recipe->inputs.size(); ++i) visit(op->operands[i].maker);
  }
  std::ranges::sort(reached, {}, &eager::Recorded::sequence);
  std::vector<TapedOp> ops;
  std::vector<const Block*> kept;
  for (const eager::Recorded* op : reached) {
    TapedOp& taped = ops.emplace_back();
    taped.op = op->recipe->node.op->name;
    taped.result = op->recipe->output_types[0];
    for (size_t i = 0; i < op->recipe->inputs.size() + op->recipe->outputs.size(); ++i) {
      const Block* saved = op->operands[i].saved;
      if (saved == nullptr || std::ranges::find(kept, saved) != kept.end()) continue;
      kept.push_back(saved);
      taped.saved_bytes += saved->size_bytes;
    }
  }
  return ops;
}

Variable Variable::detach() const {
  if (!ok()) return *this;
  Cell* cell = cell_->core->new_cell();
  cell->slot = cell_->slot;
  return Variable(cell);
}

// ---- devices

Device Variable::device() const {
  CHECK(ok());
  return cell_->core->devices.runner_of(cell_->slot).backend().info().device;
}

Variable Variable::to(const Device& device) const {
  if (!ok()) return *this;
  Core& core = *cell_->core;
  const OpRunner* target = find_runner(core.devices.runners(), to_string(device));
  if (target == nullptr) {
    return Variable(
        Core::failed_cell(&core, usage_error(fmt::format("[to] this session has no {}; it has {}", to_string(device),
                                                         device_names(core.devices.runners())))));
  }
  if (target == &core.devices.runner_of(cell_->slot)) return *this;
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
  OpRunner &here = core.devices.runner_of(fitting.cell_->slot), &there = core.devices.runner_of(cell_->slot);
  here.wait();
  there.wait();
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

// ---- ops
// ----------------------------------------------------------------------------------------------------------------

Variable operator+(const Variable& a, const Variable& b) { return elementwise(ops::kAdd, a, b); }
Variable operator-(const Variable& a, const Variable& b) { return elementwise(ops::kSubtract, a, b); }
Variable operator*(const Variable& a, const Variable& b) { return elementwise(ops::kMultiply, a, b); }
Variable matmul(const Variable& a, const Variable& b) { return binary(ops::kMatmul, a, b); }

Variable Variable::relu() const { return unary(ops::kRelu, *this); }
Variable Variable::sigmoid() const { return unary(ops::kSigmoid, *this); }

Variable Variable::sum(std::vector<int64_t> axes, bool keep_axes) const {
  return unary(ops::kSum, *this, {{"axes", std::move(axes)}, {"keep_axes", int64_t{keep_axes}}});
}

Variable Variable::scale(double factor, double shift) const {
  if (!ok()) return unary(ops::kScale, *this);
  Core& core = *cell_->core;
  if (cell_->slot.block.pool() != &core.devices.pool())
    return unary(ops::kScale, *this, {{"factor", factor}, {"shift", shift}});
  Recipe* recipe = core.scales.find(cell_->slot.type, factor, shift);
  if (recipe == nullptr) return Variable(Core::failed_cell(&core, core.scales.refusal()));
  Cell* output = nullptr;
  if (const Error* error = core.execute(*recipe, {&cell_, 1}, &output))
    return Variable(Core::failed_cell(&core, *error));
  return Variable(output);
}

Variable Variable::reshape(Shape shape) const {
  // May copy first, where the layout demands it.
  return apply({this, 1}, [&](GraphBuilder& builder, std::span<const ValueId> x) {
    return std::vector{ops::reshape(builder, x[0], shape)};
  })[0];
}

Variable Variable::transpose(int64_t axis_a, int64_t axis_b) const {
  return apply({this, 1}, [=](GraphBuilder& builder, std::span<const ValueId> x) {
    return std::vector{ops::transpose(builder, x[0], axis_a, axis_b)};
  })[0];
}

Variable Variable::slice(int64_t axis, int64_t start, int64_t end, int64_t step) const {
  return unary(ops::kSlice, *this, {{"axis", axis}, {"start", start}, {"end", end}, {"step", step}});
}

std::vector<Variable> apply(std::span<const Variable> operands, const EagerFunction& build, size_t results) {
  std::vector<Cell*> cells;
  for (const Variable& operand : operands) cells.push_back(operand.cell());
  if (cells.empty()) {
    const Variable none(Core::failed_cell(nullptr, usage_error("[apply] no operand names the session")));
    return std::vector<Variable>(results, none);
  }
  if (Cell* refused = refused_operand("apply", cells)) return std::vector<Variable>(results, Variable(refused));
  Core& core = *cells[0]->core;
  CellExecutor executor(core, cells);
  GraphBuilder builder(executor);
  std::vector<ValueId> ids;
  for (const Cell* cell : cells) ids.push_back(builder.operand(*cell->slot.type->type));
  const std::vector<ValueId> wanted = build(builder, ids);
  if (builder.failed()) {
    const Variable failed(Core::failed_cell(&core, builder.finish().error()));
    return std::vector<Variable>(results, failed);
  }
  std::vector<Variable> made;
  for (const ValueId id : wanted) made.push_back(executor.variable(id));
  return made;
}

// ---- leaves
// -------------------------------------------------------------------------------------------------------------

Variable make_variable(EagerSession& session, const Tensor& tensor, bool requires_grad) {
  CHECK(tensor.defined());
  Value value;
  value.kind = ValueKind::constant;
  value.data = tensor;
  value.type = TensorType::contiguous(tensor.dtype(), tensor.shape());
  return started(session.core(), session.core().devices.runner(), value, requires_grad);
}

Variable make_variable(EagerSession& session, const TensorType& type, const Fill& fill, bool requires_grad) {
  Value value;
  value.id = static_cast<ValueId>(session.core().variables++);
  value.kind = ValueKind::parameter;
  value.type = type;
  value.fill = fill;
  return started(session.core(), session.core().devices.runner(), value, requires_grad);
}

Variable Variable::new_leaf_like(const Shape& shape, const Fill& fill) const {
  if (!ok()) return *this;
  Value value;
  value.kind = ValueKind::parameter;
  value.type = TensorType::contiguous(dtype(), shape);
  value.fill = fill;
  return started(*cell_->core, cell_->core->devices.runner_of(cell_->slot), value, false);
}

}  // namespace engine
