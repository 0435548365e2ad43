// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest elements along an axis.

#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

InferResult infer_top_k(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("top_k", inputs, {"x"});
  int64_t axis = attributes.get_int("axis", -1);
  const int64_t k = attributes.get_int("k", 1);
  if (!check.operand_count() || !check.numeric(0) || !check.axis(axis, inputs[0].rank())) return check.error();
  Shape shape = inputs[0].shape;
  int64_t& extent = shape[static_cast<size_t>(axis)];
  if (!check.that(k >= 0 && k <= extent, "k is {}, expected 0 to the {} elements of axis {} of x ({})", k, extent, axis,
                  to_string(inputs[0].shape))) {
    return check.error();
  }
  extent = k;
  if (!check.addressable("the result", inputs[0].dtype, shape) ||
      !check.addressable("the indices", DType::int64, shape)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape), TensorType::contiguous(DType::int64, shape)};
}

/// One comparison per element: the least any method needs.
Cost cost_top_k(const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); }

template <class T>
void select_lines(const Tensor& x, const std::vector<T>& values, const Attributes& attributes, const Tensor& y,
                  const Tensor& indices) {
  if (y.type().elements() == 0) return;  // the other extents may be of any length
  const AxisSplit split = split_at(x.shape(), attributes.get_int("axis", -1));
  const int64_t k = attributes.get_int("k", 1);
  const bool largest = attributes.get_int("largest", 1) != 0, sorted = attributes.get_int("sorted", 1) != 0;
  std::vector<int64_t> sources(static_cast<size_t>(y.type().elements())), chosen(sources.size());
  std::vector<int64_t> order(static_cast<size_t>(split.extent));
  for (int64_t line = 0; line < split.outer * split.inner && k > 0; ++line) {
    const int64_t o = line / split.inner, inner = line % split.inner, first = o * split.extent * split.inner + inner;
    select_top_k(k, largest, sorted, order,
                 [&](int64_t i) { return values[static_cast<size_t>(first + i * split.inner)]; });
    for (int64_t i = 0; i < k; ++i) {
      const auto at = static_cast<size_t>((o * k + i) * split.inner + inner);
      chosen[at] = order[static_cast<size_t>(i)];
      sources[at] = first + chosen[at] * split.inner;
    }
  }
  move_elements(x, sources, 0, y);
  store_integers(indices, chosen);
}

void reference_top_k(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  if (is_floating(x.dtype())) {
    select_lines(x, load(x), *arguments.attributes, arguments.outputs[0], arguments.outputs[1]);
  } else {
    select_lines(x, load_integers(x), *arguments.attributes, arguments.outputs[0], arguments.outputs[1]);
  }
}

/// Each gradient goes back to where its value came from.
void tangent_top_k(TangentContext& context) {
  context.set_output_tangent(0, gather_elements(context.builder(), context.input_tangent(0), context.output(1),
                                                context.attributes().get_int("axis", -1)));
}

void gradient_top_k(GradientContext& context) {
  if (!context.needed(0) || context.output_gradient(0) == kNoValue) return;
  GraphBuilder& builder = context.builder();
  const TensorType x = builder.type(context.input(0));
  const ValueId dx = scatter_elements(builder, zeros(builder, x.dtype, x.shape), context.output(1),
                                      context.output_gradient(0), context.attributes().get_int("axis", -1));
  context.set_input_gradient(0, match_layout(builder, dx, x));
}

}  // namespace

const Op kTopK{
    .name = "top_k",
    .formula = "values, indices = the k largest (or smallest) of x along axis; of equal ones the first",
    .infer = infer_top_k,
    .cost = cost_top_k,
    .reference = reference_top_k,
    .gradient = gradient_top_k,
    .tangent = tangent_top_k,
    .attributes = {AttributeSpec::whole("k", 1), AttributeSpec::whole("axis", -1), AttributeSpec::whole("largest", 1),
                   AttributeSpec::whole("sorted", 1)},
};

TopK top_k(GraphBuilder& builder, ValueId x, int64_t k, const TopKOptions& options) {
  const std::vector<ValueId> made = builder.append(
      kTopK, {x},
      {{"k", k}, {"axis", options.axis}, {"largest", int64_t{options.largest}}, {"sorted", int64_t{options.sorted}}});
  return {made[0], made[1]};
}

}  // namespace engine::ops
