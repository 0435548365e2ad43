// SPDX-License-Identifier: Apache-2.0
// Loss scaling: the check for overflow, the guarded updates of SGD, the scale's own update, and what a training step
// appends of them.
#include "engine/ops/loss_scaling.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/casting.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

bool is_scalar(OperandCheck& check, std::span<const TensorType> inputs, size_t operand, DType dtype,
               std::string_view what) {
  const TensorType& type = inputs[operand];
  return check.that(type.dtype == dtype && type.shape.empty(), "{} must be one {} (a scalar), got {}", what,
                    name(dtype), to_string(type));
}

InferResult infer_found(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("found_nonfinite", inputs, {"gradient", "found"});
  if (!check.operand_count() || !check.floating(0) || !is_scalar(check, inputs, 1, DType::float32, "found"))
    return check.error();
  return std::vector{inputs[1]};
}

void reference_found(KernelArguments& arguments) {
  const std::vector<double> gradient = load(arguments.inputs[0]);
  const bool found = std::ranges::any_of(gradient, [](double value) { return !std::isfinite(value); });
  const double before = load(arguments.inputs[1])[0];
  store(arguments.outputs[0], std::vector{found ? 1.0 : before});
}

/// `tensors`: weight, gradient and perhaps buffer; scale and found follow.
bool check_update(OperandCheck& check, std::span<const TensorType> inputs, size_t tensors) {
  if (!check.operand_count() || !check.same_dtype(0, tensors) || !check.floating(0)) return false;
  for (size_t i = 1; i < tensors; ++i) {
    if (!check.shape(i, inputs[0].shape, "the shape of weight")) return false;
  }
  return is_scalar(check, inputs, tensors, DType::float32, "scale") &&
         is_scalar(check, inputs, tensors + 1, DType::float32, "found");
}

InferResult infer_sgd(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("unscaled_sgd", inputs, {"weight", "gradient", "scale", "found"});
  if (!check_update(check, inputs, 2)) return check.error();
  return std::vector{inputs[0]};
}

InferResult infer_momentum(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("unscaled_sgd_momentum", inputs, {"weight", "gradient", "buffer", "scale", "found"});
  if (!check_update(check, inputs, 3)) return check.error();
  return std::vector{inputs[0], inputs[2]};
}

void reference_sgd(KernelArguments& arguments) {
  if (load(arguments.inputs[3])[0] != 0) return;
  const double rate = arguments.attributes->get_double("rate", 0),
               decay = arguments.attributes->get_double("weight_decay", 0);
  const double scale = load(arguments.inputs[2])[0];
  std::vector<double> weight = load(arguments.inputs[0]);
  const std::vector<double> gradient = load(arguments.inputs[1]);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] -= rate * (gradient[i] / scale + decay * weight[i]);
  store(arguments.outputs[0], weight);
}

void reference_momentum(KernelArguments& arguments) {
  if (load(arguments.inputs[4])[0] != 0) return;
  const Attributes& attributes = *arguments.attributes;
  const double rate = attributes.get_double("rate", 0), decay = attributes.get_double("weight_decay", 0),
               momentum = attributes.get_double("momentum", 0), scale = load(arguments.inputs[3])[0];
  const bool nesterov = attributes.get_int("nesterov", 0) != 0;
  std::vector<double> weight = load(arguments.inputs[0]), buffer = load(arguments.inputs[2]);
  const std::vector<double> gradient = load(arguments.inputs[1]);
  for (size_t i = 0; i < weight.size(); ++i) {
    const double decayed = gradient[i] / scale + decay * weight[i];
    buffer[i] = momentum * buffer[i] + decayed;
    weight[i] -= rate * (nesterov ? decayed + momentum * buffer[i] : buffer[i]);
  }
  store(arguments.outputs[0], weight);
  store(arguments.outputs[1], buffer);
}

double decay_flops(const Call& call) { return call.attributes.get_double("weight_decay", 0) == 0 ? 0 : 2; }

InferResult infer_update(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("loss_scale_update", inputs, {"scale", "streak", "found", "skipped"});
  if (!check.operand_count() || !is_scalar(check, inputs, 0, DType::float32, "scale") ||
      !is_scalar(check, inputs, 1, DType::int32, "streak") || !is_scalar(check, inputs, 2, DType::float32, "found") ||
      !is_scalar(check, inputs, 3, DType::int32, "skipped")) {
    return check.error();
  }
  return std::vector(inputs.begin(), inputs.end());
}

void reference_update(KernelArguments& arguments) {
  const auto scalar = [&](size_t i) { return load(arguments.inputs[i])[0]; };
  const LossScale before{static_cast<float>(scalar(0)), static_cast<int32_t>(scalar(1)),
                         static_cast<int32_t>(scalar(3))};
  const Attributes& attributes = *arguments.attributes;
  const LossScaleRule rule{attributes.get_double("growth_factor", 2), attributes.get_double("backoff_factor", 0.5),
                           attributes.get_int("growth_interval", 2000)};
  const LossScale after = next_loss_scale(before, scalar(2) != 0, rule);
  store(arguments.outputs[0], std::vector{static_cast<double>(after.scale)});
  store(arguments.outputs[1], std::vector{static_cast<double>(after.streak)});
  store(arguments.outputs[2], std::vector{0.0});
  store(arguments.outputs[3], std::vector{static_cast<double>(after.skipped)});
}

}  // namespace

const Op kFoundNonfinite{
    .name = "found_nonfinite",
    .formula = "found = 1 where any element of gradient is infinite or NaN, else found",
    .infer = infer_found,
    .cost = [](const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); },
    .reference = reference_found,
    .in_place = {1},
};

const Op kUnscaledSgd{
    .name = "unscaled_sgd",
    .formula = "weight = weight - rate * (gradient / scale + weight_decay * weight) unless found",
    .infer = infer_sgd,
    .cost = [](const Call& call) { return elementwise_cost(call, 3 + decay_flops(call)); },
    .reference = reference_sgd,
    .in_place = {0},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kUnscaledSgdMomentum{
    .name = "unscaled_sgd_momentum",
    .formula =
        "buffer = momentum * buffer + gradient / scale + weight_decay * weight; weight = weight - rate * buffer; "
        "nesterov: weight - rate * (gradient / scale + weight_decay * weight + momentum * buffer); unless found",
    .infer = infer_momentum,
    .cost =
        [](const Call& call) {
          return elementwise_cost(
              call, 5 + decay_flops(call) + 2 * static_cast<double>(call.attributes.get_int("nesterov", 0)));
        },
    .reference = reference_momentum,
    .in_place = {0, 2},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("momentum", 0),
                   AttributeSpec::real("weight_decay", 0), AttributeSpec::whole("nesterov", 0)},
};

const Op kLossScaleUpdate{
    .name = "loss_scale_update",
    .formula = "scale shrinks after an overflow, grows after growth_interval steps without one",
    .infer = infer_update,
    .cost = [](const Call& call) { return full_cost(call, 1); },
    .reference = reference_update,
    .in_place = {0, 1, 2, 3},
    .attributes = {AttributeSpec::real("growth_factor", 2), AttributeSpec::real("backoff_factor", 0.5),
                   AttributeSpec::whole("growth_interval", 2000)},
};

std::span<const Op* const> loss_scaling_ops() {
  static constexpr const Op* kOps[] = {&kFoundNonfinite, &kUnscaledSgd, &kUnscaledSgdMomentum, &kLossScaleUpdate};
  return kOps;
}

}  // namespace engine::ops

namespace engine {

ValueId append_scaled_loss(GraphBuilder& builder, ValueId loss, const LossScaleOptions& options,
                           LossScaleStates& states) {
  const TensorType real = TensorType::contiguous(DType::float32, {}), count = TensorType::contiguous(DType::int32, {});
  const Fill zero{Fill::Kind::zeros};
  states = {builder.state("loss_scale.scale", real, Fill{Fill::Kind::constant, options.initial_scale}),
            builder.state("loss_scale.streak", count, zero), builder.state("loss_scale.found", real, zero),
            builder.state("loss_scale.skipped", count, zero)};
  if (builder.failed()) return kNoValue;
  return ops::multiply(builder, loss, ops::cast(builder, states.scale, builder.type(loss).dtype));
}

void append_overflow_check(GraphBuilder& builder, std::span<const ValueId> gradients, LossScaleStates& states) {
  for (const ValueId gradient : gradients) {
    if (gradient != kNoValue) states.found = builder.append1(ops::kFoundNonfinite, {gradient, states.found});
  }
}

void append_loss_scale_update(GraphBuilder& builder, const LossScaleStates& states, const LossScaleRule& rule) {
  builder.append(ops::kLossScaleUpdate, {states.scale, states.streak, states.found, states.skipped},
                 {{"growth_factor", rule.growth_factor},
                  {"backoff_factor", rule.backoff_factor},
                  {"growth_interval", rule.growth_interval}});
}

}  // namespace engine
