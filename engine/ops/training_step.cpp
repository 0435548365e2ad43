// SPDX-License-Identifier: Apache-2.0
// Gradients, clipping, updates.
#include "engine/ops/training_step.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/ops/autograd.h"
#include "engine/ops/checkpoint.h"
#include "engine/ops/ops.h"
#include "engine/ops/optimizers.h"
#include "engine/ops/phase_scope.h"
#include "engine/ops/straight_through.h"

namespace engine {
namespace {

constexpr std::array<std::string_view, 3> kNames{"sgd", "adam", "adamw"};

/// The layer that first uses a value, "" when none does.
std::string layer_using(const Graph& graph, ValueId id) {
  for (const Node& node : graph.nodes()) {
    for (const ValueId input : node.inputs) {
      if (input == id) return node.layer;
    }
  }
  return {};
}

void append_sgd(GraphBuilder& builder, ValueId parameter, ValueId gradient, const OptimizerOptions& options,
                const ops::ScaledGradients& scaling) {
  const TensorType type = builder.type(parameter);
  ValueId buffer = kNoValue;
  if (options.momentum != 0) {
    buffer = builder.state(builder.graph().value(parameter).name + ".momentum", type, Fill{Fill::Kind::zeros});
  }
  if (scaling.scale == kNoValue) {
    ops::sgd_update(builder, parameter, gradient, buffer, options.learning_rate, options.momentum, options.weight_decay,
                    options.nesterov);
    return;
  }
  Attributes attributes{{"rate", options.learning_rate}, {"weight_decay", options.weight_decay}};
  if (buffer == kNoValue) {
    builder.append(ops::kUnscaledSgd, {parameter, gradient, scaling.scale, scaling.found}, std::move(attributes));
    return;
  }
  attributes.set("momentum", options.momentum);
  if (options.nesterov) attributes.set("nesterov", int64_t{1});
  builder.append(ops::kUnscaledSgdMomentum, {parameter, gradient, buffer, scaling.scale, scaling.found},
                 std::move(attributes));
}

void append_adam(GraphBuilder& builder, ValueId parameter, ValueId gradient, ValueId step,
                 const OptimizerOptions& options, const ops::ScaledGradients& scaling) {
  const TensorType type = builder.type(parameter);
  const std::string name = builder.graph().value(parameter).name;
  const ValueId m = builder.state(name + ".m", type, Fill{Fill::Kind::zeros});
  const ValueId v = builder.state(name + ".v", type, Fill{Fill::Kind::zeros});
  ops::AdamOptions adam;
  adam.rate = options.learning_rate;
  adam.beta1 = options.beta1;
  adam.beta2 = options.beta2;
  adam.epsilon = options.epsilon;
  adam.weight_decay = options.weight_decay;
  adam.decoupled_decay = options.optimizer == Optimizer::adamw;
  ops::adam_update(builder, parameter, gradient, m, v, step, adam, scaling);
}

}  // namespace

std::string_view name(Optimizer optimizer) { return kNames[static_cast<size_t>(optimizer)]; }

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Optimizer>(i);
  }
  return std::nullopt;
}

void append_optimizer_step(GraphBuilder& builder, ValueId loss, const OptimizerOptions& options) {
  append_straight_through_step(builder, loss, options, {});
}

void append_straight_through_step(GraphBuilder& builder, ValueId loss, const OptimizerOptions& options,
                                  std::span<const StraightThrough> rounded) {
  if (builder.failed()) return;
  std::vector<ValueId> parameters;
  for (const Value& value : builder.graph().values()) {
    if (value.kind == ValueKind::parameter) parameters.push_back(value.id);
  }
  LossScaleStates states;
  if (options.loss_scale) loss = append_scaled_loss(builder, loss, *options.loss_scale, states);
  if (builder.failed()) return;
  std::vector<ValueId> wanted = parameters;
  for (const StraightThrough& through : rounded) std::ranges::replace(wanted, through.parameter, through.rounded);
  std::vector<ValueId> gradients = differentiate(builder, loss, wanted);
  recompute_in_backward(builder, options.checkpoints);
  const PhaseScope scope(builder, Phase::update);
  if (builder.failed()) return;
  builder.set_layer("optimizer");
  if (options.loss_scale) append_overflow_check(builder, gradients, states);
  const ops::ScaledGradients scaling{states.scale, states.found};
  if (options.max_gradient_norm > 0)
    gradients = ops::clip_grad_norm(builder, gradients, options.max_gradient_norm, scaling.scale);
  ValueId step = kNoValue;
  if (options.optimizer != Optimizer::sgd) {
    const ValueId done =
        builder.state("optimizer.step", TensorType::contiguous(DType::int64, {}), Fill{Fill::Kind::zeros});
    step = ops::count_step(builder, done, scaling);
  }
  for (size_t i = 0; i < parameters.size() && !builder.failed(); ++i) {
    if (gradients[i] == kNoValue) continue;
    builder.set_layer(layer_using(builder.graph(), parameters[i]));
    if (options.optimizer == Optimizer::sgd) {
      append_sgd(builder, parameters[i], gradients[i], options, scaling);
    } else {
      append_adam(builder, parameters[i], gradients[i], step, options, scaling);
    }
  }
  if (!options.loss_scale || builder.failed()) return;
  builder.set_layer("loss_scale");
  append_loss_scale_update(builder, states, options.loss_scale->rule);
}

void append_sgd_step(GraphBuilder& builder, ValueId loss, const SgdOptions& options) {
  OptimizerOptions general;
  general.learning_rate = options.learning_rate;
  general.momentum = options.momentum;
  general.weight_decay = options.weight_decay;
  append_optimizer_step(builder, loss, general);
}

}  // namespace engine
