// SPDX-License-Identifier: Apache-2.0
// Makes an op of a scalar function, and the op of its gradient of its slope.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "engine/ops/cost.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {

/// The values of a function's settings, in the order of their names.
using Constants = std::array<double, 2>;

/// What the slope is computed from.
enum class SlopeOf : uint8_t { nothing, input, output };

/// y = value(x). A function without `integer` takes floating types alone.
struct ScalarFunction {
  std::string_view name, formula;
  double flops;
  double (*value)(double x, const Constants&);
  SlopeOf of = SlopeOf::nothing;
  std::string_view slope_formula = {};  ///< of dx
  double slope_flops = 0;               ///< with the product by dy
  double (*slope)(double x_or_y, const Constants&) = nullptr;
  std::array<std::string_view, 2> settings = {};  ///< attributes
  Constants defaults = {};
  int64_t (*integer)(int64_t x, const Constants&) = nullptr;

  constexpr Accepts accepts() const { return integer == nullptr ? Accepts::floats : Accepts::numbers; }
  Constants constants(const Attributes& attributes) const {
    Constants values = defaults;
    for (size_t i = 0; i < settings.size(); ++i) {
      if (!settings[i].empty()) values[i] = attributes.get_double(settings[i], defaults[i]);
    }
    return values;
  }
};

/// The settings as the op's attributes.
template <const ScalarFunction& f>
std::vector<AttributeSpec> function_attributes() {
  std::vector<AttributeSpec> specs;
  for (size_t i = 0; i < f.settings.size(); ++i) {
    if (!f.settings[i].empty()) specs.push_back(AttributeSpec::real(f.settings[i], f.defaults[i]));
  }
  return specs;
}

/// "<name>_grad"
template <const ScalarFunction& f>
inline constexpr auto kGradientName = [] {
  constexpr std::string_view kEnd = "_grad";
  std::array<char, f.name.size() + kEnd.size()> letters{};
  std::ranges::copy(kEnd, std::ranges::copy(f.name, letters.begin()).out);
  return letters;
}();

/// The op y = f(x). `gradient`: what it appends, one of those below.
template <const ScalarFunction& f>
Op function_op(void (*gradient)(GradientContext&)) {
  return {
      .name = f.name,
      .formula = f.formula,
      .infer = [](std::span<const TensorType> inputs,
                  const Attributes&) { return infer_elementwise(f.name, inputs, {"x"}, f.accepts()); },
      .cost = [](const Call& call) { return elementwise_cost(call, f.flops); },
      .reference =
          [](KernelArguments& arguments) {
            const Constants c = f.constants(*arguments.attributes);
            if constexpr (f.integer == nullptr) {
              map_doubles(arguments, [&](double x) { return f.value(x, c); });
            } else {
              map_numbers(
                  arguments, [&](double x) { return f.value(x, c); }, [&](int64_t x) { return f.integer(x, c); });
            }
          },
      .gradient = gradient,
      .tangent = gradient != nullptr ? tangent_symmetric : nullptr,
      .attributes = function_attributes<f>(),
      .elementwise = true,
      .fusion = FusionPart::elementwise,
  };
}

/// dx = gradient(dy, x or y).
template <const ScalarFunction& f, const Op& gradient>
void gradient_by_slope(GradientContext& context) {
  const ValueId from = f.of == SlopeOf::output ? context.output(0) : context.input(0);
  give(context, 0, [&](ValueId dy) { return context.builder().append1(gradient, {dy, from}, context.attributes()); });
}

/// The op of the gradient, dx = dy * slope, of one shape, in the layout of x or y.
template <const ScalarFunction& f>
Op slope_op() {
  return {
      .name = {kGradientName<f>.data(), kGradientName<f>.size()},
      .formula = f.slope_formula,
      .infer = [](std::span<const TensorType> inputs, const Attributes&) -> InferResult {
        const std::string_view name(kGradientName<f>.data(), kGradientName<f>.size());
        const std::string_view from = f.of == SlopeOf::output ? "y" : "x";
        OperandCheck check(name, inputs, {"dy", from});
        if (!check.operand_count() || !check.same_dtype() || !check.floating(0) ||
            !check.shape(0, inputs[1].shape, f.of == SlopeOf::output ? "the shape of y" : "the shape of x")) {
          return check.error();
        }
        if (!check.addressable("the result", inputs[1].dtype, inputs[1].shape)) return check.error();
        return std::vector{elementwise_type(inputs[1].dtype, inputs.subspan(1), inputs[1].shape)};
      },
      .cost = [](const Call& call) { return elementwise_cost(call, f.slope_flops); },
      .reference =
          [](KernelArguments& arguments) {
            const Constants c = f.constants(*arguments.attributes);
            map_doubles(arguments, [&](double dy, double x) { return dy * f.slope(x, c); });
          },
      .attributes = function_attributes<f>(),
      .elementwise = true,
      .fusion = FusionPart::elementwise,
  };
}

}  // namespace engine::ops
