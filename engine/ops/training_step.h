// SPDX-License-Identifier: Apache-2.0
// A whole training step in one call: gradients, clipping, updates.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/ops/loss_scaling.h"

namespace engine {

enum class Optimizer { sgd, adam, adamw };
/// "sgd" "adam" "adamw"
std::string_view name(Optimizer);
std::optional<Optimizer> parse_optimizer(std::string_view);

struct OptimizerOptions {
  Optimizer optimizer = Optimizer::sgd;
  double learning_rate = 0.01;
  double momentum = 0.9;                              ///< sgd; 0: no buffer
  bool nesterov = false;                              ///< sgd with momentum
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< adam and adamw
  double weight_decay = 0.0;
  std::vector<ValueId> checkpoints = {};  ///< not empty: only these are kept for the backward pass (checkpoint.h)
  std::optional<LossScaleOptions> loss_scale = {};  ///< set: gradients are those of scale * loss (loss_scaling.h)
  double max_gradient_norm = 0;                     ///< above 0: all gradients together are scaled to at most this norm
};

/// Differentiates `loss` by all parameters, clips where asked, and appends one in-place update per parameter (phase
/// update) with its optimiser state: "<parameter>.momentum" for SGD with momentum, "<parameter>.m" and ".v" for Adam,
/// which also counts steps in "optimizer.step". With a loss scale, a step whose gradients are not all finite changes
/// neither parameters nor optimiser state, nor does it count.
void append_optimizer_step(GraphBuilder& builder, ValueId loss, const OptimizerOptions& options);

}  // namespace engine
