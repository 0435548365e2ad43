// SPDX-License-Identifier: Apache-2.0
// Ready-made tangent rules.
#include "engine/ops/tangents.h"

#include <fmt/format.h>

#include "engine/graph/autograd.h"
#include "engine/ops/casting.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// One element, seen in every element of `type`.
ValueId filled_like(GraphBuilder& builder, TensorType type, double value, const char* name) {
  if (builder.failed()) return kNoValue;
  const Result<Tensor> number = Tensor::from_values({}, {&value, 1}, type.dtype);
  if (!number) return builder.fail(number.error());
  const ValueId constant = builder.constant(name, *number, Role::gradient);
  return type.rank() == 0 ? constant : expand(builder, constant, type.shape);
}

/// What the op's gradient function makes of `dy` for input i alone; kNoValue when it does not reach that input.
ValueId gradient_by(TangentContext& context, const Node& node, size_t i, ValueId dy) {
  GraphBuilder& builder = context.builder();
  CHECK(node.op->gradient != nullptr);
  std::vector<ValueId> output_gradients(node.outputs.size(), kNoValue);
  output_gradients[0] = dy;
  std::vector<bool> needed(node.inputs.size(), false);
  needed[i] = true;
  GradientContext gradient(builder, node, std::move(output_gradients), std::move(needed));
  node.op->gradient(gradient);
  return builder.failed() ? kNoValue : gradient.input_gradients()[i];
}

/// The node with every operand broadcast to the shape of its output (views).
Node broadcast_operands(GraphBuilder& builder, Node node, const Shape& shape) {
  for (ValueId& input : node.inputs) {
    if (!builder.failed() && builder.type(input).shape != shape) input = expand(builder, input, shape);
  }
  return node;
}

/// Sums x to the shape of y as the op does: over everything, or over its attribute "axes".
ValueId reduce_like(TangentContext& context, ValueId x, const TensorType& y) {
  GraphBuilder& builder = context.builder();
  if (builder.failed()) return kNoValue;
  std::vector<int64_t> axes;
  if (y.rank() != 0) axes = context.attributes().get_ints("axes", {});
  if (y.rank() != 0 && axes.empty() && context.attributes().has("axis"))
    axes = {context.attributes().get_int("axis", -1)};
  return reshape(builder, sum(builder, cast(builder, x, y.dtype), axes, /*keep_axes=*/true), y.shape);
}

}  // namespace

ValueId zeros_like(GraphBuilder& builder, TensorType type) { return filled_like(builder, std::move(type), 0, "zero"); }
ValueId ones_like(GraphBuilder& builder, TensorType type) { return filled_like(builder, std::move(type), 1, "one"); }

ValueId add_tangents(GraphBuilder& builder, ValueId a, ValueId b) {
  if (a == kNoValue || b == kNoValue) return a == kNoValue ? b : a;
  return add(builder, a, b);
}

void tangent_linear(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  std::vector<ValueId> operands;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const TensorType type = builder.type(context.input(i));
    ValueId operand = context.input_tangent(i);
    if (operand == kNoValue) operand = is_floating(type.dtype) ? zeros_like(builder, type) : context.input(i);
    if (builder.failed()) return;
    operands.push_back(operand);
  }
  context.set_output_tangent(0, builder.append(*context.node().op, std::move(operands), context.attributes())[0]);
}

void tangent_sum(TangentContext& context) {
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (context.input_tangent(i) == kNoValue) return tangent_symmetric(context);
  }
  tangent_linear(context);
}

void tangent_reshape(TangentContext& context) {
  const Shape shape = context.builder().type(context.output(0)).shape;
  context.set_output_tangent(0, reshape(context.builder(), context.input_tangent(0), shape));
}

void tangent_multilinear(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  ValueId total = kNoValue;
  for (size_t i = 0; i < context.input_count() && !builder.failed(); ++i) {
    if (context.input_tangent(i) == kNoValue) continue;
    std::vector<ValueId> operands = context.node().inputs;
    operands[i] = context.input_tangent(i);
    total =
        add_tangents(builder, total, builder.append(*context.node().op, std::move(operands), context.attributes())[0]);
  }
  context.set_output_tangent(0, total);
}

void tangent_product_with_bias(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const Node& node = context.node();
  const ValueId dx = context.input_tangent(0), dw = context.input_tangent(1);
  const ValueId db = context.input_count() > 2 ? context.input_tangent(2) : kNoValue;
  ValueId total = kNoValue;
  if (dx != kNoValue) total = builder.append1(*node.op, {dx, context.input(1)}, node.attributes);
  if (dw != kNoValue) {
    total = add_tangents(builder, total, builder.append1(*node.op, {context.input(0), dw}, node.attributes));
  }
  if (db != kNoValue && !builder.failed()) {
    const Shape y = builder.type(context.output(0)).shape;
    Shape along_channels(y.size(), 1);
    along_channels[1] = y[1];
    const ValueId bias = expand(builder, reshape(builder, db, along_channels), y);
    total = add_tangents(builder, total, bias);
  }
  context.set_output_tangent(0, total);
}

void tangent_symmetric(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const Shape shape = builder.type(context.output(0)).shape;
  const Node node = broadcast_operands(builder, context.node(), shape);
  ValueId total = kNoValue;
  for (size_t i = 0; i < context.input_count() && !builder.failed(); ++i) {
    ValueId tangent = context.input_tangent(i);
    if (tangent == kNoValue) continue;
    if (builder.type(tangent).shape != shape) tangent = expand(builder, tangent, shape);
    total = add_tangents(builder, total, gradient_by(context, node, i, tangent));
  }
  context.set_output_tangent(0, total);
}

void tangent_reduction(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const TensorType y = builder.type(context.output(0));
  ValueId total = kNoValue;
  for (size_t i = 0; i < context.input_count() && !builder.failed(); ++i) {
    if (context.input_tangent(i) == kNoValue) continue;
    const ValueId slope = gradient_by(context, context.node(), i, ones_like(builder, y));
    if (builder.failed() || slope == kNoValue) continue;
    total = add_tangents(builder, total, reduce_like(context, multiply(builder, slope, context.input_tangent(i)), y));
  }
  context.set_output_tangent(0, total);
}

}  // namespace engine::ops
