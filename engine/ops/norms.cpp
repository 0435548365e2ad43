// SPDX-License-Identifier: Apache-2.0
// Layer, root-mean-square and group normalisation: lines of values that share their statistics.
#include "engine/ops/norms.h"

#include <cmath>

#include "engine/ops/casting.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

enum class Kind { layer, rms, group };

/// x in row-major order as `count` lines of `length` values that share their statistics. Value i of line l is scaled by
/// parameter (l % period) * per_line + i / inner.
struct Lines {
  int64_t count = 0, length = 0, period = 1, per_line = 0, inner = 1;
  Shape statistic, parameter;  ///< shapes of a statistic and of scale

  size_t parameter_of(int64_t line, int64_t i) const {
    return static_cast<size_t>(line % period * per_line + i / inner);
  }
  /// Calls visit(line, index, parameter) for each value, in row-major order.
  template <class Visit>
  void for_each(Visit visit) const {
    size_t index = 0;
    for (int64_t line = 0; line < count; ++line) {
      for (int64_t i = 0; i < length; ++i) visit(static_cast<size_t>(line), index++, parameter_of(line, i));
    }
  }
};

/// Shapes alone; extents are computed once all shapes are known to be addressable.
bool shape_lines(OperandCheck& check, Kind kind, const Shape& x, const Attributes& attributes, Lines& lines) {
  if (kind == Kind::group) {
    const int64_t groups = attributes.get_int("groups", 1);
    if (!check.that(x.size() >= 2, "x must have rank 2 or more, got {}", to_string(x)) ||
        !check.that(groups > 0 && x[1] % groups == 0, "{} channels do not divide into {} groups", x[1], groups)) {
      return false;
    }
    lines.statistic = {x[0], groups};
    lines.parameter = {x[1]};
    lines.period = groups;
    lines.per_line = x[1] / groups;
    return true;
  }
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.axis(axis, static_cast<int64_t>(x.size()))) return false;
  lines.statistic = x;
  for (size_t i = static_cast<size_t>(axis); i < x.size(); ++i) lines.statistic[i] = 1;
  lines.parameter.assign(x.begin() + axis, x.end());
  return true;
}

bool make_lines(OperandCheck& check, Kind kind, const TensorType& x, const Attributes& attributes, Lines& lines) {
  if (!check.addressable("the result", x.dtype, x.shape) || !shape_lines(check, kind, x.shape, attributes, lines) ||
      !check.addressable("a statistic", DType::float64, lines.statistic) ||
      !check.addressable("scale", DType::float64, lines.parameter)) {
    return false;
  }
  const int64_t elements = x.elements(), parameters = element_count(lines.parameter).value_or(0);
  lines.count = element_count(lines.statistic).value_or(0);
  if (!check.that(lines.count == 0 || elements > 0, "x {} has no values to take a statistic of", to_string(x.shape)))
    return false;
  lines.length = lines.count == 0 ? 0 : elements / lines.count;
  if (kind != Kind::group) lines.per_line = parameters;
  if (kind == Kind::group && lines.length > 0) lines.inner = lines.length / lines.per_line;
  return true;
}

/// For types that infer has accepted.
Lines lines_of(Kind kind, const TensorType& x, const Attributes& attributes) {
  OperandCheck check("norm", {}, {});
  Lines lines;
  CHECK(make_lines(check, kind, x, attributes, lines));
  return lines;
}

TensorType lying_as(const TensorType& x) { return {x.dtype, x.shape, dense_strides_like(x.shape, x.strides)}; }

/// Of a layer or RMS norm. Lines that are gathered become rows: what follows multiplies them by matrices.
TensorType forward_type(Kind kind, const TensorType& x) {
  const bool by_last_axis = kind == Kind::layer || kind == Kind::rms;
  const bool gathered = by_last_axis && !x.shape.empty() && x.shape.back() > 1 && x.strides.back() != 1;
  return gathered ? TensorType::contiguous(x.dtype, x.shape) : lying_as(x);
}

/// Parameters from `first` on have the shape of scale and one dtype: that of x, or f32.
bool check_parameters(OperandCheck& check, std::span<const TensorType> inputs, const TensorType& x, size_t first,
                      const Shape& shape) {
  for (size_t i = first; i < inputs.size(); ++i) {
    if (!check.shape(i, shape, "the normalised extents of x")) return false;
  }
  const DType dtype = inputs[first].dtype;
  return check.same_dtype(first) && check.that(dtype == x.dtype || dtype == DType::float32,
                                               "scale and statistics are {} or f32 for x of {}, got {}", name(x.dtype),
                                               name(x.dtype), name(dtype));
}

// ---- forward
// ----------------------------------------------------------------------------------------------------------------

InferResult infer_forward(Kind kind, OperandCheck check, std::span<const TensorType> inputs,
                          const Attributes& attributes) {
  Lines lines;
  if (!check.operand_count() || !check.floating(0) || !make_lines(check, kind, inputs[0], attributes, lines) ||
      !check_parameters(check, inputs, inputs[0], 1, lines.parameter)) {
    return check.error();
  }
  const TensorType statistic = TensorType::contiguous(inputs[1].dtype, lines.statistic);
  std::vector<TensorType> outputs{forward_type(kind, inputs[0]), statistic};
  if (kind != Kind::rms) outputs.push_back(statistic);
  return outputs;
}

void reference_forward(Kind kind, KernelArguments& arguments) {
  const double epsilon = arguments.attributes->get_double("epsilon", 1e-5);
  const Lines lines = lines_of(kind, arguments.inputs[0].type(), *arguments.attributes);
  std::vector<double> x = load(arguments.inputs[0]);
  const std::vector<double> scale = load(arguments.inputs[1]);
  const std::vector<double> bias =
      arguments.inputs.size() > 2 ? load(arguments.inputs[2]) : std::vector<double>(scale.size(), 0.0);
  const auto count = static_cast<size_t>(lines.count);
  const auto length = static_cast<double>(lines.length);
  std::vector<double> mean(count, 0.0), inverse(count, 0.0);
  if (kind != Kind::rms) {
    lines.for_each([&](size_t line, size_t i, size_t) { mean[line] += x[i]; });
    for (double& value : mean) value /= length;
    // Sums of f32 are exact in doubles, those of doubles are not: what is left of equal values would be multiplied by 1
    // / sqrt(epsilon).
    std::vector<double> off(count, 0.0);
    lines.for_each([&](size_t line, size_t i, size_t) { off[line] += x[i] - mean[line]; });
    for (size_t line = 0; line < count; ++line) mean[line] += std::isfinite(off[line]) ? off[line] / length : 0;
  }
  lines.for_each([&](size_t line, size_t i, size_t) { inverse[line] += (x[i] - mean[line]) * (x[i] - mean[line]); });
  for (double& value : inverse) value = 1 / std::sqrt(value / length + epsilon);
  lines.for_each(
      [&](size_t line, size_t i, size_t p) { x[i] = (x[i] - mean[line]) * inverse[line] * scale[p] + bias[p]; });
  store(arguments.outputs[0], x);
  if (kind != Kind::rms) store(arguments.outputs[1], mean);
  store(arguments.outputs.back(), inverse);
}

// ---- gradient
// ---------------------------------------------------------------------------------------------------------------

InferResult infer_grad(Kind kind, OperandCheck check, std::span<const TensorType> inputs,
                       const Attributes& attributes) {
  Lines lines;
  if (!check.operand_count() || !check.floating(1) || !check.same_dtype(0, 2) ||
      !check.shape(0, inputs[1].shape, "the shape of x") || !make_lines(check, kind, inputs[1], attributes, lines)) {
    return check.error();
  }
  const size_t scale = inputs.size() - 1;
  for (size_t i = 2; i < scale; ++i) {
    if (!check.shape(i, lines.statistic, "one statistic per normalised line")) return check.error();
  }
  if (!check.same_dtype(2) || !check_parameters(check, inputs, inputs[1], scale, lines.parameter)) return check.error();
  const TensorType parameter = TensorType::contiguous(inputs[scale].dtype, lines.parameter);
  std::vector<TensorType> outputs{lying_as(inputs[1]), parameter};
  if (kind != Kind::rms) outputs.push_back(parameter);
  return outputs;
}

/// With xhat = (x - mean) * inverse and g = dy * scale: dx = inverse * (g - mean g - xhat * mean(g xhat)) along each
/// line; the mean of g falls away where no mean was subtracted. Source: as batch normalisation's, with other axes.
void reference_grad(Kind kind, KernelArguments& arguments) {
  const Lines lines = lines_of(kind, arguments.inputs[1].type(), *arguments.attributes);
  std::vector<double> dy = load(arguments.inputs[0]), x = load(arguments.inputs[1]);
  const auto count = static_cast<size_t>(lines.count);
  const auto length = static_cast<double>(lines.length);
  const bool centred = kind != Kind::rms;
  std::vector<double> mean(count, 0.0);
  if (centred) mean = load(arguments.inputs[2]);
  const std::vector<double> inverse = load(arguments.inputs[centred ? 3 : 2]), scale = load(arguments.inputs.back());
  std::vector<double> dscale(scale.size(), 0.0), dbias(scale.size(), 0.0), sum(count, 0.0), sum_xhat(count, 0.0);
  lines.for_each([&](size_t line, size_t i, size_t p) {
    x[i] = (x[i] - mean[line]) * inverse[line];
    dscale[p] += dy[i] * x[i];
    dbias[p] += dy[i];
    dy[i] *= scale[p];
    sum[line] += centred ? dy[i] : 0;
    sum_xhat[line] += dy[i] * x[i];
  });
  lines.for_each([&](size_t line, size_t i, size_t) {
    dy[i] = inverse[line] * (dy[i] - sum[line] / length - x[i] * sum_xhat[line] / length);
  });
  store(arguments.outputs[0], dy);
  store(arguments.outputs[1], dscale);
  if (centred) store(arguments.outputs[2], dbias);
}

void append_gradient(GradientContext& context, const Op& op) {
  GraphBuilder& builder = context.builder();
  std::vector<ValueId> inputs{context.output_gradient(0), context.input(0)};
  for (size_t j = 1; j < context.output_count(); ++j) {
    if (context.output_gradient(j) != kNoValue) {
      builder.fail(usage_error(fmt::format("[{}] takes no gradient of the statistics, only of y", op.name)));
      return;
    }
    inputs.push_back(context.output(j));
  }
  inputs.push_back(context.input(1));
  const std::vector<ValueId> gradients = builder.append(op, std::move(inputs), context.attributes());
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (context.needed(i)) context.set_input_gradient(i, gradients[i]);
  }
}

/// xhat by x has a symmetric Jacobian, so the gradient op serves, with dx in place of dy and a scale of 1; y by scale
/// and bias is the op itself with their tangents in their place.
void append_tangent(TangentContext& context, const Op& gradient_op, bool by_channel) {
  GraphBuilder& builder = context.builder();
  const Node& node = context.node();
  for (size_t j = 1; j < node.outputs.size(); ++j) {
    if (!context.needed(j)) continue;
    builder.fail(usage_error(fmt::format("[{}] has no tangent of its statistics, only of y", node.op->name)));
    return;
  }
  const TensorType x = builder.type(context.input(0)), scale = builder.type(context.input(1));
  ValueId total = kNoValue;
  if (context.input_tangent(0) != kNoValue) {
    std::vector<ValueId> inputs{context.input_tangent(0), context.input(0)};
    inputs.insert(inputs.end(), node.outputs.begin() + 1, node.outputs.end());
    inputs.push_back(ones_like(builder, scale));
    const ValueId projected = builder.append(gradient_op, std::move(inputs), node.attributes)[0];
    if (builder.failed()) return;
    ValueId factor = cast(builder, context.input(1), x.dtype);
    if (by_channel) {
      Shape along_channels(x.shape.size(), 1);
      along_channels[1] = scale.shape[0];
      factor = reshape(builder, factor, along_channels);
    }
    total = multiply(builder, projected, factor);
  }
  bool moves = false;
  std::vector<ValueId> inputs{context.input(0)};
  for (size_t i = 1; i < context.input_count(); ++i) {
    moves = moves || context.input_tangent(i) != kNoValue;
    inputs.push_back(context.input_tangent(i) != kNoValue ? context.input_tangent(i) : zeros_like(builder, scale));
  }
  if (moves) total = add_tangents(builder, total, builder.append(*node.op, std::move(inputs), node.attributes)[0]);
  context.set_output_tangent(0, total);
}

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

/// Per value: the mean 1, the variance 3 (2 for the mean of squares), 2 for the product with statistic and scale and 1
/// for the difference to the mean, 1 for the bias; per line 3 for the inverse root.
Cost cost_forward(const Call& call, bool centred) {
  const double per_value = (centred ? 4 : 2) + 2 + (centred ? 1 : 0) + (call.inputs.size() > 2 ? 1 : 0);
  return full_cost(call, per_value * elements(call.inputs[0]) + 3 * elements(call.outputs[1]));
}

/// Per value: xhat 2 (1), dscale 2, dbias 1 (0), the product with scale 1, the two sums 3 (2), dx 4 (3).
Cost cost_grad(const Call& call, bool centred) {
  return full_cost(call, (centred ? 13 : 9) * elements(call.inputs[1]));
}

}  // namespace

const Op kLayerNorm{
    .name = "layer_norm",
    .formula =
        "y = (x - mean) * inv_std * scale + bias; mean over the axes from axis on, inv_std = 1 / sqrt(variance + "
        "epsilon)",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(Kind::layer, OperandCheck("layer_norm", inputs, {"x", "scale", "bias"}, 1), inputs,
                               attributes);
        },
    .cost = [](const Call& call) { return cost_forward(call, true); },
    .reference = [](KernelArguments& arguments) { reference_forward(Kind::layer, arguments); },
    .gradient = [](GradientContext& context) { append_gradient(context, kLayerNormGrad); },
    .tangent = [](TangentContext& context) { append_tangent(context, kLayerNormGrad, /*by_channel=*/false); },
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::normalization,
};

const Op kLayerNormGrad{
    .name = "layer_norm_grad",
    .formula =
        "g = dy * scale, xhat = (x - mean) * inv_std; dx = inv_std * (g - mean(g) - xhat * mean(g * xhat)); "
        "dscale = sum dy * xhat; dbias = sum dy",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(Kind::layer,
                            OperandCheck("layer_norm_grad", inputs, {"dy", "x", "mean", "inv_std", "scale"}), inputs,
                            attributes);
        },
    .cost = [](const Call& call) { return cost_grad(call, true); },
    .reference = [](KernelArguments& arguments) { reference_grad(Kind::layer, arguments); },
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::reduction,
};

const Op kRmsNorm{
    .name = "rms_norm",
    .formula = "y = x * inv_rms * scale; inv_rms = 1 / sqrt(mean(x^2) + epsilon) over the axes from axis on",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(Kind::rms, OperandCheck("rms_norm", inputs, {"x", "scale"}), inputs, attributes);
        },
    .cost = [](const Call& call) { return cost_forward(call, false); },
    .reference = [](KernelArguments& arguments) { reference_forward(Kind::rms, arguments); },
    .gradient = [](GradientContext& context) { append_gradient(context, kRmsNormGrad); },
    .tangent = [](TangentContext& context) { append_tangent(context, kRmsNormGrad, /*by_channel=*/false); },
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::normalization,
};

const Op kRmsNormGrad{
    .name = "rms_norm_grad",
    .formula = "g = dy * scale, xhat = x * inv_rms; dx = inv_rms * (g - xhat * mean(g * xhat)); dscale = sum dy * xhat",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(Kind::rms, OperandCheck("rms_norm_grad", inputs, {"dy", "x", "inv_rms", "scale"}), inputs,
                            attributes);
        },
    .cost = [](const Call& call) { return cost_grad(call, false); },
    .reference = [](KernelArguments& arguments) { reference_grad(Kind::rms, arguments); },
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::reduction,
};

const Op kGroupNorm{
    .name = "group_norm",
    .formula =
        "y = (x - mean) * inv_std * scale[c] + bias[c]; mean over the channels of a group and all axes behind them",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(Kind::group, OperandCheck("group_norm", inputs, {"x", "scale", "bias"}, 1), inputs,
                               attributes);
        },
    .cost = [](const Call& call) { return cost_forward(call, true); },
    .reference = [](KernelArguments& arguments) { reference_forward(Kind::group, arguments); },
    .gradient = [](GradientContext& context) { append_gradient(context, kGroupNormGrad); },
    .tangent = [](TangentContext& context) { append_tangent(context, kGroupNormGrad, /*by_channel=*/true); },
    .attributes = {AttributeSpec::whole("groups", 1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::reduction,
};

const Op kGroupNormGrad{
    .name = "group_norm_grad",
    .formula =
        "as layer_norm_grad, with the means taken over groups of channels and the sums over all else but the channel",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(Kind::group,
                            OperandCheck("group_norm_grad", inputs, {"dy", "x", "mean", "inv_std", "scale"}), inputs,
                            attributes);
        },
    .cost = [](const Call& call) { return cost_grad(call, true); },
    .reference = [](KernelArguments& arguments) { reference_grad(Kind::group, arguments); },
    .attributes = {AttributeSpec::whole("groups", 1), AttributeSpec::real("epsilon", 1e-5)},
    .fusion = FusionPart::reduction,
};

ValueId layer_norm(GraphBuilder& builder, ValueId x, ValueId scale, ValueId bias, int64_t axis, double epsilon) {
  std::vector<ValueId> inputs{x, scale};
  if (bias != kNoValue) inputs.push_back(bias);
  return builder.append(kLayerNorm, std::move(inputs), {{"axis", axis}, {"epsilon", epsilon}})[0];
}

ValueId rms_norm(GraphBuilder& builder, ValueId x, ValueId scale, int64_t axis, double epsilon) {
  return builder.append(kRmsNorm, {x, scale}, {{"axis", axis}, {"epsilon", epsilon}})[0];
}

ValueId group_norm(GraphBuilder& builder, ValueId x, ValueId scale, ValueId bias, int64_t groups, double epsilon) {
  std::vector<ValueId> inputs{x, scale};
  if (bias != kNoValue) inputs.push_back(bias);
  return builder.append(kGroupNorm, std::move(inputs), {{"groups", groups}, {"epsilon", epsilon}})[0];
}

ValueId instance_norm(GraphBuilder& builder, ValueId x, ValueId scale, ValueId bias, double epsilon) {
  if (builder.failed()) return kNoValue;
  const Shape shape = builder.type(x).shape;
  const int64_t channels = shape.size() < 2 ? 1 : shape[1];
  return group_norm(builder, x, scale, bias, channels, epsilon);
}

}  // namespace engine::ops
