// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: appends nodes; keeps the first error, so that building code stays plain.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/graph/graph.h"

namespace engine {

/// Who computes values the moment they are appended; a builder without one only describes. A refusal becomes the
/// builder's error.
class EagerExecutor {
 public:
  virtual ~EagerExecutor() = default;
  /// `leaf` (anything but an intermediate) was appended: gives it its bytes.
  virtual Result<void> leaf(const Value& leaf) = 0;
  /// Output types of an equal call made before; null: none is known, infer them. run() follows for the same call.
  virtual const std::vector<TensorType>* known_outputs(const Op&, std::span<const ValueId> inputs,
                                                       const Attributes&) = 0;
  /// `node` was appended as the last of `graph`: computes its outputs.
  virtual Result<void> run(const Graph& graph, const Node& node) = 0;
};

class GraphBuilder {
 public:
  /// No op has more outputs.
  static constexpr size_t kMaxOutputs = 8;

  GraphBuilder() = default;
  /// Every leaf and node goes to `executor` as it is appended; the graph so far is the tape. Intermediates stay without
  /// a name unless they are given one.
  explicit GraphBuilder(EagerExecutor& executor) : executor_(&executor) {}
  /// Continues a finished graph (differentiate does).
  explicit GraphBuilder(Graph graph);

  // After the first error every call returns kNoValue and changes nothing; finish() reports that error.
  // `name` is the full name, "layer1.0.conv2.weight" (the current layer is not put before it); a taken one gets "_2",
  // "_3", ...
  /// `given`: of that shape and dtype, in any layout; what every step reads instead of the fill.
  ValueId input(std::string name, TensorType, Fill, Tensor given = {});
  ValueId parameter(std::string name, TensorType, Fill);
  /// `role`: optimizer_state for momentum; weight for running statistics.
  ValueId state(std::string name, TensorType, Fill, Role role = Role::optimizer_state);
  ValueId constant(std::string name, Tensor data, Role role = Role::weight);
  /// A value of an earlier calculation, in any layout, that this one continues from. Such a graph is run eagerly, not
  /// planned.
  ValueId operand(TensorType type);

  /// Appends a node; types come from op.infer. Roles of outputs: activation in the forward phase, gradient in the
  /// backward phase. In-place ops and views keep the role of their operand. `output_name`: full name of the outputs;
  /// empty: "<layer>.<op>". After an error: kMaxOutputs times kNoValue, so that building code may take result[1]
  /// without asking.
  std::vector<ValueId> append(const Op& op, std::vector<ValueId> inputs, Attributes attributes = {},
                              std::string output_name = {});
  /// Same, for ops with one output.
  ValueId append1(const Op& op, std::vector<ValueId> inputs, Attributes attributes = {}, std::string output_name = {});

  /// Puts the nodes into another order: a permutation of their ids with producers before their users (CHECKed). Node
  /// ids change, value ids stay. The caller answers for in-place ops: a reader must not pass the op that overwrites.
  /// Eager builders have run their nodes already: they leave them where they are.
  void reorder(std::span<const NodeId> order);
  /// Lets a node read another value of the same type.
  void replace_input(NodeId node, size_t input, ValueId value);
  /// Whether nodes run as they are appended.
  bool eager() const { return executor_ != nullptr; }

  /// Gives an input, parameter or state its bytes; shape and dtype are CHECKed.
  void give(ValueId leaf, Tensor given);
  /// Makes an intermediate a constant of these bytes, of its type; its node has to go by replace_nodes().
  void make_constant(ValueId, Tensor data, Role role);
  /// Takes a constant's bytes away, which no node reads and no output is (CHECKed).
  void forget(ValueId constant);
  void mark_output(ValueId);
  void set_role(ValueId, Role);
  void set_phase(Phase phase) { phase_ = phase; }
  void set_layer(std::string layer) { layer_ = std::move(layer); }
  const std::string& layer() const { return layer_; }
  Phase phase() const { return phase_; }

  /// Types while building; CHECKs that the value exists (guard with failed()).
  const TensorType& type(ValueId) const;
  const Graph& graph() const { return graph_; }
  bool failed() const { return error_.has_value(); }
  /// Keeps `error` when it is the first; always returns kNoValue.
  ValueId fail(Error error);

  /// Replaces the graph's nodes, as fusion does: producers before their users (CHECKed). Node ids change, value ids
  /// stay. An intermediate that no node makes any more is inside a fused op. Not for eager builders.
  void replace_nodes(std::vector<Node> nodes);

  /// The graph, or the first error. Refused also: a node that reads a value after an in-place op has overwritten it.
  Result<Graph> finish();
  /// Begins an empty graph with the same executor; the memory of the lists is used again.
  void restart();

 private:
  std::string unique_name(std::string wanted);
  ValueId add_value(Value value);
  ValueId add_leaf(std::string name, TensorType type, ValueKind kind, Role role, Fill fill, Tensor data);
  std::string in_layer(std::string_view what) const;
  Result<std::vector<TensorType>> infer(const Op& op, const std::vector<ValueId>& inputs,
                                        const Attributes& attributes) const;
  /// Has the executor give a new leaf its bytes.
  ValueId settle(ValueId leaf);

  EagerExecutor* executor_ = nullptr;
  Graph graph_;
  std::unordered_map<std::string, uint32_t> names_;  ///< names in use, with the last number appended to each
  std::optional<Error> error_;
  std::string layer_;
  Phase phase_ = Phase::forward;
};

/// Enters a layer for a scope: Layer block(builder, "conv2") inside "layer1.0" makes "layer1.0.conv2".
class LayerScope {
 public:
  LayerScope(GraphBuilder& builder, std::string_view name);
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

 private:
  GraphBuilder& builder_;
  std::string outer_;
};

}  // namespace engine
