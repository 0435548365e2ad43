// SPDX-License-Identifier: Apache-2.0
// TangentContext: what an op's tangent function sees and fills in (forward mode). Ready-made rules are in
// engine/ops/tangents.h, the walk in engine/ops/forward.h.
#pragma once

#include <utility>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// What an op's tangent function sees: its node, and the tangents that reached its inputs.
class TangentContext {
 public:
  /// `node` is a copy of its own: the builder's nodes move while it grows.
  TangentContext(GraphBuilder& builder, Node node, std::vector<ValueId> input_tangents, std::vector<bool> needed)
      : builder_(builder),
        node_(std::move(node)),
        input_tangents_(std::move(input_tangents)),
        needed_(std::move(needed)),
        output_tangents_(node_.outputs.size(), kNoValue) {}

  GraphBuilder& builder() { return builder_; }
  const Node& node() const { return node_; }
  const Attributes& attributes() const { return node_.attributes; }
  ValueId input(size_t i) const { return node_.inputs[i]; }
  ValueId output(size_t j) const { return node_.outputs[j]; }
  size_t input_count() const { return node_.inputs.size(); }
  /// Derivative of input i in the direction of interest; kNoValue when it is zero. Has the input's shape and dtype.
  ValueId input_tangent(size_t i) const { return input_tangents_[i]; }
  /// Whether output j leads to what is wanted (skip the work otherwise).
  bool needed(size_t j) const { return needed_[j]; }
  /// kNoValue (the default): output j does not move. The tangent has the output's shape and dtype.
  void set_output_tangent(size_t j, ValueId tangent) { output_tangents_[j] = tangent; }
  const std::vector<ValueId>& output_tangents() const { return output_tangents_; }

 private:
  GraphBuilder& builder_;
  Node node_;
  std::vector<ValueId> input_tangents_;
  std::vector<bool> needed_;
  std::vector<ValueId> output_tangents_;
};

}  // namespace engine
