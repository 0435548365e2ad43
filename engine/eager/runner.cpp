// SPDX-License-Identifier: Apache-2.0
// OpRunner: tables of types, recipes and prepared kernels; all are bounded and made anew when they
// overflow.
#include "engine/eager/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/check.h"
#include "engine/eager/transfer.h"
#include "engine/graph/builder.h"
#include "engine/graph/to_device.h"
#include "engine/tensor/device_name.h"

namespace engine::eager {
namespace {

constexpr size_t kMostRecipes = 1 << 14;
constexpr int64_t kMostPrepared = 1 << 16;
constexpr size_t kMostPreparedPerRecipe = 1 << 12;

uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;  // Fibonacci hashing: 2^64 divided by the golden ratio
  return hash ^ (hash >> 32);
}

uint64_t mix(uint64_t hash, const void* address) { return mix(hash, reinterpret_cast<uintptr_t>(address)); }

uint64_t hash_of(const Attributes& attributes) {
  uint64_t hash = attributes.items().size();
  for (const auto& [key, item] : attributes.items()) {
    hash = mix(hash, std::hash<std::string>{}(key));
    if (const auto* integer = std::get_if<int64_t>(&item)) {
      hash = mix(hash, static_cast<uint64_t>(*integer));
    } else if (const auto* real = std::get_if<double>(&item)) {
      hash = mix(hash, std::hash<double>{}(*real));
    } else if (const auto* text = std::get_if<std::string>(&item)) {
      hash = mix(hash, std::hash<std::string>{}(*text));
    } else {
      for (const int64_t integer_of_list : std::get<std::vector<int64_t>>(item))
        hash = mix(hash, static_cast<uint64_t>(integer_of_list));
    }
  }
  return hash;
}

uint64_t hash_of(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes) {
  uint64_t hash = mix(inputs.size(), &op);
  for (const TypeInfo* input : inputs) hash = mix(hash, input);
  return attributes.items().empty() ? hash : mix(hash, hash_of(attributes));
}

Transfer::Reason transfer_reason(const Attributes& attributes) {
  const std::string reason = attributes.get_string("reason", "");
  return reason == kScalarReason     ? Transfer::Reason::scalar
         : reason == kGradientReason ? Transfer::Reason::gradient
                                     : Transfer::Reason::asked;
}

}  // namespace

Tensor Slot::tensor() const {
  const std::shared_ptr<Storage>& storage = *block->storage;
  return {storage, *type->type, (data - storage->data()) / size_bytes(type->type->dtype)};
}

// ---- PreparedTable
// ------------------------------------------------------------------------------------------------------

size_t PreparedTable::home(std::byte* const* addresses) const {
  uint64_t hash = 0;
  for (size_t i = 0; i < operands_; ++i) hash = mix(hash, addresses[i]);
  return hash & (ops_.size() - 1);
}

bool PreparedTable::equal(size_t slot, std::byte* const* addresses) const {
  const std::byte* const* key = keys_.data() + slot * operands_;
  for (size_t i = 0; i < operands_; ++i) {
    if (key[i] != addresses[i]) return false;
  }
  return true;
}

PreparedOp* PreparedTable::find(std::byte* const* addresses) const {
  if (size_ == 0) return nullptr;
  if (ops_[last_] != nullptr && equal(last_, addresses)) return ops_[last_].get();
  for (size_t slot = home(addresses); ops_[slot] != nullptr; slot = (slot + 1) & (ops_.size() - 1)) {
    if (!equal(slot, addresses)) continue;
    last_ = slot;
    return ops_[slot].get();
  }
  return nullptr;
}

void PreparedTable::add(std::byte* const* addresses, std::unique_ptr<PreparedOp> op) {
  if (2 * (size_ + 1) > ops_.size()) {
    const std::vector<std::byte*> old_keys = std::move(keys_);
    std::vector<std::unique_ptr<PreparedOp>> old_ops = std::move(ops_);
    ops_.clear();
    ops_.resize(std::max<size_t>(4, 2 * old_ops.size()));
    keys_.assign(ops_.size() * operands_, nullptr);
    size_ = 0;
    for (size_t slot = 0; slot < old_ops.size(); ++slot) {
      if (old_ops[slot] != nullptr) add(old_keys.data() + slot * operands_, std::move(old_ops[slot]));
    }
  }
  size_t slot = home(addresses);
  while (ops_[slot] != nullptr) slot = (slot + 1) & (ops_.size() - 1);
  std::copy_n(addresses, operands_, keys_.data() + slot * operands_);
  ops_[slot] = std::move(op);
  last_ = slot;
  ++size_;
}

void PreparedTable::clear() {
  keys_.clear();
  ops_.clear();
  size_ = last_ = 0;
}

const PreparedOp* PreparedTable::any() const { return size_ == 0 ? nullptr : ops_[last_].get(); }

// ---- types and recipes
// --------------------------------------------------------------------------------------------------

size_t OpRunner::TypeHash::operator()(const TensorType& type) const {
  uint64_t hash = static_cast<uint64_t>(type.dtype);
  for (const int64_t extent : type.shape) hash = mix(hash, static_cast<uint64_t>(extent));
  for (const int64_t stride : type.strides) hash = mix(hash, static_cast<uint64_t>(stride));
  return hash;
}

OpRunner::OpRunner(Backend& backend, MemoryPool& pool, const std::vector<OpRunner*>& siblings, size_t number)
    : backend_(backend),
      pool_(pool),
      siblings_(siblings),
      device_name_(to_string(backend.info().device)),
      next_recipe_((uint64_t{number} << 48) + 1) {}

OpRunner::~OpRunner() { forget_recipes(); }

const TypeInfo* OpRunner::type(const TensorType& type) {
  const auto [found, is_new] = types_.try_emplace(type);
  if (is_new) found->second = {&found->first, type.span_bytes(), type.elements()};
  return &found->second;
}

Recipe* OpRunner::find(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes) {
  if (table_.empty()) return nullptr;
  const uint64_t hash = hash_of(op, inputs, attributes);
  const size_t mask = table_.size() - 1;
  for (size_t at = hash & mask; table_[at] != nullptr; at = (at + 1) & mask) {
    Recipe* recipe = table_[at];
    if (recipe->hash == hash && recipe->node.op == &op && std::ranges::equal(recipe->inputs, inputs) &&
        recipe->node.attributes == attributes) {
      return recipe;
    }
  }
  return nullptr;
}

void OpRunner::insert(Recipe* recipe) {
  if (recipe_count_ >= kMostRecipes) forget_recipes();
  if (2 * (recipe_count_ + 1) > table_.size()) {
    std::vector<Recipe*> old(std::max<size_t>(64, 2 * table_.size()), nullptr);
    old.swap(table_);
    recipe_count_ = 0;
    for (Recipe* other : old) {
      if (other != nullptr) insert(other);
    }
  }
  const size_t mask = table_.size() - 1;
  size_t at = recipe->hash & mask;
  while (table_[at] != nullptr) at = (at + 1) & mask;
  table_[at] = recipe;
  ++recipe_count_;
}

void OpRunner::forget_recipes() {
  wait();
  ++generation_;
  for (Recipe*& recipe : table_) {
    if (recipe == nullptr) continue;
    prepared_held_ -= static_cast<int64_t>(recipe->prepared.size());
    recipe->prepared.clear();
    give_back(std::exchange(recipe, nullptr));
  }
  recipe_count_ = 0;
}

Result<Recipe*> OpRunner::make(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes) {
  // A builder without executor asks the op and checks what it answers.
  GraphBuilder builder;
  std::vector<ValueId> ids;
  for (const TypeInfo* input : inputs) ids.push_back(builder.operand(*input->type));
  const std::vector<ValueId> outputs = builder.append(op, ids, attributes);
  if (builder.failed()) return builder.finish().error();
  std::vector<TensorType> types;
  for (const ValueId id : outputs) types.push_back(builder.type(id));
  return make(op, inputs, attributes, std::move(types));
}

Result<Recipe*> OpRunner::make(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes,
                               std::vector<TensorType> output_types) {
  wait();  // the backend is asked, which may be computing
  ++inferred_count_;
  const size_t operands = inputs.size() + output_types.size();
  if (operands > kMaxOperands) {
    return usage_error("[" + std::string(op.name) + "] has " + std::to_string(operands) +
                       " operands; eager execution takes up to " + std::to_string(kMaxOperands));
  }
  auto recipe = std::make_unique<Recipe>(operands);
  recipe->node.op = &op;
  recipe->node.attributes = attributes;
  recipe->inputs.assign(inputs.begin(), inputs.end());
  recipe->node.inputs.resize(inputs.size());
  std::iota(recipe->node.inputs.begin(), recipe->node.inputs.end(), ValueId{0});
  recipe->node.outputs.resize(output_types.size());
  std::iota(recipe->node.outputs.begin(), recipe->node.outputs.end(), static_cast<ValueId>(inputs.size()));
  recipe->hash = hash_of(op, inputs, attributes);
  recipe->output_types = std::move(output_types);
  std::vector<TensorType> input_types;
  for (const TypeInfo* input : inputs) input_types.push_back(*input->type);
  recipe->in_place.assign(recipe->output_types.size(), -1);
  for (size_t j = 0; j < std::min(op.in_place.size(), recipe->output_types.size()); ++j)
    recipe->in_place[j] = op.in_place[j];
  if (Result<void> placed = place(*recipe); !placed) return placed.error();
  for (const TensorType& output : recipe->output_types) recipe->outputs.push_back(recipe->target->type(output));
  if (op.view != nullptr) {
    const Result<View> view = op.view(input_types[0], attributes);
    if (!view) return view.error();
    recipe->view = true;
    recipe->view_offset_bytes = view->offset_elements * size_bytes(input_types[0].dtype);
  } else if (recipe->target == this) {
    const Call call{recipe->node.attributes, input_types, recipe->output_types};
    if (Result<void> supported = backend_.supports(recipe->node, call); !supported) return supported.error();
    recipe->workspace_bytes = backend_.workspace_bytes(recipe->node, call);
  }
  recipe->id = next_recipe_++;
  recipe->users = 1;
  insert(recipe.get());
  return recipe.release();
}

Result<void> OpRunner::place(Recipe& recipe) {
  recipe.runner = recipe.target = this;
  if (recipe.node.op != &kToDevice) return {};
  const Attributes& attributes = recipe.node.attributes;
  const std::string from = attributes.get_string("from", ""), to = attributes.get_string("to", "");
  if (find_runner(siblings_, from) != this) {
    return usage_error(fmt::format("[to_device] the operand is on {}, not on {}: name its device", device_name_, from));
  }
  recipe.target = find_runner(siblings_, to);
  if (recipe.target == nullptr) {
    return usage_error(fmt::format("[to_device] there is no {} here; there {} {}", to,
                                   siblings_.size() == 1 ? "is" : "are", device_names(siblings_)));
  }
  if (recipe.target == this) return usage_error(fmt::format("[to_device] the operand is on {} already", device_name_));
  return {};
}

OpRunner* find_runner(std::span<OpRunner* const> runners, std::string_view device_name) {
  if (device_name.empty()) return runners.empty() ? nullptr : runners.front();
  const auto found = std::ranges::find(runners, device_name, &OpRunner::device_name);
  return found == runners.end() ? nullptr : *found;
}

std::string device_names(std::span<OpRunner* const> runners) {
  std::vector<std::string> names;
  for (const OpRunner* runner : runners) names.push_back(runner->device_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

// ---- running
// ------------------------------------------------------------------------------------------------------------

bool OpRunner::try_ready(Recipe& recipe, std::span<const Slot* const> inputs, Slot* outputs, PreparedOp*& op) {
  op = nullptr;
  if (recipe.view) {
    outputs[0] = {recipe.outputs[0], inputs[0]->block, inputs[0]->data + recipe.view_offset_bytes};
    return true;
  }
  std::array<std::byte*, kMaxOperands> addresses;
  size_t count = 0;
  for (const Slot* input : inputs) addresses[count++] = input->data;
  for (size_t j = 0; j < recipe.outputs.size(); ++j) {
    outputs[j].type = recipe.outputs[j];
    if (recipe.in_place[j] >= 0) {
      const Slot& overwritten = *inputs[static_cast<size_t>(recipe.in_place[j])];
      outputs[j].block = overwritten.block;
      outputs[j].data = overwritten.data;
    } else {
      Result<Block*> block = recipe.target->pool_.allocate(recipe.outputs[j]->span_bytes);
      if (!block) {
        for (size_t k = 0; k <= j; ++k) outputs[k] = {};
        return refuse({block.error().kind, "[" + std::string(recipe.node.op->name) + "] result " +
                                               to_string(*recipe.outputs[j]->type) + ": " + block.error().message});
      }
      outputs[j].block = BlockUse(recipe.target->pool_, *block);
      outputs[j].data = (*block)->data;
    }
    addresses[count++] = outputs[j].data;
  }
  op = recipe.prepared.find(addresses.data());
  if (op == nullptr && !prepare(recipe, inputs, outputs, addresses.data(), op)) {
    for (size_t k = 0; k < recipe.outputs.size(); ++k) outputs[k] = {};
    return false;
  }
  for (size_t j = 0; j < recipe.outputs.size(); ++j) {
    if (recipe.in_place[j] >= 0) ++outputs[j].block->version;
  }
  return true;
}

bool OpRunner::need_workspace(int64_t bytes) {
  if (bytes <= workspace_bytes_) return true;
  const int64_t wanted = std::max(bytes, std::min(2 * workspace_bytes_, bytes + (int64_t{64} << 20)));
  Result<std::shared_ptr<Storage>> storage = backend_.allocate(wanted);
  if (!storage) return refuse(storage.error());
  workspaces_.push_back(std::move(*storage));
  workspace_bytes_ = wanted;
  return true;
}

bool OpRunner::prepare(Recipe& recipe, std::span<const Slot* const> inputs, const Slot* outputs,
                       std::byte* const* addresses, PreparedOp*& op) {
  wait();
  if (!need_workspace(recipe.workspace_bytes)) return false;
  PrepareRequest request{recipe.node,
                         {&recipe.node.attributes, {}, {}},
                         recipe.workspace_bytes > 0 ? workspaces_.back()->data() : nullptr,
                         std::vector<bool>(inputs.size(), false),
                         recipe.workspace_bytes > 0 ? workspace_bytes_ : 0};
  for (const Slot* input : inputs) request.arguments.inputs.push_back(input->tensor());
  for (size_t j = 0; j < recipe.outputs.size(); ++j) request.arguments.outputs.push_back(outputs[j].tensor());
  Result<std::unique_ptr<PreparedOp>> prepared =
      recipe.target == this ? backend_.prepare(request)
                            : std::unique_ptr<PreparedOp>(std::make_unique<TransferOp>(
                                  backend_, std::move(request.arguments.inputs[0]), recipe.target->backend_,
                                  std::move(request.arguments.outputs[0]), transfer_reason(recipe.node.attributes)));
  if (!prepared) return refuse(prepared.error());
  ++prepared_count_;
  if (recipe.prepared.size() >= kMostPreparedPerRecipe) {
    prepared_held_ -= static_cast<int64_t>(recipe.prepared.size());
    recipe.prepared.clear();
  }
  if (prepared_held_ >= kMostPrepared) {
    for (Recipe* other : table_) {
      if (other != nullptr) other->prepared.clear();
    }
    prepared_held_ = 0;
  }
  op = prepared->get();
  recipe.prepared.add(addresses, std::move(*prepared));
  ++prepared_held_;
  return true;
}

}  // namespace engine::eager
