// SPDX-License-Identifier: Apache-2.0
// Plan: a graph made ready on a backend: memory placed ahead and reused, kernels resolved, one flat list of ops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/observer.h"

namespace engine {

/// Where one value's bytes live, and when. Views own nothing: they have a placement with the viewed value's bytes and
/// `alias_of` set.
struct Placement {
  ValueId value = kNoValue;
  ValueId alias_of = kNoValue;  ///< the value whose bytes these are (views, in-place outputs)
  bool persistent = false;      ///< parameters, states, inputs, constants: live across steps, outside the arena
  int64_t offset_bytes = 0;     ///< in the arena, or in the persistent block
  int64_t size_bytes = 0;
  uint32_t first_op = 0;  ///< arena: alive from before this op ...
  uint32_t last_op = 0;   ///< ... to after this op (indices into Graph::nodes)
};

struct MemoryPlan {
  std::vector<Placement> placements;  ///< one per value, indexed by ValueId
  int64_t persistent_bytes = 0;
  int64_t arena_bytes = 0;  ///< with reuse
  int64_t arena_bytes_without_reuse = 0;
  int64_t peak_live_bytes = 0;  ///< largest sum of live arena values: the bound no allocator can beat
  double total_bytes = 0;  ///< persistent + arena (+ workspace once known); double: may exceed 2^63 for absurd batches
};

/// Places all values (best fit over lifetimes, 64-byte alignment). Pure: allocates nothing, so absurd sizes can be
/// refused. Fails (refused, with the bytes) when the sizes do not fit 63 bits.
Result<MemoryPlan> plan_memory(const Graph&);
/// For each value: whether its bytes stay as they are from step to step.
std::vector<bool> constant_values(const Graph&, const MemoryPlan&);

/// The bytes that the kernels of a step take for what they compute on the way: the most that any of them wants.
/// Refused: an op that this device has no kernel for.
Result<int64_t> workspace_of(const Graph&, const Backend&);

/// Refused when the plan needs more than the device has available, with both figures.
Result<void> check_memory(const MemoryPlan&, const DeviceInfo&);

/// Both at once, and the refusal names the largest value: what Plan::make starts with, and what callers ask who want it
/// before other work.
Result<MemoryPlan> plan_memory_within(const Graph&, const DeviceInfo&);

/// Gives a leaf its first bytes. Constants come from the model, given inputs from their data. Other inputs, parameters
/// and states follow from the seed and their name, or the id of a nameless leaf. Equal names start alike on every
/// device and in every graph.
Result<void> start_leaf(const Value& leaf, Backend&, const Tensor& target, uint64_t seed);

struct PlanOptions {
  uint64_t seed = 1;
};

class Plan {
 public:
  /// Plans memory, checks it against what the device has (refused with both figures), allocates, fills inputs and
  /// parameters from the seed, prepares every op. View ops are part of the graph but not of the op list that runs.
  static Result<std::unique_ptr<Plan>> make(std::shared_ptr<const Graph>, Backend&, const PlanOptions& = {});
  ~Plan();

  const Graph& graph() const { return *graph_; }
  const MemoryPlan& memory() const { return memory_; }
  int64_t workspace_bytes() const { return workspace_bytes_; }
  Backend& backend() const { return backend_; }
  /// The tensor behind a value (parameters, states and inputs always; intermediates hold their last bytes until
  /// reused).
  const Tensor& tensor(ValueId id) const { return tensors_[id]; }
  /// Of the node's kernel; of views: named "view", their code unknown.
  const KernelFacts& facts(NodeId id) const { return facts_[id]; }
  const std::string& kernel_name(NodeId id) const { return facts_[id].name; }
  /// PreparedOp::spared_flops() of the node's kernel.
  double spared_flops(NodeId id) const { return spared_flops_[id]; }
  CodeKind code(NodeId id) const { return facts_[id].code; }

  /// Runs all ops once. With an observer each op is reported under its node id; without, nothing is stamped.
  void run_step(uint32_t step, Observer* observer);
  /// From here on a step is one launch of all ops (Backend::begin_graph()), of which an observer hears nothing but the
  /// step. Run a step before, so that all kernels are loaded. `noting` hears op_begin() and op_done() of each op while
  /// it is noted down, and nothing is computed meanwhile. Refused where the device or an op cannot.
  Result<void> replay(Observer* noting);

 private:
  Plan(std::shared_ptr<const Graph> graph, Backend& backend) : graph_(std::move(graph)), backend_(backend) {}
  Result<void> prepare();

  struct ReadyOp {
    PreparedOp* op;
    NodeId node;
  };
  std::shared_ptr<const Graph> graph_;
  Backend& backend_;
  MemoryPlan memory_;
  int64_t workspace_bytes_ = 0;
  std::vector<std::shared_ptr<Storage>> blocks_;
  std::vector<Tensor> tensors_;
  std::vector<std::unique_ptr<PreparedOp>> prepared_;
  std::vector<ReadyOp> ready_;
  std::vector<ReadyOp> reporting_;      // those of them with more to tell than their time
  std::unique_ptr<PreparedOp> replay_;  // all of them at once; null: one after the other
  std::vector<KernelFacts> facts_;
  std::vector<double> spared_flops_;
};

}  // namespace engine
