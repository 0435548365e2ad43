// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a graph: appends the nodes that compute gradients.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// What an op's gradient function sees: its node, and the gradients that reached its outputs.
class GradientContext {
 public:
  GradientContext(GraphBuilder& builder, const Node& node, std::span<const ValueId> output_gradients, std::span<const bool> needed)
      : builder_(builder), node_(node), output_gradients_(output_gradients), needed_(needed), input_gradients_(node.inputs.size(), kNoValue) {}

  GraphBuilder& builder() { return builder_; }
  const Attributes& attributes() const { return node_.attributes; }
  ValueId input(size_t i) const { return node_.inputs[i]; }
  ValueId output(size_t i) const { return node_.outputs[i]; }
  size_t input_count() const { return node_.inputs.size(); }
  /// Gradient of the loss by output i; kNoValue when nothing depends on it.
  ValueId output_gradient(size_t i) const { return output_gradients_[i]; }
  /// Whether anything wants the gradient by input i (skip the work otherwise).
  bool needed(size_t i) const { return needed_[i]; }
  void set_input_gradient(size_t i, ValueId gradient) { input_gradients_[i] = gradient; }
  const std::vector<ValueId>& input_gradients() const { return input_gradients_; }

 private:
  GraphBuilder& builder_;
  const Node& node_;  // copied by differentiate: stays valid while the builder grows
  std::span<const ValueId> output_gradients_;
  std::span<const bool> needed_;
  std::vector<ValueId> input_gradients_;
};

/// Appends d(loss)/d(w) for each `w` in `wanted` (any values). `loss` must be a scalar. Gradients that meet are added.
/// Returns one gradient value per entry of `wanted`; kNoValue where the loss does not depend on it.
/// On an op without gradient the builder gets an error naming op and layer.
std::vector<ValueId> differentiate(GraphBuilder& builder, ValueId loss, std::span<const ValueId> wanted);

struct SgdOptions {
  double learning_rate = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
};
/// Differentiates by all parameters and appends one in-place sgd_momentum update per parameter (phase update), with its
/// momentum buffer as optimiser state (none when momentum = 0).
void append_sgd_step(GraphBuilder& builder, ValueId loss, const SgdOptions& options);

}  // namespace engine
