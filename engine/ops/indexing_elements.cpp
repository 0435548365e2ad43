// SPDX-License-Identifier: Apache-2.0
// Picking and placing single elements along an axis: gather_elements and scatter_elements.
#include <algorithm>

#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/indexing_scatter.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

/// x and indices have equal ranks, and indices are nowhere longer than x but along `axis`, which is counted from the
/// front after.
bool check_elements(OperandCheck& check, std::span<const TensorType> inputs, int64_t& axis) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  if (!check_indices(check, inputs[1], "indices") || !check.axis(axis, inputs[0].rank()) ||
      !check.that(x.size() == indices.size(), "ranks differ: x is {}, indices are {}", to_string(x),
                  to_string(indices))) {
    return false;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (!check.that(static_cast<int64_t>(i) == axis || indices[i] <= x[i], "indices {} are longer than x {} on axis {}",
                    to_string(indices), to_string(x), i)) {
      return false;
    }
  }
  return true;
}

/// Positions in x that the indices name, one per index.
std::vector<int64_t> element_positions(const Tensor& indices, const Shape& x, int64_t axis) {
  if (axis < 0) axis += static_cast<int64_t>(x.size());
  const auto along = static_cast<size_t>(axis);
  const Strides strides = contiguous_strides(x);
  std::vector<int64_t> positions = load_indices(indices, x[along]);
  for_each_index(indices.shape(), [&](int64_t i, const std::vector<int64_t>& index) {
    int64_t& position = positions[static_cast<size_t>(i)];
    if (position == kNoElement) return;
    position *= strides[along];
    for (size_t k = 0; k < index.size(); ++k) position += k == along ? 0 : index[k] * strides[k];
  });
  return positions;
}

// ---- gather_elements
// --------------------------------------------------------------------------------------------------------

InferResult infer_gather_elements(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("gather_elements", inputs, {"x", "indices"});
  int64_t axis = attributes.get_int("axis", 0);
  if (!check.operand_count() || !check_elements(check, inputs, axis) ||
      !check.addressable("the result", inputs[0].dtype, inputs[1].shape)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, inputs[1].shape)};
}

Cost cost_gather_elements(const Call& call) {
  Cost cost = full_cost(call, 0);
  cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(call.inputs[0], elements(call.outputs[0])));
  return cost;
}

void reference_gather_elements(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const int64_t axis = arguments.attributes->get_int("axis", 0);
  move_elements(x, element_positions(arguments.inputs[1], x.shape(), axis), outside_value(x.dtype()),
                arguments.outputs[0]);
}

void gradient_gather_elements(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const TensorType x = builder.type(context.input(0));
  const ValueId dx = scatter_elements(builder, zeros(builder, x.dtype, x.shape), context.input(1),
                                      context.output_gradient(0), context.attributes().get_int("axis", 0), "add");
  context.set_input_gradient(0, match_layout(builder, dx, x));
}

// ---- scatter_elements
// -------------------------------------------------------------------------------------------------------

InferResult infer_scatter_elements(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("scatter_elements", inputs, {"x", "indices", "updates"});
  int64_t axis = attributes.get_int("axis", 0);
  if (!check.operand_count() || !check_scatter(check, inputs, attributes) || !check_elements(check, inputs, axis) ||
      !check.shape(2, inputs[1].shape, "the shape of the indices")) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], inputs[0].shape)};
}

void reference_scatter_elements(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const int64_t axis = arguments.attributes->get_int("axis", 0);
  scatter_in_order(arguments, element_positions(arguments.inputs[1], x.shape(), axis));
}

void tangent_scatter_elements(TangentContext& context) {
  const std::string reduction = context.attributes().get_string("reduction", "none");
  if (check_differentiable(context.builder(), "scatter_elements", reduction)) tangent_linear(context);
}

void gradient_scatter_elements(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const int64_t axis = context.attributes().get_int("axis", 0);
  const ValueId dy = context.output_gradient(0), indices = context.input(1);
  const std::string reduction = context.attributes().get_string("reduction", "none");
  if (!check_differentiable(builder, "scatter_elements", reduction)) return;
  if (context.needed(0)) {
    const TensorType updates = builder.type(context.input(2));
    context.set_input_gradient(
        0, reduction == "add"
               ? dy
               : scatter_elements(builder, dy, indices, zeros(builder, updates.dtype, updates.shape), axis));
  }
  if (context.needed(2)) context.set_input_gradient(2, gather_elements(builder, dy, indices, axis));
}

}  // namespace

const Op kGatherElements{
    .name = "gather_elements",
    .formula = "y[i,j,k] = x[i,indices[i,j,k],k] for axis 1",
    .infer = infer_gather_elements,
    .cost = cost_gather_elements,
    .reference = reference_gather_elements,
    .gradient = gradient_gather_elements,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("axis", 0)},
};

const Op kScatterElements{
    .name = "scatter_elements",
    .formula = "y = x, with updates[i,j,k] at [i,indices[i,j,k],k] for axis 1",
    .infer = infer_scatter_elements,
    .cost = cost_scatter,
    .reference = reference_scatter_elements,
    .gradient = gradient_scatter_elements,
    .tangent = tangent_scatter_elements,
    .attributes = {AttributeSpec::whole("axis", 0), AttributeSpec::word("reduction", "none")},
};

ValueId gather_elements(GraphBuilder& builder, ValueId x, ValueId indices, int64_t axis) {
  return builder.append1(kGatherElements, {x, indices}, {{"axis", axis}});
}

ValueId scatter_elements(GraphBuilder& builder, ValueId x, ValueId indices, ValueId updates, int64_t axis,
                         const std::string& reduction) {
  return builder.append1(kScatterElements, {x, indices, updates}, {{"axis", axis}, {"reduction", reduction}});
}

}  // namespace engine::ops
