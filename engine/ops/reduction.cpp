// SPDX-License-Identifier: Apache-2.0
// Sums over axes.
#include <algorithm>
#include <numeric>

#include "engine/graph/autograd.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduced_axes.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

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
  const double additions =
      static_cast<double>(call.inputs[0].elements()) - static_cast<double>(call.outputs[0].elements());
  return full_cost(call, std::max(additions, 0.0));
}

template <class Sum, class Element>
std::vector<Element> sums(const std::vector<Element>& elements, size_t count, size_t length) {
  std::vector<Element> result(count);
  for (size_t i = 0; i < count; ++i) {
    Sum sum = 0;
    for (size_t k = 0; k < length; ++k) sum += static_cast<Sum>(elements[i * length + k]);
    result[i] = static_cast<Element>(sum);
  }
  return result;
}

/// Integers wrap around.
void reference_sum(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Groups groups = in_groups(x, reduced_axes(x.shape(), *arguments.attributes));
  const auto count = static_cast<size_t>(y.type().elements()), length = static_cast<size_t>(groups.length);
  if (is_floating(x.dtype())) return store(y, sums<double>(load(groups.tensor), count, length));
  store_whole(y, sums<uint64_t>(load_whole(groups.tensor), count, length));
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
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::list("axes", {}), AttributeSpec::whole("keep_axes", 0)},
    .fusion = FusionPart::reduction,
};

ValueId sum(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return builder.append1(kSum, {x}, {{"axes", std::move(axes)}, {"keep_axes", int64_t{keep_axes}}});
}

}  // namespace engine::ops
