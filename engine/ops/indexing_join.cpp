// SPDX-License-Identifier: Apache-2.0
// Joining tensors along an axis, and paddings.
#include <algorithm>
#include <limits>

#include "engine/base/wide.h"
#include "engine/ops/attribute_lists.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

// ---- concat
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_concat(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("concat", inputs, {});
  int64_t axis = attributes.get_int("axis", 0);
  if (!check.that(!inputs.empty(), "takes 1 or more operands, got 0") ||
      !check_equal_dtypes(check, inputs, "operand") || !check.axis(axis, inputs[0].rank())) {
    return check.error();
  }
  Shape shape = inputs[0].shape;
  Wide extent = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Shape expected = inputs[0].shape;
    if (inputs[i].rank() == inputs[0].rank())
      expected[static_cast<size_t>(axis)] = inputs[i].shape[static_cast<size_t>(axis)];
    if (!check.that(inputs[i].shape == expected,
                    "operand {} is {}, operand 0 is {}: they may differ along axis {} alone", i,
                    to_string(inputs[i].shape), to_string(inputs[0].shape), axis)) {
      return check.error();
    }
    extent += inputs[i].shape[static_cast<size_t>(axis)];
  }
  if (!check.that(extent <= std::numeric_limits<int64_t>::max(), "axis {} would be longer than 63 bits", axis)) {
    return check.error();
  }
  shape[static_cast<size_t>(axis)] = static_cast<int64_t>(extent);
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{dense_like(inputs[0], shape)};
}

void reference_concat(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const int64_t axis = arguments.attributes->get_int("axis", 0);
  int64_t start = 0;
  for (const Tensor& x : arguments.inputs) {
    const int64_t extent = split_at(x.shape(), axis).extent;
    if (x.type().elements() > 0) {
      const Result<Tensor> part = y.slice(axis, start, start + extent);
      CHECK(part.ok());
      copy_bits(x, *part);
    }
    start += extent;
  }
}

/// Each operand's gradient is its part of dy: a view.
void gradient_concat(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const int64_t axis = context.attributes().get_int("axis", 0);
  int64_t start = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const int64_t extent = split_at(builder.type(context.input(i)).shape, axis).extent;
    if (context.needed(i)) {
      context.set_input_gradient(i, slice(builder, context.output_gradient(0), axis, start, start + extent));
    }
    start += extent;
  }
}

// ---- pad
// --------------------------------------------------------------------------------------------------------------------

/// Checks paddings of x and gives the shape of y.
bool padded_shape(OperandCheck& check, const Shape& x, const Attributes& attributes, Shape& y) {
  const std::vector<int64_t> before = attributes.get_ints("before", {}), after = attributes.get_ints("after", {});
  const std::string mode = attributes.get_string("mode", "constant");
  if (!check.that(before.size() == x.size() && after.size() == x.size(),
                  "needs as many paddings before and after as x has axes ({}), got {} and {}", x.size(), before.size(),
                  after.size()) ||
      !check.that(parse_pad_mode(mode).has_value(), "mode is \"{}\", expected constant, reflect, edge or wrap", mode)) {
    return false;
  }
  y = x;
  for (size_t i = 0; i < x.size(); ++i) {
    const Wide extent = Wide{x[i]} + before[i] + after[i];
    constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();  // has no negative: the gradient needs it
    if (!check.that(
            extent >= 0 && extent <= std::numeric_limits<int64_t>::max() && before[i] > kLowest && after[i] > kLowest,
            "axis {} has {} elements: {} before and {} after leave no valid extent", i, x[i], before[i], after[i]) ||
        !check.that(x[i] > 0 || extent == 0 || mode == "constant", "axis {} has no elements for mode {} to take", i,
                    mode)) {
      return false;
    }
    y[i] = static_cast<int64_t>(extent);
  }
  return true;
}

InferResult infer_pad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("pad", inputs, {"x"});
  Shape shape;
  if (!check.operand_count() || !padded_shape(check, inputs[0].shape, attributes, shape) ||
      !check.addressable("the result", inputs[0].dtype, shape)) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], shape)};
}

InferResult infer_pad_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("pad_grad", inputs, {"dy"});
  if (!check.operand_count() || !check.numeric(0)) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  Shape padded;
  if (!check_result_type(check, result) || !padded_shape(check, result.shape, attributes, padded) ||
      !check.shape(0, padded, "the padded shape")) {
    return check.error();
  }
  return std::vector{result};
}

/// For each element of y the position in x it is copied from.
std::vector<int64_t> pad_sources(const Shape& x, const Shape& y, const Attributes& attributes) {
  const std::vector<int64_t> before = attributes.get_ints("before", {});
  const PadMode mode = *parse_pad_mode(attributes.get_string("mode", "constant"));
  const Strides strides = contiguous_strides(x);
  std::vector<int64_t> sources;
  for_each_index(y, [&](int64_t, const std::vector<int64_t>& index) {
    int64_t source = 0;
    for (size_t axis = 0; axis < index.size() && source != kNoElement; ++axis) {
      const int64_t at = pad_source(mode, index[axis] - before[axis], x[axis]);
      source = at == kNoElement ? kNoElement : source + at * strides[axis];
    }
    sources.push_back(source);
  });
  return sources;
}

void reference_pad(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  move_elements(x, pad_sources(x.shape(), y.shape(), *arguments.attributes),
                arguments.attributes->get_double("value", 0), y);
}

void reference_pad_grad(KernelArguments& arguments) {
  const Tensor &dy = arguments.inputs[0], &dx = arguments.outputs[0];
  const std::vector<int64_t> sources = pad_sources(dx.shape(), dy.shape(), *arguments.attributes);
  const std::vector<double> values = load(dy);
  std::vector<double> sums(static_cast<size_t>(dx.type().elements()), 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    if (sources[i] != kNoElement) sums[static_cast<size_t>(sources[i])] += values[i];
  }
  store(dx, sums);
}

/// What is cropped is not read: per axis at most the part of x that y covers.
Cost cost_pad(const Call& call) {
  Cost cost = full_cost(call, 0);
  const TensorType& x = call.inputs[0];
  const std::vector<int64_t> before = call.attributes.get_ints("before", {}),
                             after = call.attributes.get_ints("after", {});
  double kept = 1;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const Wide low = std::max<Wide>(0, -Wide{before[i]}),
               high = std::min<Wide>(x.shape[i], Wide{x.shape[i]} + after[i]);
    kept *= static_cast<double>(std::max<Wide>(0, high - low));
  }
  const bool constant = call.attributes.get_string("mode", "constant") == "constant";
  if (constant) cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(x, kept));
  return cost;
}

/// An addition for each element of dy beyond those of dx.
Cost cost_pad_grad(const Call& call) {
  const double more = static_cast<double>(call.inputs[0].elements()) - static_cast<double>(call.outputs[0].elements());
  return full_cost(call, std::max(more, 0.0));
}

/// Constant paddings take nothing from x: the gradient crops what pad added and adds zeros for what it cropped.
/// What is put around x does not move.
void tangent_pad(TangentContext& context) {
  Attributes attributes = context.attributes();
  attributes.set("value", 0.0);
  context.set_output_tangent(0, context.builder().append1(kPad, {context.input_tangent(0)}, std::move(attributes)));
}

void gradient_pad(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  Attributes attributes = context.attributes();
  if (attributes.get_string("mode", "constant") == "constant") {
    std::vector<int64_t> before = attributes.get_ints("before", {}), after = attributes.get_ints("after", {});
    for (int64_t& count : before) count = -count;
    for (int64_t& count : after) count = -count;
    context.set_input_gradient(0, pad(builder, context.output_gradient(0), std::move(before), std::move(after)));
    return;
  }
  set_result_type(attributes, "input", builder.type(context.input(0)));
  context.set_input_gradient(0, builder.append1(kPadGrad, {context.output_gradient(0)}, std::move(attributes)));
}

}  // namespace

const Op kConcat{
    .name = "concat",
    .formula = "y = x_0, x_1, ... one behind the other along axis",
    .infer = infer_concat,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_concat,
    .gradient = gradient_concat,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("axis", 0)},
};

const Op kPad{
    .name = "pad",
    .formula = "y[i] = x[i - before], beyond the edge a constant, x reflected, its edge or x again",
    .infer = infer_pad,
    .cost = cost_pad,
    .reference = reference_pad,
    .gradient = gradient_pad,
    .tangent = tangent_pad,
    .attributes = {AttributeSpec::list("before", {}), AttributeSpec::list("after", {}),
                   AttributeSpec::word("mode", "constant"), AttributeSpec::real("value", 0)},
};

const Op kPadGrad{
    .name = "pad_grad",
    .formula = "dx[j] = sum of dy[i] over all i that pad copied from j",
    .infer = infer_pad_grad,
    .cost = cost_pad_grad,
    .reference = reference_pad_grad,
    .tangent = tangent_linear,
    .attributes = joined_attributes(kPad.attributes, input_type_attributes()),
};

ValueId concat(GraphBuilder& builder, std::vector<ValueId> values, int64_t axis) {
  return builder.append1(kConcat, std::move(values), {{"axis", axis}});
}

ValueId pad(GraphBuilder& builder, ValueId x, std::vector<int64_t> before, std::vector<int64_t> after,
            const PadOptions& options) {
  return builder.append1(
      kPad, {x},
      {{"before", std::move(before)}, {"after", std::move(after)}, {"mode", options.mode}, {"value", options.value}});
}

}  // namespace engine::ops
