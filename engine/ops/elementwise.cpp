// SPDX-License-Identifier: Apache-2.0
// Elementwise ops: sums, products, activations, and the gradients of the activations.
#include <cmath>
#include <functional>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

ValueId unchanged(ValueId gradient) { return gradient; }

void gradient_add(GradientContext& context) {
  give(context, 0, unchanged);
  give(context, 1, unchanged);
}

void gradient_subtract(GradientContext& context) {
  give(context, 0, unchanged);
  give(context, 1, [&](ValueId dy) { return scale(context.builder(), dy, -1); });
}

void gradient_multiply(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return multiply(context.builder(), dy, context.input(1)); });
  give(context, 1, [&](ValueId dy) { return multiply(context.builder(), dy, context.input(0)); });
}

void gradient_scaled_add(GradientContext& context) {
  const double factor = context.attributes().get_double("factor", 1);
  give(context, 0, unchanged);
  give(context, 1, [&](ValueId dy) { return scale(context.builder(), dy, factor); });
}

// ---- one operand
// --------------------------------------------------------------------------------------------------------------

/// dx from dy and the forward output y: of one shape, in the layout of y.
InferResult infer_from_output(std::string_view op, std::span<const TensorType> inputs, bool floats) {
  OperandCheck check(op, inputs, {"dy", "y"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || (floats && !check.floating(0)) ||
      !check.shape(0, inputs[1].shape, "the shape of y")) {
    return check.error();
  }
  return std::vector{elementwise_type(inputs[1].dtype, inputs.subspan(1), inputs[1].shape)};
}

void gradient_scale(GradientContext& context) {
  const double factor = context.attributes().get_double("factor", 1);
  give(context, 0, [&](ValueId dy) { return scale(context.builder(), dy, factor); });
}

void gradient_copy(GradientContext& context) { give(context, 0, unchanged); }

void gradient_relu(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return context.builder().append1(kReluGrad, {dy, context.output(0)}); });
}

void gradient_sigmoid(GradientContext& context) {
  give(context, 0, [&](ValueId dy) { return context.builder().append1(kSigmoidGrad, {dy, context.output(0)}); });
}

}  // namespace

const Op kAdd{
    .name = "add",
    .formula = "y = a + b",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("add", inputs, {"a", "b"}, Accepts::numbers);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = [](KernelArguments& arguments) { map_numbers(arguments, std::plus<>{}, std::plus<uint64_t>{}); },
    .gradient = gradient_add,
    .tangent = tangent_sum,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kSubtract{
    .name = "subtract",
    .formula = "y = a - b",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("subtract", inputs, {"a", "b"}, Accepts::numbers);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = [](KernelArguments& arguments) { map_numbers(arguments, std::minus<>{}, std::minus<uint64_t>{}); },
    .gradient = gradient_subtract,
    .tangent = tangent_sum,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kMultiply{
    .name = "multiply",
    .formula = "y = a * b",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("multiply", inputs, {"a", "b"}, Accepts::numbers);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) { map_numbers(arguments, std::multiplies<>{}, std::multiplies<uint64_t>{}); },
    .gradient = gradient_multiply,
    .tangent = tangent_multilinear,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kScaledAdd{
    .name = "scaled_add",
    .formula = "y = a + factor * b",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("scaled_add", inputs, {"a", "b"}, Accepts::numbers);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 2); },
    .reference =
        [](KernelArguments& arguments) {
          const double factor = arguments.attributes->get_double("factor", 1);
          map_doubles(arguments, [factor](double a, double b) { return a + factor * b; });
        },
    .gradient = gradient_scaled_add,
    .tangent = tangent_sum,
    .attributes = {AttributeSpec::real("factor", 1)},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kScale{
    .name = "scale",
    .formula = "y = factor * x + shift",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("scale", inputs, {"x"}, Accepts::numbers); },
    .cost =
        [](const Call& call) { return elementwise_cost(call, call.attributes.get_double("shift", 0) == 0 ? 1 : 2); },
    .reference =
        [](KernelArguments& arguments) {
          const double factor = arguments.attributes->get_double("factor", 1);
          const double shift = arguments.attributes->get_double("shift", 0);
          map_doubles(arguments, [=](double x) { return factor * x + shift; });
        },
    .gradient = gradient_scale,
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::real("factor", 1), AttributeSpec::real("shift", 0)},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kCopy{
    .name = "copy",
    .formula = "y = x",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("copy", inputs, {"x"}, Accepts::any); },
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = [](KernelArguments& arguments) { copy_bits(arguments.inputs[0], arguments.outputs[0]); },
    .gradient = gradient_copy,
    .tangent = tangent_symmetric,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kRelu{
    .name = "relu",
    .formula = "y = max(x, 0); NaN stays NaN",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("relu", inputs, {"x"}, Accepts::numbers); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) {
          map_numbers(
              arguments, [](double x) { return x < 0 ? 0 : x; }, [](int64_t x) { return x < 0 ? 0 : x; });
        },
    .gradient = gradient_relu,
    .tangent = tangent_symmetric,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kReluGrad{
    .name = "relu_grad",
    .formula = "dx = dy where y > 0, else 0",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_from_output("relu_grad", inputs, /*floats=*/false); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) { map_doubles(arguments, [](double dy, double y) { return y > 0 ? dy : 0; }); },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kSigmoid{
    .name = "sigmoid",
    .formula = "y = 1 / (1 + exp(-x))",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("sigmoid", inputs, {"x"}, Accepts::floats); },
    .cost = [](const Call& call) { return elementwise_cost(call, 4); },
    .reference =
        [](KernelArguments& arguments) { map_doubles(arguments, [](double x) { return 1 / (1 + std::exp(-x)); }); },
    .gradient = gradient_sigmoid,
    .tangent = tangent_symmetric,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kSigmoidGrad{
    .name = "sigmoid_grad",
    .formula = "dx = dy * y * (1 - y)",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_from_output("sigmoid_grad", inputs, /*floats=*/true); },
    .cost = [](const Call& call) { return elementwise_cost(call, 3); },
    .reference =
        [](KernelArguments& arguments) {
          map_doubles(arguments, [](double dy, double y) { return dy * y * (1 - y); });
        },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

ValueId add(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kAdd, {a, b}); }
ValueId subtract(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kSubtract, {a, b}); }
ValueId multiply(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kMultiply, {a, b}); }
ValueId scale(GraphBuilder& builder, ValueId x, double factor, double shift) {
  return builder.append1(kScale, {x}, {{"factor", factor}, {"shift", shift}});
}
ValueId copy(GraphBuilder& builder, ValueId x) { return builder.append1(kCopy, {x}); }
ValueId scaled_add(GraphBuilder& builder, ValueId a, ValueId b, double factor) {
  return builder.append1(kScaledAdd, {a, b}, {{"factor", factor}});
}
ValueId relu(GraphBuilder& builder, ValueId x) { return builder.append1(kRelu, {x}); }
ValueId sigmoid(GraphBuilder& builder, ValueId x) { return builder.append1(kSigmoid, {x}); }

}  // namespace engine::ops
