// SPDX-License-Identifier: Apache-2.0
// OpRunner: runs one op on tensors in place, and remembers types and prepared kernels, so that a
// repeated op only computes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/eager/device_queue.h"
#include "engine/eager/pool.h"
#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"

namespace engine::eager {

/// A tensor type that was met; one object per type, so that equal types are equal addresses.
struct TypeInfo {
  const TensorType* type = nullptr;
  int64_t span_bytes = 0, elements = 0;
};

/// A tensor in place.
struct Slot {
  const TypeInfo* type = nullptr;
  BlockUse block;
  std::byte* data = nullptr;

  /// The same bytes as a Tensor, which keeps the allocation but not the block.
  Tensor tensor() const;
};

/// The kernels of one recipe, by the addresses of all operands.
class PreparedTable {
 public:
  explicit PreparedTable(size_t operands) : operands_(operands) {}
  PreparedOp* find(std::byte* const* addresses) const;
  void add(std::byte* const* addresses, std::unique_ptr<PreparedOp> op);
  void clear();
  size_t size() const { return size_; }
  const PreparedOp* any() const;

 private:
  size_t home(std::byte* const* addresses) const;
  bool equal(size_t slot, std::byte* const* addresses) const;

  size_t operands_, size_ = 0;
  mutable size_t last_ = 0;
  std::vector<std::byte*> keys_;  // operands_ per slot
  std::vector<std::unique_ptr<PreparedOp>> ops_;
};

class OpRunner;

/// One op at given attributes and operand types: all that does not depend on addresses.
struct Recipe {
  explicit Recipe(size_t operands) : prepared(operands) {}

  OpRunner* runner = nullptr;  ///< whose device computes it
  OpRunner* target = nullptr;  ///< whose memory its outputs lie in: another's for copies between devices
  uint64_t id = 0;             ///< never used again, by no runner of the session
  uint64_t hash = 0;
  uint32_t users = 0;  ///< the runner, and recorded ops
  Node node;           ///< op and attributes, without values
  std::vector<const TypeInfo*> inputs, outputs;
  std::vector<TensorType> output_types;
  std::vector<int> in_place;  ///< per output: the operand it overwrites, or -1
  bool view = false;
  int64_t view_offset_bytes = 0;
  int64_t workspace_bytes = 0;
  PreparedTable prepared;
  /// What a gradient needs of the op's operands, by which inputs are to be differentiated (see
  /// tape.cpp).
  std::vector<std::pair<uint64_t, uint64_t>> saved;
};

class OpRunner {
 public:
  /// No op has more operands, inputs and outputs together.
  static constexpr size_t kMaxOperands = 64;

  /// `siblings`: the runners of the session's devices, itself among them; they may grow. `number`: its own place there.
  OpRunner(Backend& backend, MemoryPool& pool, const std::vector<OpRunner*>& siblings, size_t number = 0);
  ~OpRunner();
  OpRunner(const OpRunner&) = delete;
  OpRunner& operator=(const OpRunner&) = delete;

  Backend& backend() const { return backend_; }
  MemoryPool& pool() const { return pool_; }
  /// The name of its device: "sim:0".
  const std::string& device_name() const { return device_name_; }
  const TypeInfo* type(const TensorType& type);
  /// The recipe of an equal call, or null.
  Recipe* find(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes);
  /// Makes the recipe; refused when the op refuses its operands or the backend has no kernel.
  Result<Recipe*> make(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes);
  /// Same, with output types that are known already.
  Result<Recipe*> make(const Op& op, std::span<const TypeInfo* const> inputs, const Attributes& attributes,
                       std::vector<TensorType> output_types);
  void keep(Recipe* recipe) { ++recipe->users; }
  void give_back(Recipe* recipe) {
    if (--recipe->users > 0) return;
    wait();
    delete recipe;
  }

  /// From here on ops are computed by that thread, beside the caller and other devices.
  void work_beside(std::unique_ptr<DeviceQueue> queue) { queue_ = std::move(queue); }
  bool works_beside() const { return queue_ != nullptr; }
  /// Computes an op that ready() gave out, or hands it to the device's queue. Copies to another device have ended when
  /// it returns, and all that both had to do before.
  void run(const Recipe& recipe, PreparedOp& op, uint32_t number = DeviceQueue::kUnnumbered) {
    if (recipe.target != this) wait(), recipe.target->wait();
    if (queue_ == nullptr || recipe.target != this) op.run();
    else queue_->submit(op, number);
  }
  /// Returns when the device has computed all it was given: before anybody else touches its memory.
  void wait() {
    if (queue_ != nullptr) queue_->wait();
  }
  /// Numbered ops that the queue has computed since the last call.
  std::vector<DoneOp> take_done() { return queue_ == nullptr ? std::vector<DoneOp>() : queue_->take_done(); }

  /// Gives the outputs memory and finds the kernel, to be run by the caller; null: a view, which is
  /// done. After a refusal the outputs are as before.
  Result<PreparedOp*> ready(Recipe& recipe, std::span<const Slot* const> inputs, Slot* outputs) {
    PreparedOp* op = nullptr;
    if (try_ready(recipe, inputs, outputs, op)) return op;
    return error_;
  }
  /// The same without a Result: false after a refusal, which error() tells.
  bool try_ready(Recipe& recipe, std::span<const Slot* const> inputs, Slot* outputs, PreparedOp*& op);
  const Error& error() const { return error_; }

  int64_t workspace_bytes() const { return workspace_bytes_; }
  size_t recipe_count() const { return recipe_count_; }
  /// Changes whenever recipes found earlier may be gone.
  uint64_t generation() const { return generation_; }
  /// Kernels made ready and types inferred since the beginning.
  int64_t prepared_count() const { return prepared_count_; }
  int64_t inferred_count() const { return inferred_count_; }

 private:
  bool refuse(Error error) {
    error_ = std::move(error);
    return false;
  }
  /// Runner and target of a recipe; refused where the operand lies elsewhere or the session has not got the target.
  Result<void> place(Recipe& recipe);
  bool prepare(Recipe& recipe, std::span<const Slot* const> inputs, const Slot* outputs, std::byte* const* addresses,
               PreparedOp*& op);
  bool need_workspace(int64_t bytes);
  void insert(Recipe* recipe);
  void forget_recipes();

  struct TypeHash {
    size_t operator()(const TensorType&) const;
  };
  Backend& backend_;
  MemoryPool& pool_;
  const std::vector<OpRunner*>& siblings_;
  std::string device_name_;
  std::unordered_map<TensorType, TypeInfo, TypeHash> types_;
  std::vector<Recipe*> table_;  // open addressing
  size_t recipe_count_ = 0;
  uint64_t next_recipe_, generation_ = 0;
  int64_t prepared_held_ = 0;
  int64_t prepared_count_ = 0, inferred_count_ = 0;
  std::vector<std::shared_ptr<Storage>> workspaces_;  // older ones stay: prepared ops point there
  int64_t workspace_bytes_ = 0;
  Error error_;
  std::unique_ptr<DeviceQueue> queue_;  // null: the caller computes
};

/// The runner of that device; an empty name is that of the first. Null: the session has not got it.
OpRunner* find_runner(std::span<OpRunner* const> runners, std::string_view device_name);
/// "cpu, sim:0".
std::string device_names(std::span<OpRunner* const> runners);

}  // namespace engine::eager
