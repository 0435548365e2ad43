// SPDX-License-Identifier: Apache-2.0
// Functions of one operand: three lines each: the function, its slope, the ops made of them.
#include "engine/ops/math.h"

#include <cmath>
#include <numbers>

#include "engine/ops/function_op.h"

namespace engine::ops {
namespace {

constexpr double kTwoOverSqrtPi = 2 * std::numbers::inv_sqrtpi;

/// -x, and the smallest integer for itself.
int64_t negative(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// clang-format off
constexpr ScalarFunction kAbs{"absolute", "y = |x|", 1, [](double x, const Constants&) { return std::abs(x); },
    SlopeOf::input, "dx = dy * sign(x)", 2, [](double x, const Constants&) { return sign_of(x); }, {}, {},
    [](int64_t x, const Constants&) { return x < 0 ? negative(x) : x; }};
constexpr ScalarFunction kNeg{"negate", "y = -x", 1, [](double x, const Constants&) { return -x; },
    SlopeOf::nothing, {}, 0, nullptr, {}, {}, [](int64_t x, const Constants&) { return negative(x); }};
constexpr ScalarFunction kExpOf{"exp", "y = exp(x)", 1, [](double x, const Constants&) { return std::exp(x); }};
constexpr ScalarFunction kLogOf{"log", "y = log(x)", 1, [](double x, const Constants&) { return std::log(x); }};
constexpr ScalarFunction kSqrtOf{"sqrt", "y = sqrt(x)", 1, [](double x, const Constants&) { return std::sqrt(x); },
    SlopeOf::output, "dx = dy / (2 y)", 2, [](double y, const Constants&) { return 0.5 / y; }};
constexpr ScalarFunction kInverse{"reciprocal", "y = 1 / x", 1, [](double x, const Constants&) { return 1 / x; },
    SlopeOf::output, "dx = -dy y^2", 3, [](double y, const Constants&) { return -y * y; }};
constexpr ScalarFunction kSinOf{"sin", "y = sin(x)", 1, [](double x, const Constants&) { return std::sin(x); },
    SlopeOf::input, "dx = dy * cos(x)", 2, [](double x, const Constants&) { return std::cos(x); }};
constexpr ScalarFunction kCosOf{"cos", "y = cos(x)", 1, [](double x, const Constants&) { return std::cos(x); },
    SlopeOf::input, "dx = -dy * sin(x)", 3, [](double x, const Constants&) { return -std::sin(x); }};
constexpr ScalarFunction kTanOf{"tan", "y = tan(x)", 1, [](double x, const Constants&) { return std::tan(x); },
    SlopeOf::output, "dx = dy * (1 + y^2)", 3, [](double y, const Constants&) { return 1 + y * y; }};
constexpr ScalarFunction kAsinOf{"asin", "y = asin(x)", 1, [](double x, const Constants&) { return std::asin(x); },
    SlopeOf::input, "dx = dy / sqrt(1 - x^2)", 5, [](double x, const Constants&) { return 1 / std::sqrt((1 - x) * (1 + x)); }};
constexpr ScalarFunction kAcosOf{"acos", "y = acos(x)", 1, [](double x, const Constants&) { return std::acos(x); },
    SlopeOf::input, "dx = -dy / sqrt(1 - x^2)", 5, [](double x, const Constants&) { return -1 / std::sqrt((1 - x) * (1 + x)); }};
constexpr ScalarFunction kAtanOf{"atan", "y = atan(x)", 1, [](double x, const Constants&) { return std::atan(x); },
    SlopeOf::input, "dx = dy / (1 + x^2)", 4, [](double x, const Constants&) { return 1 / (1 + x * x); }};
constexpr ScalarFunction kSinhOf{"sinh", "y = sinh(x)", 1, [](double x, const Constants&) { return std::sinh(x); },
    SlopeOf::input, "dx = dy * cosh(x)", 2, [](double x, const Constants&) { return std::cosh(x); }};
constexpr ScalarFunction kCoshOf{"cosh", "y = cosh(x)", 1, [](double x, const Constants&) { return std::cosh(x); },
    SlopeOf::input, "dx = dy * sinh(x)", 2, [](double x, const Constants&) { return std::sinh(x); }};
constexpr ScalarFunction kAsinhOf{"asinh", "y = asinh(x)", 1, [](double x, const Constants&) { return std::asinh(x); },
    SlopeOf::input, "dx = dy / sqrt(1 + x^2)", 5, [](double x, const Constants&) { return 1 / std::sqrt(1 + x * x); }};
constexpr ScalarFunction kAcoshOf{"acosh", "y = acosh(x)", 1, [](double x, const Constants&) { return std::acosh(x); },
    SlopeOf::input, "dx = dy / sqrt(x^2 - 1)", 5, [](double x, const Constants&) { return 1 / std::sqrt((x - 1) * (x + 1)); }};
constexpr ScalarFunction kAtanhOf{"atanh", "y = atanh(x)", 1, [](double x, const Constants&) { return std::atanh(x); },
    SlopeOf::input, "dx = dy / (1 - x^2)", 4, [](double x, const Constants&) { return 1 / ((1 - x) * (1 + x)); }};
constexpr ScalarFunction kTanhOf{"tanh", "y = tanh(x)", 1, [](double x, const Constants&) { return std::tanh(x); },
    SlopeOf::output, "dx = dy * (1 - y^2)", 3, [](double y, const Constants&) { return (1 - y) * (1 + y); }};
constexpr ScalarFunction kErfOf{"erf", "y = erf(x)", 1, [](double x, const Constants&) { return std::erf(x); },
    SlopeOf::input, "dx = dy * 2 / sqrt(pi) * exp(-x^2)", 5,
    [](double x, const Constants&) { return kTwoOverSqrtPi * std::exp(-x * x); }};
constexpr ScalarFunction kFloorOf{"floor", "y = floor(x)", 1, [](double x, const Constants&) { return std::floor(x); }};
constexpr ScalarFunction kCeilOf{"ceil", "y = ceil(x)", 1, [](double x, const Constants&) { return std::ceil(x); }};
constexpr ScalarFunction kRoundOf{"round", "y = x to the nearest whole number, halves to even", 1,
    [](double x, const Constants&) { return std::nearbyint(x); }};
constexpr ScalarFunction kSignOf{"sign", "y = 1 where x > 0, -1 where x < 0, else x", 1,
    [](double x, const Constants&) { return sign_of(x); }, SlopeOf::nothing, {}, 0, nullptr, {}, {},
    [](int64_t x, const Constants&) { return int64_t{x > 0} - int64_t{x < 0}; }};
// clang-format on

void gradient_negate(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return negate(context.builder(), dy); });
}
void gradient_exp(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return multiply(context.builder(), dy, context.output(0)); });
}
void gradient_log(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return divide(context.builder(), dy, context.input(0)); });
}

}  // namespace

const Op kAbsoluteGrad = slope_op<kAbs>(), kAbsolute = function_op<kAbs>(gradient_by_slope<kAbs, kAbsoluteGrad>);
const Op kNegate = function_op<kNeg>(gradient_negate);
const Op kExp = function_op<kExpOf>(gradient_exp);
const Op kLog = function_op<kLogOf>(gradient_log);
const Op kSqrtGrad = slope_op<kSqrtOf>(), kSqrt = function_op<kSqrtOf>(gradient_by_slope<kSqrtOf, kSqrtGrad>);
const Op kReciprocalGrad = slope_op<kInverse>(),
         kReciprocal = function_op<kInverse>(gradient_by_slope<kInverse, kReciprocalGrad>);
const Op kSinGrad = slope_op<kSinOf>(), kSin = function_op<kSinOf>(gradient_by_slope<kSinOf, kSinGrad>);
const Op kCosGrad = slope_op<kCosOf>(), kCos = function_op<kCosOf>(gradient_by_slope<kCosOf, kCosGrad>);
const Op kTanGrad = slope_op<kTanOf>(), kTan = function_op<kTanOf>(gradient_by_slope<kTanOf, kTanGrad>);
const Op kAsinGrad = slope_op<kAsinOf>(), kAsin = function_op<kAsinOf>(gradient_by_slope<kAsinOf, kAsinGrad>);
const Op kAcosGrad = slope_op<kAcosOf>(), kAcos = function_op<kAcosOf>(gradient_by_slope<kAcosOf, kAcosGrad>);
const Op kAtanGrad = slope_op<kAtanOf>(), kAtan = function_op<kAtanOf>(gradient_by_slope<kAtanOf, kAtanGrad>);
const Op kSinhGrad = slope_op<kSinhOf>(), kSinh = function_op<kSinhOf>(gradient_by_slope<kSinhOf, kSinhGrad>);
const Op kCoshGrad = slope_op<kCoshOf>(), kCosh = function_op<kCoshOf>(gradient_by_slope<kCoshOf, kCoshGrad>);
const Op kAsinhGrad = slope_op<kAsinhOf>(), kAsinh = function_op<kAsinhOf>(gradient_by_slope<kAsinhOf, kAsinhGrad>);
const Op kAcoshGrad = slope_op<kAcoshOf>(), kAcosh = function_op<kAcoshOf>(gradient_by_slope<kAcoshOf, kAcoshGrad>);
const Op kAtanhGrad = slope_op<kAtanhOf>(), kAtanh = function_op<kAtanhOf>(gradient_by_slope<kAtanhOf, kAtanhGrad>);
const Op kTanhGrad = slope_op<kTanhOf>(), kTanh = function_op<kTanhOf>(gradient_by_slope<kTanhOf, kTanhGrad>);
const Op kErfGrad = slope_op<kErfOf>(), kErf = function_op<kErfOf>(gradient_by_slope<kErfOf, kErfGrad>);
const Op kFloor = function_op<kFloorOf>(gradient_zero);
const Op kCeil = function_op<kCeilOf>(gradient_zero);
const Op kRound = function_op<kRoundOf>(gradient_zero);
const Op kSign = function_op<kSignOf>(gradient_zero);

ValueId apply(GraphBuilder& builder, std::string_view op, ValueId x, Attributes attributes) {
  const Op* found = find_op(op);
  CHECK(found != nullptr);
  return builder.append1(*found, {x}, std::move(attributes));
}

ValueId absolute(GraphBuilder& builder, ValueId x) { return builder.append1(kAbsolute, {x}); }
ValueId negate(GraphBuilder& builder, ValueId x) { return builder.append1(kNegate, {x}); }
ValueId exp(GraphBuilder& builder, ValueId x) { return builder.append1(kExp, {x}); }
ValueId log(GraphBuilder& builder, ValueId x) { return builder.append1(kLog, {x}); }
ValueId sqrt(GraphBuilder& builder, ValueId x) { return builder.append1(kSqrt, {x}); }
ValueId reciprocal(GraphBuilder& builder, ValueId x) { return builder.append1(kReciprocal, {x}); }
ValueId sin(GraphBuilder& builder, ValueId x) { return builder.append1(kSin, {x}); }
ValueId cos(GraphBuilder& builder, ValueId x) { return builder.append1(kCos, {x}); }
ValueId tan(GraphBuilder& builder, ValueId x) { return builder.append1(kTan, {x}); }
ValueId asin(GraphBuilder& builder, ValueId x) { return builder.append1(kAsin, {x}); }
ValueId acos(GraphBuilder& builder, ValueId x) { return builder.append1(kAcos, {x}); }
ValueId atan(GraphBuilder& builder, ValueId x) { return builder.append1(kAtan, {x}); }
ValueId sinh(GraphBuilder& builder, ValueId x) { return builder.append1(kSinh, {x}); }
ValueId cosh(GraphBuilder& builder, ValueId x) { return builder.append1(kCosh, {x}); }
ValueId asinh(GraphBuilder& builder, ValueId x) { return builder.append1(kAsinh, {x}); }
ValueId acosh(GraphBuilder& builder, ValueId x) { return builder.append1(kAcosh, {x}); }
ValueId atanh(GraphBuilder& builder, ValueId x) { return builder.append1(kAtanh, {x}); }
ValueId tanh(GraphBuilder& builder, ValueId x) { return builder.append1(kTanh, {x}); }
ValueId erf(GraphBuilder& builder, ValueId x) { return builder.append1(kErf, {x}); }
ValueId floor(GraphBuilder& builder, ValueId x) { return builder.append1(kFloor, {x}); }
ValueId ceil(GraphBuilder& builder, ValueId x) { return builder.append1(kCeil, {x}); }
ValueId round(GraphBuilder& builder, ValueId x) { return builder.append1(kRound, {x}); }
ValueId sign(GraphBuilder& builder, ValueId x) { return builder.append1(kSign, {x}); }

std::span<const Op* const> math_ops() {
  static constexpr const Op* kOps[] = {
      &kAbsolute,       &kAbsoluteGrad, &kNegate,    &kExp,   &kLog,       &kSqrt,  &kSqrtGrad,  &kReciprocal,
      &kReciprocalGrad, &kSin,          &kSinGrad,   &kCos,   &kCosGrad,   &kTan,   &kTanGrad,   &kAsin,
      &kAsinGrad,       &kAcos,         &kAcosGrad,  &kAtan,  &kAtanGrad,  &kSinh,  &kSinhGrad,  &kCosh,
      &kCoshGrad,       &kAsinh,        &kAsinhGrad, &kAcosh, &kAcoshGrad, &kAtanh, &kAtanhGrad, &kTanh,
      &kTanhGrad,       &kErf,          &kErfGrad,   &kFloor, &kCeil,      &kRound, &kSign};
  return kOps;
}

}  // namespace engine::ops
