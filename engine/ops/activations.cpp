// SPDX-License-Identifier: Apache-2.0
// Activations other than relu and sigmoid, and the clip.
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/ops/function_op.h"
#include "engine/ops/math.h"
#include "engine/ops/tangents.h"
#include "engine/tensor/function_constants.h"

namespace engine::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double softplus_of(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// ---- gelu: the attribute is a word, so the settings of ScalarFunction do not do
// -------------------------------------------------

double gelu_of(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }
double gelu_slope(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
         x * std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}
/// sqrt(2 / pi) (x + 0.044715 x^3), of which the approximation takes the tanh.
double gelu_argument(double x) { return std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (x + kGeluCubic * x * x * x); }
double gelu_tanh(double x) { return 0.5 * x * (1 + std::tanh(gelu_argument(x))); }
double gelu_tanh_slope(double x) {
  const double t = std::tanh(gelu_argument(x));
  const double inner = std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (1 + 3 * kGeluCubic * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t) * (1 + t) * inner;
}

bool by_tanh(const Attributes& attributes) { return attributes.get_string("approximate", "none") == "tanh"; }

InferResult infer_gelu(std::string_view op, std::span<const TensorType> inputs,
                       std::initializer_list<std::string_view> names, const Attributes& attributes) {
  OperandCheck check(op, inputs, names);
  const std::string approximate = attributes.get_string("approximate", "none");
  if (!check.operand_count() || !check.that(approximate == "none" || approximate == "tanh",
                                            "approximate must be \"none\" or \"tanh\", got \"{}\"", approximate)) {
    return check.error();
  }
  return infer_elementwise(op, inputs.last(1), {"x"}, Accepts::floats);
}

InferResult infer_gelu_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("gelu_grad", inputs, {"dy", "x"});
  if (!check.operand_count() || !check.same_dtype() || !check.shape(0, inputs[1].shape, "the shape of x"))
    return check.error();
  return infer_gelu("gelu_grad", inputs, {"dy", "x"}, attributes);
}

void gradient_gelu(GradientContext& context) {
  give(context, 0, [&](ValueId dy) {
    return context.builder().append1(kGeluGrad, {dy, context.input(0)}, context.attributes());
  });
}

// ---- the others
// -----------------------------------------------------------------------------------------------------------------

int64_t whole(double value) {
  constexpr double kEnd = 9223372036854775808.0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value > -kEnd ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();  // and NaN
}

double shrunk(double x, const Constants& c) {
  return x < -c[1] ? x + c[0] : x > c[1] ? x - c[0] : std::isnan(x) ? x : 0;
}

// clang-format off
constexpr ScalarFunction kSiluOf{"silu", "y = x / (1 + exp(-x))", 5, [](double x, const Constants&) { return x * sigmoid_of(x); },
    SlopeOf::input, "dx = dy * s (1 + x (1 - s)), s = sigmoid(x)", 9,
    [](double x, const Constants&) { const double s = sigmoid_of(x); return s * (1 + x * sigmoid_of(-x)); }};
constexpr ScalarFunction kEluOf{"elu", "y = x where x > 0, else alpha (exp(x) - 1)", 3,
    [](double x, const Constants& c) { return x > 0 ? x : c[0] * std::expm1(x); },
    SlopeOf::input, "dx = dy where x > 0, else dy * alpha exp(x)", 3,
    [](double x, const Constants& c) { return x > 0 ? 1 : c[0] * std::exp(x); }, {"alpha"}, {1}};
constexpr ScalarFunction kSeluOf{"selu", "y = gamma * (x where x > 0, else alpha (exp(x) - 1))", 4,
    [](double x, const Constants& c) { return c[1] * (x > 0 ? x : c[0] * std::expm1(x)); },
    SlopeOf::input, "dx = dy * gamma * (1 where x > 0, else alpha exp(x))", 4,
    [](double x, const Constants& c) { return c[1] * (x > 0 ? 1 : c[0] * std::exp(x)); }, {"alpha", "gamma"}, {kSeluAlpha, kSeluGamma}};
constexpr ScalarFunction kCeluOf{"celu", "y = x where x > 0, else alpha (exp(x / alpha) - 1)", 4,
    [](double x, const Constants& c) { return x > 0 ? x : c[0] * std::expm1(x / c[0]); },
    SlopeOf::input, "dx = dy where x > 0, else dy * exp(x / alpha)", 3,
    [](double x, const Constants& c) { return x > 0 ? 1 : std::exp(x / c[0]); }, {"alpha"}, {1}};
constexpr ScalarFunction kLeaky{"leaky_relu", "y = x where x > 0, else alpha x", 1,
    [](double x, const Constants& c) { return x > 0 ? x : c[0] * x; },
    SlopeOf::input, "dx = dy where x > 0, else alpha dy", 1,
    [](double x, const Constants& c) { return x > 0 ? 1 : c[0]; }, {"alpha"}, {0.01}};
constexpr ScalarFunction kHardSigmoidOf{"hard_sigmoid", "y = clip(alpha x + beta, 0, 1)", 4,
    [](double x, const Constants& c) { const double t = c[0] * x + c[1]; return t < 0 ? 0 : t > 1 ? 1 : t; },
    SlopeOf::output, "dx = alpha dy where 0 < y < 1, else 0", 1,
    [](double y, const Constants& c) { return y > 0 && y < 1 ? c[0] : 0; }, {"alpha", "beta"}, {0.2, 0.5}};
constexpr ScalarFunction kHardSwishOf{"hard_swish", "y = x * clip(x / 6 + 1/2, 0, 1)", 5,
    [](double x, const Constants&) { return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6; },
    SlopeOf::input, "dx = dy * (0 where x <= -3, 1 where x >= 3, else x / 3 + 1/2)", 3,
    [](double x, const Constants&) { return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5; }};
constexpr ScalarFunction kSoftplusOf{"softplus", "y = log(1 + exp(x))", 3, [](double x, const Constants&) { return softplus_of(x); },
    SlopeOf::input, "dx = dy / (1 + exp(-x))", 4, [](double x, const Constants&) { return sigmoid_of(x); }};
constexpr ScalarFunction kSoftsignOf{"softsign", "y = x / (1 + |x|)", 3, [](double x, const Constants&) { return x / (1 + std::abs(x)); },
    SlopeOf::input, "dx = dy / (1 + |x|)^2", 4,
    [](double x, const Constants&) { const double t = 1 / (1 + std::abs(x)); return t * t; }};
constexpr ScalarFunction kMishOf{"mish", "y = x tanh(log(1 + exp(x)))", 5,
    [](double x, const Constants&) { return x * std::tanh(softplus_of(x)); },
    SlopeOf::input, "dx = dy * (t + x s (1 - t^2)), t = tanh(softplus(x)), s = sigmoid(x)", 13,
    [](double x, const Constants&) { const double t = std::tanh(softplus_of(x)); return t + x * sigmoid_of(x) * (1 - t) * (1 + t); }};
constexpr ScalarFunction kThresholded{"thresholded_relu", "y = x where x > alpha, else 0", 1,
    [](double x, const Constants& c) { return x <= c[0] ? 0 : x; },
    SlopeOf::input, "dx = dy where x > alpha, else 0", 1, [](double x, const Constants& c) { return x <= c[0] ? 0.0 : 1.0; }, {"alpha"}, {1}};
constexpr ScalarFunction kShrinkOf{"shrink", "y = x + bias where x < -lambda, x - bias where x > lambda, else 0", 3, shrunk,
    SlopeOf::input, "dx = dy where |x| > lambda, else 0", 1,
    [](double x, const Constants& c) { return x < -c[1] || x > c[1] ? 1.0 : 0.0; }, {"bias", "lambda"}, {0, 0.5},
    [](int64_t x, const Constants& c) { return whole(shrunk(static_cast<double>(x), c)); }};
constexpr ScalarFunction kClipOf{"clip", "y = min(max(x, min), max)", 2,
    [](double x, const Constants& c) { const double t = x < c[0] ? c[0] : x; return t > c[1] ? c[1] : t; },
    SlopeOf::input, "dx = dy where min <= x <= max, else 0", 2,
    [](double x, const Constants& c) { return x < c[0] || x > c[1] ? 0.0 : 1.0; }, {"min", "max"}, {-kInfinity, kInfinity},
    [](int64_t x, const Constants& c) { return std::min(std::max(x, whole(c[0])), whole(c[1])); }};
// clang-format on

}  // namespace

const Op kGelu{
    .name = "gelu",
    .formula = "y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or by tanh(sqrt(2 / pi) (x + 0.044715 x^3))",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& attributes) { return infer_gelu("gelu", inputs, {"x"}, attributes); },
    .cost = [](const Call& call) { return elementwise_cost(call, by_tanh(call.attributes) ? 8 : 5); },
    .reference =
        [](KernelArguments& arguments) {
          map_doubles(arguments, by_tanh(*arguments.attributes) ? gelu_tanh : gelu_of);
        },
    .gradient = gradient_gelu,
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::word("approximate", "none")},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kGeluGrad{
    .name = "gelu_grad",
    .formula = "dx = dy * (Phi(x) + x phi(x)), or the slope of the approximation",
    .infer = infer_gelu_grad,
    .cost = [](const Call& call) { return elementwise_cost(call, by_tanh(call.attributes) ? 18 : 11); },
    .reference =
        [](KernelArguments& arguments) {
          const auto slope = by_tanh(*arguments.attributes) ? gelu_tanh_slope : gelu_slope;
          map_doubles(arguments, [=](double dy, double x) { return dy * slope(x); });
        },
    .attributes = {AttributeSpec::word("approximate", "none")},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kSiluGrad = slope_op<kSiluOf>(), kSilu = function_op<kSiluOf>(gradient_by_slope<kSiluOf, kSiluGrad>);
const Op kEluGrad = slope_op<kEluOf>(), kElu = function_op<kEluOf>(gradient_by_slope<kEluOf, kEluGrad>);
const Op kSeluGrad = slope_op<kSeluOf>(), kSelu = function_op<kSeluOf>(gradient_by_slope<kSeluOf, kSeluGrad>);
const Op kCeluGrad = slope_op<kCeluOf>(), kCelu = function_op<kCeluOf>(gradient_by_slope<kCeluOf, kCeluGrad>);
const Op kLeakyReluGrad = slope_op<kLeaky>(),
         kLeakyRelu = function_op<kLeaky>(gradient_by_slope<kLeaky, kLeakyReluGrad>);
const Op kHardSigmoidGrad = slope_op<kHardSigmoidOf>(),
         kHardSigmoid = function_op<kHardSigmoidOf>(gradient_by_slope<kHardSigmoidOf, kHardSigmoidGrad>);
const Op kHardSwishGrad = slope_op<kHardSwishOf>(),
         kHardSwish = function_op<kHardSwishOf>(gradient_by_slope<kHardSwishOf, kHardSwishGrad>);
const Op kSoftplusGrad = slope_op<kSoftplusOf>(),
         kSoftplus = function_op<kSoftplusOf>(gradient_by_slope<kSoftplusOf, kSoftplusGrad>);
const Op kSoftsignGrad = slope_op<kSoftsignOf>(),
         kSoftsign = function_op<kSoftsignOf>(gradient_by_slope<kSoftsignOf, kSoftsignGrad>);
const Op kMishGrad = slope_op<kMishOf>(), kMish = function_op<kMishOf>(gradient_by_slope<kMishOf, kMishGrad>);
const Op kThresholdedReluGrad = slope_op<kThresholded>(),
         kThresholdedRelu = function_op<kThresholded>(gradient_by_slope<kThresholded, kThresholdedReluGrad>);
const Op kShrinkGrad = slope_op<kShrinkOf>(),
         kShrink = function_op<kShrinkOf>(gradient_by_slope<kShrinkOf, kShrinkGrad>);
const Op kClipGrad = slope_op<kClipOf>(), kClip = function_op<kClipOf>(gradient_by_slope<kClipOf, kClipGrad>);

ValueId gelu(GraphBuilder& builder, ValueId x, std::string_view approximate) {
  return builder.append1(kGelu, {x}, {{"approximate", std::string(approximate)}});
}
ValueId silu(GraphBuilder& builder, ValueId x) { return builder.append1(kSilu, {x}); }
ValueId elu(GraphBuilder& builder, ValueId x, double alpha) { return builder.append1(kElu, {x}, {{"alpha", alpha}}); }
ValueId selu(GraphBuilder& builder, ValueId x) {
  return builder.append1(kSelu, {x}, {{"alpha", kSeluAlpha}, {"gamma", kSeluGamma}});
}
ValueId celu(GraphBuilder& builder, ValueId x, double alpha) { return builder.append1(kCelu, {x}, {{"alpha", alpha}}); }
ValueId leaky_relu(GraphBuilder& builder, ValueId x, double alpha) {
  return builder.append1(kLeakyRelu, {x}, {{"alpha", alpha}});
}
ValueId hard_sigmoid(GraphBuilder& builder, ValueId x, double alpha, double beta) {
  return builder.append1(kHardSigmoid, {x}, {{"alpha", alpha}, {"beta", beta}});
}
ValueId hard_swish(GraphBuilder& builder, ValueId x) { return builder.append1(kHardSwish, {x}); }
ValueId softplus(GraphBuilder& builder, ValueId x) { return builder.append1(kSoftplus, {x}); }
ValueId softsign(GraphBuilder& builder, ValueId x) { return builder.append1(kSoftsign, {x}); }
ValueId mish(GraphBuilder& builder, ValueId x) { return builder.append1(kMish, {x}); }
ValueId thresholded_relu(GraphBuilder& builder, ValueId x, double alpha) {
  return builder.append1(kThresholdedRelu, {x}, {{"alpha", alpha}});
}
ValueId shrink(GraphBuilder& builder, ValueId x, double bias, double lambda) {
  return builder.append1(kShrink, {x}, {{"bias", bias}, {"lambda", lambda}});
}
ValueId clip(GraphBuilder& builder, ValueId x, std::optional<double> min, std::optional<double> max) {
  return builder.append1(kClip, {x}, {{"min", min.value_or(-kInfinity)}, {"max", max.value_or(kInfinity)}});
}

std::span<const Op* const> activations_ops() {
  static constexpr const Op* kOps[] = {&kGelu,
                                       &kGeluGrad,
                                       &kSilu,
                                       &kSiluGrad,
                                       &kElu,
                                       &kEluGrad,
                                       &kSelu,
                                       &kSeluGrad,
                                       &kCelu,
                                       &kCeluGrad,
                                       &kLeakyRelu,
                                       &kLeakyReluGrad,
                                       &kHardSigmoid,
                                       &kHardSigmoidGrad,
                                       &kHardSwish,
                                       &kHardSwishGrad,
                                       &kSoftplus,
                                       &kSoftplusGrad,
                                       &kSoftsign,
                                       &kSoftsignGrad,
                                       &kMish,
                                       &kMishGrad,
                                       &kThresholdedRelu,
                                       &kThresholdedReluGrad,
                                       &kShrink,
                                       &kShrinkGrad,
                                       &kClip,
                                       &kClipGrad};
  return kOps;
}

}  // namespace engine::ops
