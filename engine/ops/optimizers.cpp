// SPDX-License-Identifier: Apache-2.0
// Adam, AdamW, and clipping gradients by their norm.
#include "engine/ops/optimizers.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/casting.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

// ---- adam
// -------------------------------------------------------------------------------------------------------------------

bool is_step(OperandCheck& check, std::span<const TensorType> inputs, size_t operand) {
  return check.rank(operand, 0) &&
         check.that(inputs[operand].dtype == DType::int64, "step must be i64, got {}", name(inputs[operand].dtype));
}

bool is_real_scalar(OperandCheck& check, std::span<const TensorType> inputs, size_t operand, std::string_view what) {
  return check.rank(operand, 0) && check.that(inputs[operand].dtype == DType::float32, "{} must be f32, got {}", what,
                                              name(inputs[operand].dtype));
}

bool check_adam(OperandCheck& check, std::span<const TensorType> inputs) {
  if (!check.operand_count() || !check.same_dtype(0, 4) || !check.floating(0) || !is_step(check, inputs, 4))
    return false;
  for (size_t i = 1; i < 4; ++i) {
    if (!check.shape(i, inputs[0].shape, "the shape of weight")) return false;
  }
  return true;
}

InferResult infer_adam(std::string_view op, std::span<const TensorType> inputs) {
  OperandCheck check(op, inputs, {"weight", "gradient", "m", "v", "step"});
  if (!check_adam(check, inputs)) return check.error();
  return std::vector{inputs[0], inputs[2], inputs[3]};
}

InferResult infer_unscaled(std::string_view op, std::span<const TensorType> inputs) {
  OperandCheck check(op, inputs, {"weight", "gradient", "m", "v", "step", "scale", "found"});
  if (!check_adam(check, inputs) || !is_real_scalar(check, inputs, 5, "scale") ||
      !is_real_scalar(check, inputs, 6, "found")) {
    return check.error();
  }
  return std::vector{inputs[0], inputs[2], inputs[3]};
}

/// With operands scale and found behind the five: by gradient / scale, and nothing when found is not 0.
void reference_adam(KernelArguments& arguments, bool decoupled) {
  const bool scaled = arguments.inputs.size() == 7;
  if (scaled && load(arguments.inputs[6])[0] != 0) return;
  const double scale = scaled ? load(arguments.inputs[5])[0] : 1;
  const Attributes& attributes = *arguments.attributes;
  const double rate = attributes.get_double("rate", 0), decay = attributes.get_double("weight_decay", 0);
  const double beta1 = attributes.get_double("beta1", 0), beta2 = attributes.get_double("beta2", 0);
  const double epsilon = attributes.get_double("epsilon", 0);
  const double step = std::max(load(arguments.inputs[4])[0], 1.0);
  const double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
  std::vector<double> weight = load(arguments.inputs[0]), m = load(arguments.inputs[2]), v = load(arguments.inputs[3]);
  const std::vector<double> gradient = load(arguments.inputs[1]);
  for (size_t i = 0; i < weight.size(); ++i) {
    const double g = gradient[i] / scale + (decoupled ? 0 : decay * weight[i]);
    if (decoupled) weight[i] -= rate * decay * weight[i];
    m[i] = beta1 * m[i] + (1 - beta1) * g;
    v[i] = beta2 * v[i] + (1 - beta2) * g * g;
    weight[i] -= rate / correction1 * m[i] / (std::sqrt(v[i] / correction2) + epsilon);
  }
  store(arguments.outputs[0], weight);
  store(arguments.outputs[1], m);
  store(arguments.outputs[2], v);
}

/// Per element: 3 for m, 4 for v, 6 for the weight (square root, correction, epsilon, division, product, difference), 2
/// for the decay, 1 for the loss scale. The corrections, once per call, are not counted.
Cost cost_adam(const Call& call) {
  const double decay = call.attributes.get_double("weight_decay", 0) == 0 ? 0 : 2,
               unscaling = call.inputs.size() == 7 ? 1 : 0;
  return elementwise_cost(call, 13 + decay + unscaling);
}

// ---- count_step
// -------------------------------------------------------------------------------------------------------------

InferResult infer_count_step(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("count_step", inputs, {"step"});
  if (!check.operand_count() || !is_step(check, inputs, 0)) return check.error();
  return std::vector{inputs[0]};
}

InferResult infer_count_step_unless(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("count_step_unless", inputs, {"step", "found"});
  if (!check.operand_count() || !is_step(check, inputs, 0) || !is_real_scalar(check, inputs, 1, "found"))
    return check.error();
  return std::vector{inputs[0]};
}

void reference_count_step_unless(KernelArguments& arguments) {
  const double more = load(arguments.inputs[1])[0] == 0 ? 1 : 0;
  store(arguments.outputs[0], std::vector{load(arguments.inputs[0])[0] + more});
}

void reference_count_step(KernelArguments& arguments) {
  store(arguments.outputs[0], std::vector{load(arguments.inputs[0])[0] + 1});
}

// ---- clipping
// ---------------------------------------------------------------------------------------------------------------

InferResult infer_squared_norm(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("squared_norm", inputs, {"x"});
  if (!check.operand_count() || !check.floating(0)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype == DType::float64 ? DType::float64 : DType::float32, {})};
}

void reference_squared_norm(KernelArguments& arguments) {
  double total = 0;
  for (const double value : load(arguments.inputs[0])) total += value * value;
  store(arguments.outputs[0], std::vector{total});
}

InferResult infer_clip(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("clip_by_norm", inputs, {"gradient", "squared_norm"});
  const double max_norm = attributes.get_double("max_norm", 0);
  if (!check.operand_count() || !check.floating(0) || !check.floating(1) || !check.rank(1, 0) ||
      !check.that(max_norm > 0, "max_norm is {}: must be above 0", max_norm) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[0].dtype, inputs[0].shape, dense_strides_like(inputs[0].shape, inputs[0].strides)}};
}

void reference_clip(KernelArguments& arguments) {
  const double norm = std::sqrt(load(arguments.inputs[1])[0]);
  const double wanted = arguments.attributes->get_double("max_norm", 0) / (norm + 1e-6);
  const double factor = wanted > 1 ? 1 : wanted;  // a NaN stays one
  std::vector<double> values = load(arguments.inputs[0]);
  for (double& value : values) value *= factor;
  store(arguments.outputs[0], values);
}

}  // namespace

const Op kAdam{
    .name = "adam",
    .formula =
        "g = gradient + weight_decay * weight; m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g^2; "
        "weight = weight - rate * m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon)",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_adam("adam", inputs); },
    .cost = cost_adam,
    .reference = [](KernelArguments& arguments) { reference_adam(arguments, /*decoupled=*/false); },
    .in_place = {0, 2, 3},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("beta1", 0), AttributeSpec::real("beta2", 0),
                   AttributeSpec::real("epsilon", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kAdamW{
    .name = "adamw",
    .formula = "weight = weight - rate * weight_decay * weight, then adam without decay",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_adam("adamw", inputs); },
    .cost = cost_adam,
    .reference = [](KernelArguments& arguments) { reference_adam(arguments, /*decoupled=*/true); },
    .in_place = {0, 2, 3},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("beta1", 0), AttributeSpec::real("beta2", 0),
                   AttributeSpec::real("epsilon", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kUnscaledAdam{
    .name = "unscaled_adam",
    .formula = "adam by gradient / scale, unless found",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unscaled("unscaled_adam", inputs); },
    .cost = cost_adam,
    .reference = [](KernelArguments& arguments) { reference_adam(arguments, /*decoupled=*/false); },
    .in_place = {0, 2, 3},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("beta1", 0), AttributeSpec::real("beta2", 0),
                   AttributeSpec::real("epsilon", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kUnscaledAdamW{
    .name = "unscaled_adamw",
    .formula = "adamw by gradient / scale, unless found",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unscaled("unscaled_adamw", inputs); },
    .cost = cost_adam,
    .reference = [](KernelArguments& arguments) { reference_adam(arguments, /*decoupled=*/true); },
    .in_place = {0, 2, 3},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("beta1", 0), AttributeSpec::real("beta2", 0),
                   AttributeSpec::real("epsilon", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kCountStepUnless{
    .name = "count_step_unless",
    .formula = "step = step + 1 unless found",
    .infer = infer_count_step_unless,
    .cost = [](const Call& call) { return full_cost(call, 1); },
    .reference = reference_count_step_unless,
    .in_place = {0},
};

const Op kCountStep{
    .name = "count_step",
    .formula = "step = step + 1",
    .infer = infer_count_step,
    .cost = [](const Call& call) { return full_cost(call, 1); },
    .reference = reference_count_step,
    .in_place = {0},
};

const Op kSquaredNorm{
    .name = "squared_norm",
    .formula = "s = sum x^2",
    .infer = infer_squared_norm,
    .cost = [](const Call& call) { return full_cost(call, 2 * static_cast<double>(call.inputs[0].elements())); },
    .reference = reference_squared_norm,
    .fusion = FusionPart::reduction,
};

const Op kClipByNorm{
    .name = "clip_by_norm",
    .formula = "y = gradient * min(1, max_norm / (sqrt(squared_norm) + 1e-6))",
    .infer = infer_clip,
    // One product per element; root, sum, division, minimum once.
    .cost = [](const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements()) + 4); },
    .reference = reference_clip,
    .attributes = {AttributeSpec::real("max_norm", 0)},
};

std::span<const Op* const> optimizers_ops() {
  static constexpr const Op* kOps[] = {&kAdam,      &kAdamW,           &kUnscaledAdam, &kUnscaledAdamW,
                                       &kCountStep, &kCountStepUnless, &kSquaredNorm,  &kClipByNorm};
  return kOps;
}

void adam_update(GraphBuilder& builder, ValueId weight, ValueId gradient, ValueId m, ValueId v, ValueId step,
                 const AdamOptions& options, const ScaledGradients& scaling) {
  Attributes attributes{{"rate", options.rate},
                        {"beta1", options.beta1},
                        {"beta2", options.beta2},
                        {"epsilon", options.epsilon},
                        {"weight_decay", options.weight_decay}};
  if (scaling.scale == kNoValue) {
    builder.append(options.decoupled_decay ? kAdamW : kAdam, {weight, gradient, m, v, step}, std::move(attributes));
    return;
  }
  builder.append(options.decoupled_decay ? kUnscaledAdamW : kUnscaledAdam,
                 {weight, gradient, m, v, step, scaling.scale, scaling.found}, std::move(attributes));
}

ValueId count_step(GraphBuilder& builder, ValueId step, const ScaledGradients& scaling) {
  if (scaling.found == kNoValue) return builder.append1(kCountStep, {step});
  return builder.append1(kCountStepUnless, {step, scaling.found});
}

ValueId squared_norm(GraphBuilder& builder, ValueId x) { return builder.append1(kSquaredNorm, {x}); }

std::vector<ValueId> clip_grad_norm(GraphBuilder& builder, std::span<const ValueId> gradients, double max_norm,
                                    ValueId scale) {
  std::vector<ValueId> clipped(gradients.begin(), gradients.end());
  ValueId total = kNoValue;
  for (const ValueId gradient : gradients) {
    if (gradient == kNoValue) continue;
    const ValueId part = squared_norm(builder, gradient);
    total = total == kNoValue ? part : add(builder, total, part);
  }
  if (scale != kNoValue && total != kNoValue && !builder.failed()) {
    const ValueId factor = cast(builder, scale, builder.type(total).dtype);
    total = divide(builder, divide(builder, total, factor), factor);
  }
  for (ValueId& gradient : clipped) {
    if (gradient != kNoValue) gradient = builder.append1(kClipByNorm, {gradient, total}, {{"max_norm", max_norm}});
  }
  return clipped;
}

}  // namespace engine::ops
