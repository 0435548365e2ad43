// SPDX-License-Identifier: Apache-2.0
// Graph: an immutable DAG of ops in topological order, each value assigned once, with role, layer and phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/op.h"
#include "engine/tensor/random.h"

namespace engine {

using ValueId = uint32_t;
using NodeId = uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;
inline constexpr NodeId kNoNode = 0xffffffffu;

/// Whose bytes these are: what every traffic and memory view is split by.
enum class Role : uint8_t { input, weight, activation, gradient, optimizer_state, workspace };
inline constexpr int kRoleCount = 6;
/// "input" "weight" "activation" "gradient" "optimizer_state" "workspace"
std::string_view name(Role);
std::optional<Role> parse_role(std::string_view);

/// Which part of a step a node belongs to.
enum class Phase : uint8_t { forward, backward, update };
std::string_view name(Phase);

/// How a value comes to be.
enum class ValueKind : uint8_t {
  input,         ///< given again for each step (images, labels)
  parameter,     ///< learned; lives across steps
  state,         ///< optimiser state and running statistics; lives across steps
  constant,      ///< fixed bytes from a model file
  intermediate,  ///< made by a node within the step
};

struct Value {
  ValueId id = kNoValue;
  std::string name = {};  ///< unique within the graph: "layer1.0.conv2.weight"
  TensorType type = {};
  Role role = Role::activation;
  ValueKind kind = ValueKind::intermediate;
  NodeId producer =
      kNoNode;       ///< kNoNode unless intermediate; an intermediate without one lives inside a fused op or is folded
  Fill fill = {};    ///< how inputs, parameters and states start
  Tensor data = {};  ///< constants: the bytes; inputs: what was given for them, instead of `fill`

  /// An intermediate that a fused op keeps to itself: it has no bytes in memory.
  bool inside_fused_op() const { return kind == ValueKind::intermediate && producer == kNoNode; }
};

struct Node {
  NodeId id = kNoNode;
  const Op* op = nullptr;
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string layer;  ///< path of the layer that wrote it: "layer1.0.conv2"; backward and update nodes keep their layer
  Phase phase = Phase::forward;
};

class Graph {
 public:
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Value& value(ValueId id) const { return values_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  /// Values kept to the end of a step and readable after it (logits, loss).
  const std::vector<ValueId>& outputs() const { return outputs_; }
  std::optional<ValueId> find(std::string_view value_name) const;

  /// Types of a node's operands, in order.
  std::vector<TensorType> input_types(const Node&) const;
  std::vector<TensorType> output_types(const Node&) const;
  /// What op.cost counts, less what operands that view the same value would read twice.
  Cost cost(const Node&) const;

  /// Elements of all parameters (weights, biases, scales); for a model file, of its floating constants in role weight.
  int64_t parameter_count() const;
  /// Elements of parameters of rank 2 and more that take part in matrix multiplications and convolutions (what papers
  /// call weights).
  int64_t matrix_weight_count() const;
  /// FLOPs of one step, all nodes of a phase; `matrix_only`: convolutions and matrix multiplications alone.
  double flops(std::optional<Phase> phase = {}, bool matrix_only = false) const;

 private:
  friend class GraphBuilder;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> outputs_;
};

}  // namespace engine
