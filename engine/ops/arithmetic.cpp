// SPDX-License-Identifier: Apache-2.0
// Arithmetic of two broadcast operands beyond sums and products, bits of integers, and the gradients.
#include <cmath>
#include <functional>

#include "engine/ops/casting.h"
#include "engine/ops/cost.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// y = value(a, b). One of the two is null where the op does not take these dtypes.
struct BinaryFunction {
  std::string_view name, formula;
  double flops;
  Accepts accepts;
  double (*value)(double a, double b);
  int64_t (*integer)(int64_t a, int64_t b);
};

template <const BinaryFunction& f>
Op binary_op(void (*gradient)(GradientContext&)) {
  return {
      .name = f.name,
      .formula = f.formula,
      .infer =
          [](std::span<const TensorType> inputs, const Attributes&) {
            return infer_elementwise(f.name, inputs, {"a", "b"}, f.accepts);
          },
      .cost = [](const Call& call) { return elementwise_cost(call, f.flops); },
      .reference = [](KernelArguments& arguments) { map_numbers(arguments, f.value, f.integer); },
      .gradient = gradient,
      .tangent = gradient != nullptr ? tangent_symmetric : nullptr,
      .elementwise = true,
      .fusion = f.accepts == Accepts::bits ? FusionPart::none : FusionPart::elementwise,
  };
}

/// A gradient op: dx = value(dy, a, b), floating types.
struct TernaryFunction {
  std::string_view name, formula;
  double flops;
  std::array<std::string_view, 2> operands;
  double (*value)(double dy, double a, double b);
  FusionPart fusion = FusionPart::elementwise;
};

template <const TernaryFunction& f>
Op ternary_op() {
  return {
      .name = f.name,
      .formula = f.formula,
      .infer =
          [](std::span<const TensorType> inputs, const Attributes&) {
            return infer_elementwise(f.name, inputs, {"dy", f.operands[0], f.operands[1]}, Accepts::floats);
          },
      .cost = [](const Call& call) { return elementwise_cost(call, f.flops); },
      .reference = [](KernelArguments& arguments) { map_doubles(arguments, f.value); },
      .elementwise = true,
      .fusion = f.fusion,
  };
}

int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Cut towards zero; by -1 without overflow.
int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t whole_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 || (base == -1 && exponent % 2 == 0) ? 1 : base == -1 ? -1 : 0;
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapping_product(result, base);
    base = wrapping_product(base, base);
  }
  return result;
}

double nan_or(double a, double b, double chosen) { return std::isnan(a) ? a : std::isnan(b) ? b : chosen; }

/// The remainder with the sign of b, as Python's.
double floor_modulo(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
int64_t floor_modulo_whole(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
int64_t cut_modulo_whole(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

constexpr BinaryFunction kQuotient{"divide",         "y = a / b, integers cut towards zero",   1,
                                   Accepts::numbers, [](double a, double b) { return a / b; }, quotient};
constexpr BinaryFunction kLeast{"minimum",
                                "y = min(a, b); NaN where either is",
                                1,
                                Accepts::numbers,
                                [](double a, double b) { return nan_or(a, b, std::min(a, b)); },
                                [](int64_t a, int64_t b) { return std::min(a, b); }};
constexpr BinaryFunction kMost{"maximum",
                               "y = max(a, b); NaN where either is",
                               1,
                               Accepts::numbers,
                               [](double a, double b) { return nan_or(a, b, std::max(a, b)); },
                               [](int64_t a, int64_t b) { return std::max(a, b); }};
constexpr BinaryFunction kAnd{
    "bitwise_and", "y = a & b, bit by bit", 0, Accepts::bits, nullptr, [](int64_t a, int64_t b) { return a & b; }};
constexpr BinaryFunction kOr{
    "bitwise_or", "y = a | b, bit by bit", 0, Accepts::bits, nullptr, [](int64_t a, int64_t b) { return a | b; }};
constexpr BinaryFunction kXor{
    "bitwise_xor", "y = a ^ b, bit by bit", 0, Accepts::bits, nullptr, [](int64_t a, int64_t b) { return a ^ b; }};

constexpr TernaryFunction kByDivisor{
    "divide_grad_divisor", "db = -dy y / b", 3, {"y", "b"}, [](double dy, double y, double b) {
      return -dy * (y / b);
    }};
constexpr TernaryFunction kByBase{
    "power_grad_base",
    "da = dy b a^(b-1), 0 where b = 0",
    4,
    {"a", "b"},
    [](double dy, double a, double b) { return b == 0 ? 0 : dy * (b * std::pow(a, b - 1)); },
    FusionPart::none};
constexpr TernaryFunction kByExponent{
    "power_grad_exponent", "db = dy y log(a), 0 where y = 0", 3, {"a", "y"}, [](double dy, double a, double y) {
      return y == 0 ? 0 : dy * (y * std::log(a));
    }};
constexpr TernaryFunction kToGreater{"maximum_grad",
                                     "da = dy where a > b, dy / 2 where a = b, else 0",
                                     2,
                                     {"a", "b"},
                                     [](double dy, double a, double b) { return a > b    ? dy
                                                                                : a == b ? dy / 2
                                                                                         : 0; }};
constexpr TernaryFunction kToLesser{"minimum_grad",
                                    "da = dy where a < b, dy / 2 where a = b, else 0",
                                    2,
                                    {"a", "b"},
                                    [](double dy, double a, double b) { return a < b    ? dy
                                                                               : a == b ? dy / 2
                                                                                        : 0; }};
constexpr TernaryFunction kPreluByInput{
    "prelu_grad_input", "dx = dy where x > 0, else slope dy", 1, {"x", "slope"}, [](double dy, double x, double slope) {
      return x > 0 ? dy : slope * dy;
    }};

void gradient_divide(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give(context, 0, [&](ValueId dy) { return divide(builder, dy, context.input(1)); });
  give(context, 1, [&](ValueId dy) {
    return builder.append1(kDivideGradDivisor, {dy, context.output(0), context.input(1)});
  });
}

template <const Op& share>
void gradient_extremum(GradientContext& context) {
  for (const size_t i : {0, 1}) {
    give(context, i, [&](ValueId dy) {
      return context.builder().append1(share, {dy, context.input(i), context.input(1 - i)});
    });
  }
}

void gradient_power(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId a = context.input(0), b = context.input(1);
  const DType base = builder.type(a).dtype, exponent = builder.type(b).dtype;
  give(context, 0, [&](ValueId dy) { return builder.append1(kPowerGradBase, {dy, a, cast(builder, b, base)}); });
  if (!is_floating(exponent)) return;
  give(context, 1, [&](ValueId dy) {
    return cast(builder, builder.append1(kPowerGradExponent, {dy, a, context.output(0)}), exponent);
  });
}

/// By b: y = a - b q with a whole number q, which is (a - y) / b.
void gradient_modulo(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give(context, 0, [](ValueId dy) { return dy; });
  give(context, 1, [&](ValueId dy) {
    const ValueId minus_q =
        round(builder, divide(builder, subtract(builder, context.output(0), context.input(0)), context.input(1)));
    return multiply(builder, dy, minus_q);
  });
}

void gradient_prelu(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId x = context.input(0);
  give(context, 0, [&](ValueId dy) { return builder.append1(kPreluGradInput, {dy, x, context.input(1)}); });
  give(context, 1, [&](ValueId dy) { return builder.append1(kPreluGradSlope, {dy, x}); });
}

// ---- power: the exponent may have another dtype
// -----------------------------------------------------------------------------------

InferResult infer_power(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("power", inputs, {"a", "b"});
  if (!check.operand_count() || !check.numeric(0) || !check.numeric(1)) return check.error();
  TensorType exponent = inputs[1];
  exponent.dtype = inputs[0].dtype;
  const TensorType same[] = {inputs[0], exponent};
  return infer_elementwise("power", same, {"a", "b"}, Accepts::numbers);
}

void reference_power(KernelArguments& arguments) {
  const bool whole = !is_floating(arguments.inputs[0].dtype()) && !is_floating(arguments.inputs[1].dtype());
  if (whole) return map_integers(arguments, whole_power);
  map_doubles(arguments, [](double a, double b) { return std::pow(a, b); });
}

// ---- modulo, prelu, bit_shift
// -----------------------------------------------------------------------------------------------------

void reference_modulo(KernelArguments& arguments) {
  if (arguments.attributes->get_int("fmod", 0) != 0) {
    map_numbers(
        arguments, [](double a, double b) { return std::fmod(a, b); }, cut_modulo_whole);
  } else {
    map_numbers(arguments, floor_modulo, floor_modulo_whole);
  }
}

InferResult infer_prelu(std::span<const TensorType> inputs, const Attributes&) {
  InferResult result = infer_elementwise("prelu", inputs, {"x", "slope"}, Accepts::floats);
  if (!result) return result;
  OperandCheck check("prelu", inputs, {"x", "slope"});
  if (!check.shape(0, (*result)[0].shape, "what slope broadcasts it to; slope must be broadcast to x"))
    return check.error();
  return result;
}

InferResult infer_bit_shift(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("bit_shift", inputs, {"a", "b"});
  const std::string direction = attributes.get_string("direction", "left");
  if (!check.operand_count() || !check.that(direction == "left" || direction == "right",
                                            "direction must be \"left\" or \"right\", got \"{}\"", direction)) {
    return check.error();
  }
  return infer_elementwise("bit_shift", inputs, {"a", "b"}, Accepts::integers);
}

/// By less than nothing or more bits than there are: all are shifted out.
void reference_bit_shift(KernelArguments& arguments) {
  if (arguments.attributes->get_string("direction", "left") == "left") {
    map_integers(arguments, [](int64_t a, int64_t b) {
      return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    });
  } else {
    map_integers(arguments, [](int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); });
  }
}

void reference_bitwise_not(KernelArguments& arguments) {
  const bool boolean = arguments.inputs[0].dtype() == DType::boolean;
  map_integers(arguments, [=](int64_t x) { return boolean ? int64_t{x == 0} : ~x; });
}

}  // namespace

const Op kDivide = binary_op<kQuotient>(gradient_divide);
const Op kMinimum = binary_op<kLeast>(gradient_extremum<kMinimumGrad>);
const Op kMaximum = binary_op<kMost>(gradient_extremum<kMaximumGrad>);
const Op kBitwiseAnd = binary_op<kAnd>(nullptr);
const Op kBitwiseOr = binary_op<kOr>(nullptr);
const Op kBitwiseXor = binary_op<kXor>(nullptr);
const Op kDivideGradDivisor = ternary_op<kByDivisor>();
const Op kPowerGradBase = ternary_op<kByBase>();
const Op kPowerGradExponent = ternary_op<kByExponent>();
const Op kMaximumGrad = ternary_op<kToGreater>();
const Op kMinimumGrad = ternary_op<kToLesser>();
const Op kPreluGradInput = ternary_op<kPreluByInput>();

const Op kPreluGradSlope{
    .name = "prelu_grad_slope",
    .formula = "dslope = 0 where x > 0, else x dy",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("prelu_grad_slope", inputs, {"dy", "x"}, Accepts::floats);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) {
          map_doubles(arguments, [](double dy, double x) { return x > 0 ? 0 : x * dy; });
        },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kPower{
    .name = "power",
    .formula = "y = a^b",
    .infer = infer_power,
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = reference_power,
    .gradient = gradient_power,
    .tangent = tangent_symmetric,
    .elementwise = true,
};

const Op kModulo{
    .name = "modulo",
    .formula = "y = a - b floor(a / b), with fmod a - b trunc(a / b)",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("modulo", inputs, {"a", "b"}, Accepts::numbers);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 4); },
    .reference = reference_modulo,
    .gradient = gradient_modulo,
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::whole("fmod", 0)},
    .elementwise = true,
};

const Op kPrelu{
    .name = "prelu",
    .formula = "y = x where x > 0, else slope x",
    .infer = infer_prelu,
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) {
          map_doubles(arguments, [](double x, double slope) { return x > 0 ? x : slope * x; });
        },
    .gradient = gradient_prelu,
    .tangent = tangent_symmetric,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kBitShift{
    .name = "bit_shift",
    .formula = "y = a << b or a >> b",
    .infer = infer_bit_shift,
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = reference_bit_shift,
    .attributes = {AttributeSpec::word("direction", "left")},
    .elementwise = true,
};

const Op kBitwiseNot{
    .name = "bitwise_not",
    .formula = "y = ~x, bit by bit",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("bitwise_not", inputs, {"x"}, Accepts::bits); },
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = reference_bitwise_not,
    .elementwise = true,
};

ValueId divide(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kDivide, {a, b}); }
ValueId power(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kPower, {a, b}); }
ValueId minimum(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kMinimum, {a, b}); }
ValueId maximum(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kMaximum, {a, b}); }
ValueId modulo(GraphBuilder& builder, ValueId a, ValueId b, bool fmod) {
  return builder.append1(kModulo, {a, b}, {{"fmod", int64_t{fmod}}});
}
ValueId prelu(GraphBuilder& builder, ValueId x, ValueId slope) { return builder.append1(kPrelu, {x, slope}); }
ValueId bit_shift(GraphBuilder& builder, ValueId a, ValueId b, std::string_view direction) {
  return builder.append1(kBitShift, {a, b}, {{"direction", std::string(direction)}});
}
ValueId bitwise_and(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kBitwiseAnd, {a, b}); }
ValueId bitwise_or(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kBitwiseOr, {a, b}); }
ValueId bitwise_xor(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kBitwiseXor, {a, b}); }
ValueId bitwise_not(GraphBuilder& builder, ValueId x) { return builder.append1(kBitwiseNot, {x}); }

std::span<const Op* const> arithmetic_ops() {
  static constexpr const Op* kOps[] = {
      &kDivide,         &kPower,
      &kMinimum,        &kMaximum,
      &kModulo,         &kPrelu,
      &kBitShift,       &kBitwiseAnd,
      &kBitwiseOr,      &kBitwiseXor,
      &kBitwiseNot,     &kDivideGradDivisor,
      &kPowerGradBase,  &kPowerGradExponent,
      &kMaximumGrad,    &kMinimumGrad,
      &kPreluGradInput, &kPreluGradSlope,
  };
  return kOps;
}

}  // namespace engine::ops
