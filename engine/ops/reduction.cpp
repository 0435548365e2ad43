// SPDX-License-Identifier: Apache-2.0
// Sums over axes.
#include <algorithm>
#include <numeric>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/op_list.h"
#include "engine/graph/autograd.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// Which axes of x are summed over (all when "axes" is empty); refuses axes outside of the rank or named twice.
bool reduced_axes(OperandCheck& check, const Shape& x, const Attributes& attributes, std::vector<bool>& reduced) {
  const std::vector<int64_t> axes = attributes.get_ints("axes", {});
  reduced.assign(x.size(), axes.empty());
  for (int64_t axis : axes) {
    if (!check.axis(axis, static_cast<int64_t>(x.size()))) return false;
    if (!check.that(!reduced[static_cast<size_t>(axis)], "axis {} is named twice", axis)) return false;
    reduced[static_cast<size_t>(axis)] = true;
  }
  return true;
}

std::vector<bool> reduced_axes(const Shape& x, const Attributes& attributes) {
  OperandCheck check("sum", {}, {});
  std::vector<bool> reduced;
  CHECK(reduced_axes(check, x, attributes, reduced));
  return reduced;
}

Shape kept_shape(const Shape& x, const std::vector<bool>& reduced, bool keep_axes) {
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) shape.push_back(x[i]);
    if (reduced[i] && keep_axes) shape.push_back(1);
  }
  return shape;
}

InferResult infer_sum(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("sum", inputs, {"x"});
  std::vector<bool> reduced;
  if (!check.operand_count() || !check.numeric(0) || !reduced_axes(check, inputs[0].shape, attributes, reduced)) {
    return check.error();
  }
  const Shape shape = kept_shape(inputs[0].shape, reduced, attributes.get_int("keep_axes", 0) != 0);
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

Cost cost_sum(const Call& call) {
  const double additions = static_cast<double>(call.inputs[0].elements()) - static_cast<double>(call.outputs[0].elements());
  return full_cost(call, std::max(additions, 0.0));
}

void reference_sum(KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[0].shape();
  const std::vector<bool> reduced = reduced_axes(shape, *arguments.attributes);
  // Walking x in row-major order, y's position moves by these steps; reduced axes do not move it.
  Strides steps = contiguous_strides(kept_shape(shape, reduced, /*keep_axes=*/true));
  for (size_t axis = 0; axis < steps.size(); ++axis) steps[axis] = reduced[axis] ? 0 : steps[axis];

  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  std::vector<int64_t> index(shape.size(), 0);
  int64_t position = 0;
  for (const double value : x) {
    y[static_cast<size_t>(position)] += value;
    for (size_t axis = shape.size(); axis-- > 0;) {
      position += steps[axis];
      if (++index[axis] < shape[axis]) break;
      position -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  store(arguments.outputs[0], y);
}

/// dy repeated over the summed axes: a view.
void gradient_sum(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const Shape x = builder.type(context.input(0)).shape;
  const Shape kept = kept_shape(x, reduced_axes(x, context.attributes()), /*keep_axes=*/true);
  context.set_input_gradient(0, expand(builder, reshape(builder, context.output_gradient(0), kept), x));
}

}  // namespace

const Op kSum{
    .name = "sum",
    .formula = "y = sum of x over axes",
    .infer = infer_sum,
    .cost = cost_sum,
    .reference = reference_sum,
    .gradient = gradient_sum,
};

ValueId sum(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return builder.append1(kSum, {x}, {{"axes", std::move(axes)}, {"keep_axes", int64_t{keep_axes}}});
}

}  // namespace engine::ops
