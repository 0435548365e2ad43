// SPDX-License-Identifier: Apache-2.0
// EagerSession: runs the code that builds a graph and computes each op as it is appended. What
// lives across steps is found by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/eager/core.h"
#include "engine/graph/builder.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/observer.h"
#include "engine/runtime/plan.h"

namespace engine {

/// One thread's; the backend outlives it.
class EagerSession final : private EagerExecutor {
 public:
  using Build = std::function<void(GraphBuilder&)>;

  /// `seed`: parameters, states and inputs start with the bytes that Plan::make gives them.
  explicit EagerSession(Backend& backend, uint64_t seed = 1);
  ~EagerSession() override;
  EagerSession(const EagerSession&) = delete;
  EagerSession& operator=(const EagerSession&) = delete;

  /// Runs one step: `build` appends ops, each runs before the next is appended, and may look at
  /// values on the way (tensor()). With an observer each op is reported under its node id, from the
  /// start of its kernel to its end; views are not. Simulated devices beside the first compute on threads of their own
  /// until the step ends, and their ops are reported then. Refused with op and shapes where an op refuses;
  /// what ran until then stays done.
  Result<void> run_step(uint32_t step, const Build& build, Observer* observer = nullptr);

  /// Announces the ops that the following steps will append. Values then give their memory back after their last use,
  /// which a build function does not show. Makes all kernels ready and finds where each value will lie. A step that
  /// appends anything else is refused. Without it, or with null: values live until the next step begins.
  Result<void> announce(std::shared_ptr<const Graph> graph);
  /// Of the announced graph: where values lie in the pool, and for how long; persistent ones in the
  /// order they were met.
  const MemoryPlan& memory() const { return memory_; }
  /// Of the kernel of a node of the announced graph, as Plan has them.
  const KernelFacts& facts(NodeId id) const { return facts_[id]; }
  const std::string& kernel_name(NodeId id) const { return facts_[id].name; }
  /// As Plan has it: only kernels of fused ops spare any.
  static double spared_flops(NodeId) { return 0; }
  /// The device that computes a node of the announced graph; copies belong to the one they start from.
  const std::string& device_name(NodeId id) const { return runners_[id]->device_name(); }

  /// The ops of the running or the last step.
  const Graph& tape() const { return builder_.graph(); }
  /// The value as it is now. CHECKs that it exists and has not given its memory back (leaves and
  /// marked outputs never do).
  Tensor tensor(ValueId id) const;
  /// The value a step found or made under that name; nothing when there is none.
  std::optional<Tensor> find(std::string_view name) const;

  const eager::MemoryPool& pool() const { return pool_; }
  const eager::OpRunner& runner() const { return runner_; }
  int64_t persistent_bytes() const { return persistent_bytes_; }
  Backend& backend() const { return backend_; }

  // For variables (variable.h), which may outlive the session.
  /// Ops that a backward() of some variable could still reach, and the bytes kept for their
  /// gradients.
  int64_t recorded_ops() const { return core_->tape.recorded_ops(); }
  int64_t saved_bytes() const { return core_->tape.saved_bytes(); }
  /// A further device, which its `backend` computes for and which outlives the session and its variables. Tensors get
  /// there by Variable::to() and, in graphs, by to_device(). Refused where the session has a device of that name.
  Result<void> add_device(Backend& backend);
  /// The observer receives every copy between devices that variables make, until another replaces it. Null: none does.
  void observe(Observer* observer);
  eager::Core& core() const { return *core_; }

 private:
  /// Bytes that live across steps.
  struct Leaf {
    eager::Block block;
    std::shared_ptr<Storage> storage;
    TensorType type;
    ValueKind kind = ValueKind::input;
    std::shared_ptr<Storage> source;  ///< constants: whose bytes were copied
    int64_t source_offset = 0;
  };

  Result<void> leaf(const Value& value) override;
  const std::vector<TensorType>* known_outputs(const Op&, std::span<const ValueId> inputs, const Attributes&) override;
  Result<void> run(const Graph& graph, const Node& node) override;

  Result<Leaf*> new_leaf(const Value& value);
  Result<void> check_announced(const Node& node) const;
  Result<PreparedOp*> ready(const Graph& graph, const Node& node);
  Result<void> place_once(const Graph& graph);
  Result<void> fetch(size_t input);
  Result<void> run_op(NodeId node, PreparedOp& op);
  void run_fetches();
  void forget_fetches();
  void report_beside();
  void release_after(NodeId node);

  eager::Core* core_;  // counted: variables may hold it longer
  Backend& backend_;
  uint64_t seed_;
  eager::MemoryPool& pool_;
  eager::OpRunner& runner_;
  std::unordered_map<std::string, std::unique_ptr<Leaf>> leaves_;
  int64_t persistent_bytes_ = 0;
  GraphBuilder builder_;
  std::vector<eager::Slot> slots_;  // by value id
  eager::Recipe* known_ = nullptr;  // found by known_outputs() for the run() that follows
  std::vector<const eager::TypeInfo*> input_types_;
  std::vector<const eager::Slot*> inputs_;
  Result<eager::Meeting> meeting_ = eager::Meeting{};  // who computes the op at hand
  std::vector<PreparedOp*> fetches_;                   // copies of 0-d operands to run before it ...
  std::vector<std::unique_ptr<eager::Slot>> fetched_;  // ... and where they go
  Observer* observer_ = nullptr;

  std::shared_ptr<const Graph> announced_;
  std::vector<std::vector<ValueId>> releases_;  // by node of the announced graph
  MemoryPlan memory_;
  std::vector<KernelFacts> facts_;
  std::vector<const eager::OpRunner*> runners_;  // by node
};

/// Appends what `graph` holds, value by value: the build function of graphs that came without one
/// (model files).
void append_graph(GraphBuilder& builder, const Graph& graph);

}  // namespace engine
