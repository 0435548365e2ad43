// SPDX-License-Identifier: Apache-2.0
// GradientContext: what an op's gradient function sees and fills in. The walk itself is
// engine/ops/autograd.h (it needs ops).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// What an op's gradient function sees: its node, and the gradients that reached its outputs.
class GradientContext {
 public:
  /// `node` is a copy of its own: the builder's nodes move while it grows.
  GradientContext(GraphBuilder& builder, Node node, std::vector<ValueId> output_gradients, std::vector<bool> needed)
      : builder_(builder),
        node_(std::move(node)),
        output_gradients_(std::move(output_gradients)),
        needed_(std::move(needed)),
        input_gradients_(node_.inputs.size(), kNoValue) {}

  GraphBuilder& builder() { return builder_; }
  const Attributes& attributes() const { return node_.attributes; }
  ValueId input(size_t i) const { return node_.inputs[i]; }
  ValueId output(size_t i) const { return node_.outputs[i]; }
  size_t input_count() const { return node_.inputs.size(); }
  size_t output_count() const { return node_.outputs.size(); }
  /// Gradient of the loss by output i; kNoValue when nothing depends on it.
  ValueId output_gradient(size_t i) const { return output_gradients_[i]; }
  /// Whether anything wants the gradient by input i (skip the work otherwise).
  bool needed(size_t i) const { return needed_[i]; }
  /// kNoValue (the default): the loss does not depend on input i. The gradient has the input's
  /// shape and dtype.
  void set_input_gradient(size_t i, ValueId gradient) { input_gradients_[i] = gradient; }
  const std::vector<ValueId>& input_gradients() const { return input_gradients_; }

 private:
  GraphBuilder& builder_;
  Node node_;
  std::vector<ValueId> output_gradients_;
  std::vector<bool> needed_;
  std::vector<ValueId> input_gradients_;
};

}  // namespace engine
