// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over axis 1: training, its gradient, the running statistics, inference.
#include <algorithm>
#include <cmath>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// x [N, C, ...] as N x C x inner.
struct Extents {
  int64_t batch, channels, inner;
  int64_t per_channel() const { return batch * inner; }
};

Extents extents_of(const Shape& shape) {
  const int64_t elements = element_count(shape).value_or(0), rows = elements == 0 ? 0 : shape[0] * shape[1];
  return {shape[0], shape[1], rows == 0 ? 0 : elements / rows};
}

/// Calls visit(channel, index) for each element in row-major order.
template <class Visit>
void for_each(const Extents& extents, Visit visit) {
  size_t index = 0;
  for (int64_t n = 0; n < extents.batch; ++n) {
    for (int64_t c = 0; c < extents.channels; ++c) {
      for (int64_t i = 0; i < extents.inner; ++i) visit(static_cast<size_t>(c), index++);
    }
  }
}

/// Checks x [N, C, ...] at operand `x` and vectors [C] of one dtype (that of x, or f32) at `first` to `end`.
bool check_operands(OperandCheck& check, std::span<const TensorType> inputs, size_t x, size_t first, size_t end) {
  const TensorType& image = inputs[x];
  if (!check.floating(x) ||
      !check.that(image.rank() >= 2, "x must have rank 2 or more, got {}", to_string(image.shape)) ||
      !check.same_dtype(first, end) ||
      !check.that(inputs[first].dtype == image.dtype || inputs[first].dtype == DType::float32,
                  "statistics are {} or f32 for x of {}, got {}", name(image.dtype), name(image.dtype),
                  name(inputs[first].dtype)) ||
      !check.addressable("the result", image.dtype, image.shape)) {
    return false;
  }
  for (size_t i = first; i < end; ++i) {
    if (!check.shape(i, {image.shape[1]}, "the channels of x")) return false;
  }
  return true;
}

TensorType normalized_type(const TensorType& x) {
  if (x.rank() == 4) return TensorType::channels_last(x.dtype, x.shape);
  return {x.dtype, x.shape, dense_strides_like(x.shape, x.strides)};
}

// ---- training
// ---------------------------------------------------------------------------------------------------------------

InferResult infer_training(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("batch_norm_training", inputs, {"x", "scale", "bias"});
  if (!check.operand_count() || !check_operands(check, inputs, 0, 1, 3)) return check.error();
  const Extents extents = extents_of(inputs[0].shape);
  if (!check.that(extents.channels == 0 || extents.inner > 0, "x {} has no values to take a mean of",
                  to_string(inputs[0].shape))) {
    return check.error();
  }
  const TensorType statistic = TensorType::contiguous(inputs[1].dtype, {inputs[0].shape[1]});
  return std::vector{normalized_type(inputs[0]), statistic, statistic};
}

void reference_training(KernelArguments& arguments) {
  const double epsilon = arguments.attributes->get_double("epsilon", 1e-5);
  const Extents extents = extents_of(arguments.inputs[0].shape());
  const auto count = static_cast<double>(extents.per_channel());
  std::vector<double> x = load(arguments.inputs[0]);
  const std::vector<double> scale = load(arguments.inputs[1]), bias = load(arguments.inputs[2]);
  std::vector<double> mean(scale.size(), 0.0), variance(scale.size(), 0.0), inv_std(scale.size());
  for_each(extents, [&](size_t c, size_t i) { mean[c] += x[i]; });
  for (double& value : mean) value /= count;
  std::vector<double> off(scale.size(), 0.0);  // of the mean, as in norms.cpp
  for_each(extents, [&](size_t c, size_t i) { off[c] += x[i] - mean[c]; });
  for (size_t c = 0; c < mean.size(); ++c) mean[c] += std::isfinite(off[c]) ? off[c] / count : 0;
  for_each(extents, [&](size_t c, size_t i) { variance[c] += (x[i] - mean[c]) * (x[i] - mean[c]); });
  for (size_t c = 0; c < inv_std.size(); ++c) inv_std[c] = 1 / std::sqrt(variance[c] / count + epsilon);
  for_each(extents, [&](size_t c, size_t i) { x[i] = (x[i] - mean[c]) * inv_std[c] * scale[c] + bias[c]; });
  store(arguments.outputs[0], x);
  store(arguments.outputs[1], mean);
  store(arguments.outputs[2], inv_std);
}

// ---- gradient
// ---------------------------------------------------------------------------------------------------------------

InferResult infer_grad(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("batch_norm_grad", inputs, {"dy", "x", "mean", "inv_std", "scale"});
  if (!check.operand_count() || !check.same_dtype(0, 2) || !check_operands(check, inputs, 1, 2, 5) ||
      !check.shape(0, inputs[1].shape, "the shape of x")) {
    return check.error();
  }
  const TensorType &x = inputs[1], vector = TensorType::contiguous(inputs[4].dtype, {x.shape[1]});
  return std::vector{TensorType{x.dtype, x.shape, dense_strides_like(x.shape, x.strides)}, vector, vector};
}

/// Source: Ioffe, Szegedy, "Batch Normalization", ICML 2015, section 3, simplified.
void reference_grad(KernelArguments& arguments) {
  const Extents extents = extents_of(arguments.inputs[1].shape());
  const auto count = static_cast<double>(extents.per_channel());
  std::vector<double> dy = load(arguments.inputs[0]), x = load(arguments.inputs[1]);
  const std::vector<double> mean = load(arguments.inputs[2]), inv_std = load(arguments.inputs[3]),
                            scale = load(arguments.inputs[4]);
  std::vector<double> dscale(scale.size(), 0.0), dbias(scale.size(), 0.0);
  for_each(extents, [&](size_t c, size_t i) {
    x[i] = (x[i] - mean[c]) * inv_std[c];
    dscale[c] += dy[i] * x[i];
    dbias[c] += dy[i];
  });
  for_each(extents, [&](size_t c, size_t i) {
    dy[i] = scale[c] * inv_std[c] * (dy[i] - dbias[c] / count - x[i] * dscale[c] / count);
  });
  store(arguments.outputs[0], dy);
  store(arguments.outputs[1], dscale);
  store(arguments.outputs[2], dbias);
}

void gradient_training(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  if (context.output_gradient(1) != kNoValue || context.output_gradient(2) != kNoValue) {
    builder.fail(usage_error("[batch_norm_training] has no gradient through its statistics"));
    return;
  }
  if (!context.needed(0) && !context.needed(1) && !context.needed(2)) return;
  const std::vector<ValueId> gradients = builder.append(
      kBatchNormGrad,
      {context.output_gradient(0), context.input(0), context.output(1), context.output(2), context.input(1)});
  for (size_t i = 0; i < 3; ++i) {
    if (context.needed(i)) context.set_input_gradient(i, gradients[i]);
  }
}

// ---- running statistics
// -------------------------------------------------------------------------------------------------------

InferResult infer_update(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("batch_norm_running_update", inputs, {"running_mean", "running_variance", "mean", "inv_std"});
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0) || !check.rank(0, 1) ||
      !check.shape(1, inputs[0].shape, "the shape of running_mean") ||
      !check.shape(2, inputs[0].shape, "the shape of running_mean") ||
      !check.shape(3, inputs[0].shape, "the shape of running_mean") ||
      !check.that(attributes.get_int("count", 0) >= 1, "count is {}: must be at least 1",
                  attributes.get_int("count", 0))) {
    return check.error();
  }
  return std::vector{inputs[0], inputs[1]};
}

void reference_update(KernelArguments& arguments) {
  const double epsilon = arguments.attributes->get_double("epsilon", 1e-5);
  const double momentum = arguments.attributes->get_double("momentum", 0.1);
  const auto count = static_cast<double>(arguments.attributes->get_int("count", 1));
  std::vector<double> running_mean = load(arguments.inputs[0]), running_variance = load(arguments.inputs[1]);
  const std::vector<double> mean = load(arguments.inputs[2]), inv_std = load(arguments.inputs[3]);
  for (size_t c = 0; c < mean.size(); ++c) {
    const double variance = (1 / (inv_std[c] * inv_std[c]) - epsilon) * (count > 1 ? count / (count - 1) : 1);
    running_mean[c] = (1 - momentum) * running_mean[c] + momentum * mean[c];
    running_variance[c] = (1 - momentum) * running_variance[c] + momentum * variance;
  }
  store(arguments.outputs[0], running_mean);
  store(arguments.outputs[1], running_variance);
}

// ---- inference
// ----------------------------------------------------------------------------------------------------------------

InferResult infer_inference(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("batch_norm_inference", inputs, {"x", "scale", "bias", "mean", "variance"});
  if (!check.operand_count() || !check_operands(check, inputs, 0, 1, 5)) return check.error();
  return std::vector{normalized_type(inputs[0])};
}

void reference_inference(KernelArguments& arguments) {
  const double epsilon = arguments.attributes->get_double("epsilon", 1e-5);
  std::vector<double> x = load(arguments.inputs[0]);
  const std::vector<double> scale = load(arguments.inputs[1]), bias = load(arguments.inputs[2]),
                            mean = load(arguments.inputs[3]), variance = load(arguments.inputs[4]);
  for_each(extents_of(arguments.inputs[0].shape()), [&](size_t c, size_t i) {
    x[i] = (x[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + bias[c];
  });
  store(arguments.outputs[0], x);
}

InferResult infer_inference_grad(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("batch_norm_inference_grad", inputs, {"dy", "x", "scale", "mean", "variance"});
  if (!check.operand_count() || !check.same_dtype(0, 2) || !check_operands(check, inputs, 1, 2, 5) ||
      !check.shape(0, inputs[1].shape, "the shape of x")) {
    return check.error();
  }
  const TensorType &x = inputs[1], vector = TensorType::contiguous(inputs[2].dtype, {x.shape[1]});
  return std::vector{TensorType{x.dtype, x.shape, dense_strides_like(x.shape, x.strides)}, vector, vector, vector,
                     vector};
}

void reference_inference_grad(KernelArguments& arguments) {
  const double epsilon = arguments.attributes->get_double("epsilon", 1e-5);
  std::vector<double> dy = load(arguments.inputs[0]);
  const std::vector<double> x = load(arguments.inputs[1]), scale = load(arguments.inputs[2]),
                            mean = load(arguments.inputs[3]);
  std::vector<double> inverse = load(arguments.inputs[4]);
  for (double& value : inverse) value = 1 / std::sqrt(value + epsilon);
  std::vector<double> dscale(scale.size(), 0.0), dbias(scale.size(), 0.0), dmean(scale.size()), dvariance(scale.size());
  for_each(extents_of(arguments.inputs[1].shape()), [&](size_t c, size_t i) {
    dscale[c] += dy[i] * (x[i] - mean[c]) * inverse[c];
    dbias[c] += dy[i];
    dy[i] *= scale[c] * inverse[c];
  });
  for (size_t c = 0; c < scale.size(); ++c) {
    dmean[c] = -dbias[c] * scale[c] * inverse[c];
    dvariance[c] = -0.5 * dscale[c] * scale[c] * inverse[c] * inverse[c];
  }
  store(arguments.outputs[0], dy);
  store(arguments.outputs[1], dscale);
  store(arguments.outputs[2], dbias);
  store(arguments.outputs[3], dmean);
  store(arguments.outputs[4], dvariance);
}

void gradient_inference(GradientContext& context) {
  const std::vector<ValueId> gradients = context.builder().append(
      kBatchNormInferenceGrad,
      {context.output_gradient(0), context.input(0), context.input(1), context.input(3), context.input(4)},
      context.attributes());
  for (size_t i = 0; i < 5; ++i) {
    if (context.needed(i)) context.set_input_gradient(i, gradients[i]);
  }
}

// ---- forward mode
// -------------------------------------------------------------------------------------------------------------

/// The tangent of y through scale and bias: inference with their tangents in their place. kNoValue: they do not move.
ValueId affine_tangent(TangentContext& context, ValueId factor, ValueId mean, ValueId variance, double epsilon) {
  GraphBuilder& builder = context.builder();
  const ValueId dscale = context.input_tangent(1), dbias = context.input_tangent(2);
  if (builder.failed() || (dscale == kNoValue && dbias == kNoValue)) return kNoValue;
  const ValueId zero = zeros_like(builder, builder.type(mean));
  ValueId scale = dscale == kNoValue ? zero : dscale;
  if (dscale != kNoValue && factor != kNoValue) scale = multiply(builder, scale, factor);
  return batch_norm_inference(builder, context.input(0), scale, dbias == kNoValue ? zero : dbias, mean, variance,
                              epsilon);
}

/// y by x has a symmetric Jacobian (a projection, scaled per channel), so its gradient op serves.
void tangent_training(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  if (context.needed(1) || context.needed(2)) {
    builder.fail(usage_error("[batch_norm_training] has no tangent of its statistics"));
    return;
  }
  const ValueId mean = context.output(1), inv_std = context.output(2);
  ValueId total = kNoValue;
  if (context.input_tangent(0) != kNoValue) {
    total = builder.append(kBatchNormGrad,
                           {context.input_tangent(0), context.input(0), mean, inv_std, context.input(1)})[0];
  }
  if (builder.failed()) return;
  // (x - mean) * inv_std as inference has it: variance 1, inv_std as a factor of the scale.
  const ValueId one = ones_like(builder, builder.type(mean));
  total = add_tangents(builder, total, affine_tangent(context, inv_std, mean, one, 0));
  context.set_output_tangent(0, total);
}

/// Inference itself on the tangents: each part of y is linear but for the variance, by which y moves by -y / 2 /
/// (variance + epsilon), without the bias.
void tangent_inference(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const double epsilon = context.attributes().get_double("epsilon", 1e-5);
  const ValueId x = context.input(0), factor = context.input(1), mean = context.input(3), variance = context.input(4);
  const ValueId dx = context.input_tangent(0), dmean = context.input_tangent(3), dvariance = context.input_tangent(4);
  const ValueId zero = zeros_like(builder, builder.type(variance));
  ValueId total = affine_tangent(context, kNoValue, mean, variance, epsilon);
  if (dx != kNoValue && !builder.failed()) {
    total = add_tangents(builder, total, batch_norm_inference(builder, dx, factor, zero, zero, variance, epsilon));
  }
  if (dmean != kNoValue && !builder.failed()) {
    const ValueId nothing = zeros_like(builder, builder.type(x));
    total =
        add_tangents(builder, total, batch_norm_inference(builder, nothing, factor, zero, dmean, variance, epsilon));
  }
  if (dvariance != kNoValue && !builder.failed()) {
    const ValueId one = ones_like(builder, builder.type(variance));
    const ValueId inv_std = squeeze(
        builder, batch_norm_inference(builder, unsqueeze(builder, one, 0), one, zero, zero, variance, epsilon), 0);
    const ValueId slope = multiply(builder, multiply(builder, inv_std, inv_std), multiply(builder, factor, dvariance));
    const ValueId part =
        batch_norm_inference(builder, x, ops::scale(builder, slope, -0.5), zero, mean, variance, epsilon);
    total = add_tangents(builder, total, part);
  }
  context.set_output_tangent(0, total);
}

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

}  // namespace

const Op kBatchNormTraining{
    .name = "batch_norm_training",
    .formula =
        "y = (x - mean) * inv_std * scale + bias; mean over all axes but 1, inv_std = 1 / sqrt(variance + epsilon)",
    .infer = infer_training,
    // Per element: 1 for the mean, 3 for the variance, 2 for y = x * factor + offset; per channel: 6 for inv_std,
    // factor, offset.
    .cost =
        [](const Call& call) { return full_cost(call, 6 * elements(call.inputs[0]) + 6 * elements(call.inputs[1])); },
    .reference = reference_training,
    .gradient = gradient_training,
    .tangent = tangent_training,
    .attributes = {AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::normalization,
};

const Op kBatchNormGrad{
    .name = "batch_norm_grad",
    .formula =
        "dx = scale * inv_std * (dy - mean(dy) - xhat * mean(dy * xhat)); dscale = sum dy * xhat; dbias = sum dy; "
        "xhat = (x - mean) * inv_std",
    .infer = infer_grad,
    // Per element: 2 for xhat, 2 for dscale, 1 for dbias, 4 for dx; per channel: 3 for the two means and the factor.
    .cost =
        [](const Call& call) { return full_cost(call, 9 * elements(call.inputs[1]) + 3 * elements(call.inputs[4])); },
    .reference = reference_grad,
    .fusion = FusionPart::reduction,
};

const Op kBatchNormRunningUpdate{
    .name = "batch_norm_running_update",
    .formula =
        "running = (1 - momentum) * running + momentum * statistic; variance = (1 / inv_std^2 - epsilon) * count / "
        "(count - 1)",
    .infer = infer_update,
    // Per channel: 3 for each running statistic, 4 for the variance.
    .cost = [](const Call& call) { return elementwise_cost(call, 10); },
    .reference = reference_update,
    .in_place = {0, 1},
    .attributes = {AttributeSpec::real("epsilon", 1e-5), AttributeSpec::real("momentum", 0.1),
                   AttributeSpec::whole("count")},
};

const Op kBatchNormInference{
    .name = "batch_norm_inference",
    .formula = "y = (x - mean) / sqrt(variance + epsilon) * scale + bias",
    .infer = infer_inference,
    // Per element: 2 for y = x * factor + offset; per channel: 6 for factor and offset.
    .cost =
        [](const Call& call) { return full_cost(call, 2 * elements(call.inputs[0]) + 6 * elements(call.inputs[1])); },
    .reference = reference_inference,
    .gradient = gradient_inference,
    .tangent = tangent_inference,
    .attributes = {AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::normalization,
};

const Op kBatchNormInferenceGrad{
    .name = "batch_norm_inference_grad",
    .formula =
        "dx = dy * scale * inv_std; dscale = sum dy * (x - mean) * inv_std; dbias = sum dy; dmean = -dbias * scale * "
        "inv_std; "
        "dvariance = -dscale * scale * inv_std^2 / 2; inv_std = 1 / sqrt(variance + epsilon)",
    .infer = infer_inference_grad,
    // Per element: 3 for dscale, 1 for dbias, 1 for dx; per channel: 3 for inv_std, 2 for its products, 5 for dmean and
    // dvariance.
    .cost =
        [](const Call& call) { return full_cost(call, 5 * elements(call.inputs[1]) + 10 * elements(call.inputs[2])); },
    .reference = reference_inference_grad,
    .attributes = {AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::reduction,
};

ValueId batch_norm_training(GraphBuilder& builder, ValueId x, ValueId scale, ValueId bias, ValueId running_mean,
                            ValueId running_variance, const BatchNormOptions& options) {
  const std::vector<ValueId> outputs =
      builder.append(kBatchNormTraining, {x, scale, bias}, {{"epsilon", options.epsilon}});
  if (builder.failed() || running_mean == kNoValue || running_variance == kNoValue) return outputs[0];
  const int64_t count = extents_of(builder.type(x).shape).per_channel();
  builder.append(kBatchNormRunningUpdate, {running_mean, running_variance, outputs[1], outputs[2]},
                 {{"epsilon", options.epsilon}, {"momentum", options.momentum}, {"count", count}});
  return builder.failed() ? kNoValue : outputs[0];
}

ValueId batch_norm_inference(GraphBuilder& builder, ValueId x, ValueId scale, ValueId bias, ValueId mean,
                             ValueId variance, double epsilon) {
  return builder.append1(kBatchNormInference, {x, scale, bias, mean, variance}, {{"epsilon", epsilon}});
}

}  // namespace engine::ops
