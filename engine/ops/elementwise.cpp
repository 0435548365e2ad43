// SPDX-License-Identifier: Apache-2.0
// Elementwise ops: sums, products, activations, and the gradients of the activations.
#include <cmath>
#include <functional>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// True when some axis is repeated (stride 0): such an operand's layout is no model for a result.
bool is_expanded(const TensorType& type) {
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] > 1 && type.strides[i] == 0) return true;
  }
  return false;
}

/// A result of `shape` in the dense layout of the first input that is not broadcast to it.
TensorType elementwise_type(std::span<const TensorType> inputs, const Shape& shape) {
  for (const TensorType& input : inputs) {
    if (input.shape == shape && !is_expanded(input)) {
      return {input.dtype, shape, dense_strides_like(shape, input.strides)};
    }
  }
  return TensorType::contiguous(inputs[0].dtype, shape);
}

// ---- two operands, broadcast ------------------------------------------------------------------------------------------------

InferResult infer_binary(std::string_view op, std::span<const TensorType> inputs) {
  OperandCheck check(op, inputs, {"a", "b"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0)) return check.error();
  const Result<Shape> shape = broadcast_shapes(inputs[0].shape, inputs[1].shape);
  if (!shape) {
    check.that(false, "{}", shape.error().message);
    return check.error();
  }
  if (!check.addressable("the result", inputs[0].dtype, *shape)) return check.error();
  return std::vector{elementwise_type(inputs, *shape)};
}

template <class Function>
void reference_binary(KernelArguments& arguments, Function function) {
  const Shape& shape = arguments.outputs[0].shape();
  std::vector<double> a = load_expanded(arguments.inputs[0], shape);
  const std::vector<double> b = load_expanded(arguments.inputs[1], shape);
  for (size_t i = 0; i < a.size(); ++i) a[i] = function(a[i], b[i]);
  store(arguments.outputs[0], a);
}

/// Sets the gradient by input i, made by `make` from the output's gradient, when somebody wants it.
template <class Make>
void give(GradientContext& context, size_t i, Make make) {
  GraphBuilder& builder = context.builder();
  if (!context.needed(i) || builder.failed()) return;
  const ValueId gradient = make(context.output_gradient(0));
  if (builder.failed()) return;
  const Shape shape = builder.type(context.input(i)).shape;
  context.set_input_gradient(i, reduce_to(builder, gradient, shape));
}

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

// ---- one operand --------------------------------------------------------------------------------------------------------------

enum class Accepts { any, numbers, floats };

InferResult infer_unary(std::string_view op, std::span<const TensorType> inputs, Accepts accepts) {
  OperandCheck check(op, inputs, {"x"});
  if (!check.operand_count() || (accepts != Accepts::any && !check.numeric(0)) ||
      (accepts == Accepts::floats && !check.floating(0)) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{elementwise_type(inputs, inputs[0].shape)};
}

template <class Function>
void reference_unary(KernelArguments& arguments, Function function) {
  std::vector<double> values = load(arguments.inputs[0]);
  for (double& value : values) value = function(value);
  store(arguments.outputs[0], values);
}

/// dx from dy and the forward output y: of one shape, in the layout of y.
InferResult infer_from_output(std::string_view op, std::span<const TensorType> inputs, bool floats) {
  OperandCheck check(op, inputs, {"dy", "y"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || (floats && !check.floating(0)) ||
      !check.shape(0, inputs[1].shape, "the shape of y")) {
    return check.error();
  }
  return std::vector{elementwise_type(inputs.subspan(1), inputs[1].shape)};
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
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary("add", inputs); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = [](KernelArguments& arguments) { reference_binary(arguments, std::plus<>{}); },
    .gradient = gradient_add,
};

const Op kSubtract{
    .name = "subtract",
    .formula = "y = a - b",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary("subtract", inputs); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = [](KernelArguments& arguments) { reference_binary(arguments, std::minus<>{}); },
    .gradient = gradient_subtract,
};

const Op kMultiply{
    .name = "multiply",
    .formula = "y = a * b",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary("multiply", inputs); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = [](KernelArguments& arguments) { reference_binary(arguments, std::multiplies<>{}); },
    .gradient = gradient_multiply,
};

const Op kScaledAdd{
    .name = "scaled_add",
    .formula = "y = a + factor * b",
    .infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary("scaled_add", inputs); },
    .cost = [](const Call& call) { return elementwise_cost(call, 2); },
    .reference =
        [](KernelArguments& arguments) {
          const double factor = arguments.attributes->get_double("factor", 1);
          reference_binary(arguments, [factor](double a, double b) { return a + factor * b; });
        },
    .gradient = gradient_scaled_add,
};

const Op kScale{
    .name = "scale",
    .formula = "y = factor * x + shift",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unary("scale", inputs, Accepts::numbers); },
    .cost =
        [](const Call& call) { return elementwise_cost(call, call.attributes.get_double("shift", 0) == 0 ? 1 : 2); },
    .reference =
        [](KernelArguments& arguments) {
          const double factor = arguments.attributes->get_double("factor", 1);
          const double shift = arguments.attributes->get_double("shift", 0);
          reference_unary(arguments, [=](double x) { return factor * x + shift; });
        },
    .gradient = gradient_scale,
};

const Op kCopy{
    .name = "copy",
    .formula = "y = x",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unary("copy", inputs, Accepts::any); },
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = [](KernelArguments& arguments) { copy_bits(arguments.inputs[0], arguments.outputs[0]); },
    .gradient = gradient_copy,
};

const Op kRelu{
    .name = "relu",
    .formula = "y = max(x, 0); NaN stays NaN",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unary("relu", inputs, Accepts::numbers); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) { reference_unary(arguments, [](double x) { return x < 0 ? 0 : x; }); },
    .gradient = gradient_relu,
};

const Op kReluGrad{
    .name = "relu_grad",
    .formula = "dx = dy where y > 0, else 0",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_from_output("relu_grad", inputs, /*floats=*/false); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) {
          reference_binary(arguments, [](double dy, double y) { return y > 0 ? dy : 0; });
        },
};

const Op kSigmoid{
    .name = "sigmoid",
    .formula = "y = 1 / (1 + exp(-x))",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_unary("sigmoid", inputs, Accepts::floats); },
    .cost = [](const Call& call) { return elementwise_cost(call, 4); },
    .reference =
        [](KernelArguments& arguments) {
          reference_unary(arguments, [](double x) { return 1 / (1 + std::exp(-x)); });
        },
    .gradient = gradient_sigmoid,
};

const Op kSigmoidGrad{
    .name = "sigmoid_grad",
    .formula = "dx = dy * y * (1 - y)",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_from_output("sigmoid_grad", inputs, /*floats=*/true); },
    .cost = [](const Call& call) { return elementwise_cost(call, 3); },
    .reference =
        [](KernelArguments& arguments) {
          reference_binary(arguments, [](double dy, double y) { return dy * y * (1 - y); });
        },
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
