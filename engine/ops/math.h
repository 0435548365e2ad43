// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of one operand, activations, and arithmetic of two operands.
//
// Written as in op_list.h. All doubles: "alpha", "beta", "gamma", "min", "max", "bias", "lambda". Functions of one
// operand take floating types unless "numbers" says integers too; integers wrap around. Results keep the operand's
// layout; two operands are broadcast (numpy). NaN stays NaN everywhere. <op>_grad(dy, x) or (dy, y) -> dx: dy times the
// slope, found from the input or, where written so, from the output. It takes the op's attributes. At a corner the
// slope is that of the left side unless said otherwise.
#pragma once

#include <optional>
#include <string_view>

#include "engine/graph/builder.h"

namespace engine::ops {

// ---- math.cpp
// -----------------------------------------------------------------------------------------------------------------
extern const Op kAbsolute, kAbsoluteGrad;      ///< absolute(x) -> y: numbers; slope 0 at 0
extern const Op kNegate;                       ///< negate(x) -> y: numbers
extern const Op kExp;                          ///< exp(x) -> y
extern const Op kLog;                          ///< log(x) -> y
extern const Op kSqrt, kSqrtGrad;              ///< sqrt(x) -> y; from y
extern const Op kReciprocal, kReciprocalGrad;  ///< reciprocal(x) -> y; from y
extern const Op kSin, kSinGrad;                ///< sin(x) -> y
extern const Op kCos, kCosGrad;                ///< cos(x) -> y
extern const Op kTan, kTanGrad;                ///< tan(x) -> y; from y
extern const Op kAsin, kAsinGrad;              ///< asin(x) -> y
extern const Op kAcos, kAcosGrad;              ///< acos(x) -> y
extern const Op kAtan, kAtanGrad;              ///< atan(x) -> y
extern const Op kSinh, kSinhGrad;              ///< sinh(x) -> y
extern const Op kCosh, kCoshGrad;              ///< cosh(x) -> y
extern const Op kAsinh, kAsinhGrad;            ///< asinh(x) -> y
extern const Op kAcosh, kAcoshGrad;            ///< acosh(x) -> y
extern const Op kAtanh, kAtanhGrad;            ///< atanh(x) -> y
extern const Op kTanh, kTanhGrad;              ///< tanh(x) -> y; from y
extern const Op kErf, kErfGrad;                ///< erf(x) -> y
extern const Op kFloor;                        ///< floor(x) -> y; gradient 0
extern const Op kCeil;                         ///< ceil(x) -> y; gradient 0
extern const Op kRound;                        ///< round(x) -> y: halves to the even neighbour; gradient 0
extern const Op kSign;                         ///< sign(x) -> y: numbers; -1, 0, 1; gradient 0

// ---- activations.cpp
// ------------------------------------------------------------------------------------------------------------
extern const Op kGelu, kGeluGrad;                ///< gelu(x) -> y {approximate}: "none" (the default) or "tanh"
extern const Op kSilu, kSiluGrad;                ///< silu(x) -> y: x sigmoid(x)
extern const Op kElu, kEluGrad;                  ///< elu(x) -> y {alpha = 1}
extern const Op kSelu, kSeluGrad;                ///< selu(x) -> y {alpha = 1.67326..., gamma = 1.05070...}
extern const Op kCelu, kCeluGrad;                ///< celu(x) -> y {alpha = 1}
extern const Op kLeakyRelu, kLeakyReluGrad;      ///< leaky_relu(x) -> y {alpha = 0.01}
extern const Op kHardSigmoid, kHardSigmoidGrad;  ///< hard_sigmoid(x) -> y {alpha = 0.2, beta = 0.5}; from y
extern const Op kHardSwish, kHardSwishGrad;      ///< hard_swish(x) -> y: x clip(x / 6 + 1/2, 0, 1)
extern const Op kSoftplus, kSoftplusGrad;        ///< softplus(x) -> y: log(1 + exp(x))
extern const Op kSoftsign, kSoftsignGrad;        ///< softsign(x) -> y: x / (1 + |x|)
extern const Op kMish, kMishGrad;                ///< mish(x) -> y: x tanh(softplus(x))
extern const Op kThresholdedRelu,
    kThresholdedReluGrad;  ///< thresholded_relu(x) -> y {alpha = 1}: x where x > alpha, else 0
extern const Op kShrink,
    kShrinkGrad;  ///< shrink(x) -> y {bias = 0, lambda = 0.5}: numbers; x + bias below -lambda, x - bias above lambda
extern const Op kClip,
    kClipGrad;  ///< clip(x) -> y {min = -inf, max = inf}: numbers; min > max: max; slope 1 on both ends

// ---- arithmetic.cpp: gradients of broadcast operands are summed by `sum`
// ----------------------------------------------------------
extern const Op kDivide;  ///< divide(a, b) -> y: numbers; integers are cut towards zero, a / 0 is 0
extern const Op
    kPower;  ///< power(a, b) -> y: numbers, b of any number type, y of the dtype of a; a negative whole power is cut
extern const Op kMinimum;  ///< minimum(a, b) -> y: numbers; equal operands share the gradient
extern const Op kMaximum;  ///< maximum(a, b) -> y: numbers; equal operands share the gradient
/// modulo(a, b) -> y {fmod}: numbers; the remainder has the sign of b, with fmod = 1 that of a; integers: by 0 it is 0.
extern const Op kModulo;
extern const Op kPrelu;  ///< prelu(x, slope) -> y: x where x > 0, else slope * x; slope is broadcast to x
extern const Op
    kBitShift;  ///< bit_shift(a, b) -> y {direction}: integers; "left" (the default) or "right", which keeps the sign
extern const Op kBitwiseAnd;         ///< bitwise_and(a, b) -> y: integers and bool, as the three below
extern const Op kBitwiseOr;          ///< bitwise_or(a, b) -> y
extern const Op kBitwiseXor;         ///< bitwise_xor(a, b) -> y
extern const Op kBitwiseNot;         ///< bitwise_not(x) -> y
extern const Op kDivideGradDivisor;  ///< divide_grad_divisor(dy, y, b) -> -dy * y / b
extern const Op kPowerGradBase;      ///< power_grad_base(dy, a, b) -> dy * b * a^(b-1); 0 where b = 0
extern const Op kPowerGradExponent;  ///< power_grad_exponent(dy, a, y) -> dy * y * log(a); 0 where y = 0
extern const Op kMaximumGrad;     ///< maximum_grad(dy, a, b) -> dy where a > b, half of it where they are equal, else 0
extern const Op kMinimumGrad;     ///< minimum_grad(dy, a, b) -> the same where a < b
extern const Op kPreluGradInput;  ///< prelu_grad_input(dy, x, slope) -> dy where x > 0, else slope * dy
extern const Op kPreluGradSlope;  ///< prelu_grad_slope(dy, x) -> 0 where x > 0, else x * dy

/// An op of one operand by its name: what needs no building function of its own. CHECKs that there is such an op.
ValueId apply(GraphBuilder&, std::string_view op, ValueId x, Attributes attributes = {});

ValueId absolute(GraphBuilder&, ValueId x);
ValueId negate(GraphBuilder&, ValueId x);
ValueId exp(GraphBuilder&, ValueId x);
ValueId log(GraphBuilder&, ValueId x);
ValueId sqrt(GraphBuilder&, ValueId x);
ValueId reciprocal(GraphBuilder&, ValueId x);
ValueId sin(GraphBuilder&, ValueId x);
ValueId cos(GraphBuilder&, ValueId x);
ValueId tan(GraphBuilder&, ValueId x);
ValueId asin(GraphBuilder&, ValueId x);
ValueId acos(GraphBuilder&, ValueId x);
ValueId atan(GraphBuilder&, ValueId x);
ValueId sinh(GraphBuilder&, ValueId x);
ValueId cosh(GraphBuilder&, ValueId x);
ValueId asinh(GraphBuilder&, ValueId x);
ValueId acosh(GraphBuilder&, ValueId x);
ValueId atanh(GraphBuilder&, ValueId x);
ValueId tanh(GraphBuilder&, ValueId x);
ValueId erf(GraphBuilder&, ValueId x);
ValueId floor(GraphBuilder&, ValueId x);
ValueId ceil(GraphBuilder&, ValueId x);
ValueId round(GraphBuilder&, ValueId x);
ValueId sign(GraphBuilder&, ValueId x);

/// `approximate`: "none" or "tanh".
ValueId gelu(GraphBuilder&, ValueId x, std::string_view approximate = "none");
ValueId silu(GraphBuilder&, ValueId x);
ValueId elu(GraphBuilder&, ValueId x, double alpha = 1);
ValueId selu(GraphBuilder&, ValueId x);
ValueId celu(GraphBuilder&, ValueId x, double alpha = 1);
ValueId leaky_relu(GraphBuilder&, ValueId x, double alpha = 0.01);
ValueId hard_sigmoid(GraphBuilder&, ValueId x, double alpha = 0.2, double beta = 0.5);
ValueId hard_swish(GraphBuilder&, ValueId x);
ValueId softplus(GraphBuilder&, ValueId x);
ValueId softsign(GraphBuilder&, ValueId x);
ValueId mish(GraphBuilder&, ValueId x);
ValueId thresholded_relu(GraphBuilder&, ValueId x, double alpha = 1);
ValueId shrink(GraphBuilder&, ValueId x, double bias = 0, double lambda = 0.5);
/// An end that is not given is open.
ValueId clip(GraphBuilder&, ValueId x, std::optional<double> min, std::optional<double> max);

ValueId divide(GraphBuilder&, ValueId a, ValueId b);
ValueId power(GraphBuilder&, ValueId a, ValueId b);
ValueId minimum(GraphBuilder&, ValueId a, ValueId b);
ValueId maximum(GraphBuilder&, ValueId a, ValueId b);
ValueId modulo(GraphBuilder&, ValueId a, ValueId b, bool fmod = false);
ValueId prelu(GraphBuilder&, ValueId x, ValueId slope);
/// `direction`: "left" or "right".
ValueId bit_shift(GraphBuilder&, ValueId a, ValueId b, std::string_view direction);
ValueId bitwise_and(GraphBuilder&, ValueId a, ValueId b);
ValueId bitwise_or(GraphBuilder&, ValueId a, ValueId b);
ValueId bitwise_xor(GraphBuilder&, ValueId a, ValueId b);
ValueId bitwise_not(GraphBuilder&, ValueId x);

std::span<const Op* const> math_ops();
std::span<const Op* const> activations_ops();
std::span<const Op* const> arithmetic_ops();

}  // namespace engine::ops
