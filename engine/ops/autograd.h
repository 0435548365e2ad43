// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a graph: appends the nodes that compute gradients, and those that
// learn from them.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/autograd.h"

namespace engine {

/// Appends d(loss)/d(w) for each `w` in `wanted` (any values), in phase backward. `loss` must have
/// one element and a floating dtype. Gradients that meet are added. Returns one gradient value per
/// entry of `wanted`; kNoValue where the loss does not depend on it. On an op without gradient the
/// builder gets an error naming op and layer.
std::vector<ValueId> differentiate(GraphBuilder& builder, ValueId loss, std::span<const ValueId> wanted);

/// The same from any floating value `y` with the given gradient (of y's shape and dtype): the product of it with dy/dw.
std::vector<ValueId> differentiate_along(GraphBuilder& builder, ValueId y, ValueId y_gradient,
                                         std::span<const ValueId> wanted);

struct SgdOptions {
  double learning_rate = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
};
/// append_optimizer_step (engine/ops/training_step.h) with SGD.
void append_sgd_step(GraphBuilder& builder, ValueId loss, const SgdOptions& options);

}  // namespace engine
