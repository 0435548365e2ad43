// SPDX-License-Identifier: Apache-2.0
// What is computed along one axis: where the greatest is, running sums, log_softmax, hardmax.
#include <algorithm>
#include <cmath>

#include "engine/ops/cost.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reduced_axes.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// The axis, counted from the front, of a call that has passed.
size_t axis_of(const Attributes& attributes, int64_t rank) {
  const int64_t axis = attributes.get_int("axis", -1);
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<bool> only(const Attributes& attributes, int64_t rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  reduced[axis_of(attributes, rank)] = true;
  return reduced;
}

/// Operands of one dtype and shape; the result lies as the last.
InferResult infer_along(std::string_view op, std::span<const TensorType> inputs,
                        std::initializer_list<std::string_view> names, const Attributes& attributes, Accepts accepted) {
  OperandCheck check(op, inputs, names);
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.operand_count() || !check.same_dtype() || !accepts(check, 0, inputs[0].dtype, accepted) ||
      !check.shape(0, inputs.back().shape, "the shape of the last operand") || !check.axis(axis, inputs[0].rank()) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{elementwise_type(inputs[0].dtype, inputs.last(1), inputs[0].shape)};
}

/// Calls change(line) for the elements along the axis, loaded by `load`, and stores them by `store`.
template <class Element, class Change>
void change_lines(const Tensor& x, const Tensor& y, const Attributes& attributes,
                  std::vector<Element> (*load)(const Tensor&), void (*store)(const Tensor&, std::span<const Element>),
                  Change change) {
  const std::vector<bool> reduced = only(attributes, x.type().rank());
  const Groups from = in_groups(x, reduced), to = in_groups(y, reduced);
  std::vector<Element> elements = load(from.tensor);
  const auto length = static_cast<size_t>(from.length);
  for (size_t first = 0; first < elements.size(); first += length)
    change(std::span<Element>(elements).subspan(first, length));
  store(to.tensor, elements);
}

// ---- argmax, argmin
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_arg(std::string_view op, std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check(op, inputs, {"x"});
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.operand_count() || !check.axis(axis, inputs[0].rank()) ||
      !check.that(inputs[0].shape[static_cast<size_t>(axis)] > 0, "axis {} of {} has no elements to choose from", axis,
                  to_string(inputs[0].shape))) {
    return check.error();
  }
  const Shape shape =
      kept_shape(inputs[0].shape, only(attributes, inputs[0].rank()), attributes.get_int("keep_axis", 0) != 0);
  if (!check.addressable("the result", DType::int64, shape)) return check.error();
  return std::vector{TensorType::contiguous(DType::int64, shape)};
}

/// The position of the element that `beats` all others.
template <class Element, class Beats>
void choose(const Groups& groups, const std::vector<Element>& elements, const Attributes& attributes, const Tensor& y,
            Beats beats) {
  const bool last = attributes.get_int("select_last_index", 0) != 0;
  const auto length = static_cast<size_t>(groups.length);
  std::vector<int64_t> chosen(static_cast<size_t>(y.type().elements()));
  for (size_t group = 0; group < chosen.size(); ++group) {
    const Element* x = elements.data() + group * length;
    size_t best = 0;
    for (size_t i = 1; i < length; ++i) {
      if (beats(x[i], x[best]) || (last && !beats(x[best], x[i]))) best = i;
    }
    chosen[group] = static_cast<int64_t>(best);
  }
  store_whole(y, chosen);
}

template <bool kGreatest>
void reference_arg(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Groups groups = in_groups(x, only(*arguments.attributes, x.type().rank()));
  if (!is_floating(x.dtype())) {
    return choose(groups, load_whole(groups.tensor), *arguments.attributes, y,
                  [](int64_t a, int64_t b) { return kGreatest ? a > b : a < b; });
  }
  choose(groups, load(groups.tensor), *arguments.attributes, y,
         [](double a, double b) { return (kGreatest ? a > b : a < b) || (std::isnan(a) && !std::isnan(b)); });
}

// ---- cumulative_sum
// -----------------------------------------------------------------------------------------------------------------

/// Running sums; `Sum` is the type they are formed in.
template <class Sum, class Element>
void run_sums(std::span<Element> line, bool exclusive, bool reverse) {
  Sum sum = 0;
  for (size_t k = 0; k < line.size(); ++k) {
    Element& element = line[reverse ? line.size() - 1 - k : k];
    const Sum before = sum;
    sum += static_cast<Sum>(element);
    element = static_cast<Element>(exclusive ? before : sum);
  }
}

void reference_cumulative_sum(KernelArguments& arguments) {
  const Attributes& attributes = *arguments.attributes;
  const bool exclusive = attributes.get_int("exclusive", 0) != 0, reverse = attributes.get_int("reverse", 0) != 0;
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  if (is_floating(x.dtype())) {
    change_lines<double>(x, y, attributes, load, store,
                         [&](std::span<double> line) { run_sums<double>(line, exclusive, reverse); });
  } else {
    change_lines<int64_t>(x, y, attributes, load_whole, store_whole,
                          [&](std::span<int64_t> line) { run_sums<uint64_t>(line, exclusive, reverse); });
  }
}

void gradient_cumulative_sum(GradientContext& context) {
  Attributes attributes = context.attributes();
  attributes.set("reverse", int64_t{attributes.get_int("reverse", 0) == 0});
  give(context, 0, [&](ValueId dy) { return context.builder().append1(kCumulativeSum, {dy}, attributes); });
}

// ---- log_softmax, hardmax
// -------------------------------------------------------------------------------------------------------------

void reference_log_softmax(KernelArguments& arguments) {
  change_lines<double>(arguments.inputs[0], arguments.outputs[0], *arguments.attributes, load, store,
                       [](std::span<double> x) {
                         const double most = *std::ranges::max_element(x);
                         double sum = 0;
                         for (const double value : x) sum += std::exp(value - most);
                         const double shift = std::log(sum);
                         for (double& value : x) value = value - most - shift;
                       });
}

void reference_log_softmax_grad(KernelArguments& arguments) {
  const std::vector<bool> reduced = only(*arguments.attributes, arguments.inputs[0].type().rank());
  const std::vector<double> y = load(in_groups(arguments.inputs[1], reduced).tensor);
  size_t first = 0;
  change_lines<double>(arguments.inputs[0], arguments.outputs[0], *arguments.attributes, load, store,
                       [&](std::span<double> dy) {
                         double sum = 0;
                         for (const double value : dy) sum += value;
                         for (size_t i = 0; i < dy.size(); ++i) dy[i] -= std::exp(y[first + i]) * sum;
                         first += dy.size();
                       });
}

/// dy = dx - sum of softmax(x) dx along the axis.
void tangent_log_softmax(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const int64_t axis = context.attributes().get_int("axis", -1);
  const ValueId dx = context.input_tangent(0);
  const ValueId shares = softmax(builder, context.input(0), axis);
  context.set_output_tangent(
      0, subtract(builder, dx, sum(builder, multiply(builder, shares, dx), {axis}, /*keep_axes=*/true)));
}

void gradient_log_softmax(GradientContext& context) {
  give(context, 0, [&](ValueId dy) {
    return context.builder().append1(kLogSoftmaxGrad, {dy, context.output(0)},
                                     {{"axis", context.attributes().get_int("axis", -1)}});
  });
}

void reference_hardmax(KernelArguments& arguments) {
  change_lines<double>(
      arguments.inputs[0], arguments.outputs[0], *arguments.attributes, load, store, [](std::span<double> x) {
        const auto less = [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); };  // as argmax
        const auto most = std::ranges::max_element(x, less) - x.begin();
        std::ranges::fill(x, 0.0);
        x[static_cast<size_t>(most)] = 1;
      });
}

}  // namespace

const Op kArgmax{
    .name = "argmax",
    .formula = "y = position of the greatest element along an axis",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& attributes) { return infer_arg("argmax", inputs, attributes); },
    .cost = [](const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); },
    .reference = reference_arg<true>,
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::whole("keep_axis", 0),
                   AttributeSpec::whole("select_last_index", 0)},
    .fusion = FusionPart::reduction,
};

const Op kArgmin{
    .name = "argmin",
    .formula = "y = position of the least element along an axis",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& attributes) { return infer_arg("argmin", inputs, attributes); },
    .cost = [](const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); },
    .reference = reference_arg<false>,
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::whole("keep_axis", 0),
                   AttributeSpec::whole("select_last_index", 0)},
    .fusion = FusionPart::reduction,
};

const Op kCumulativeSum{
    .name = "cumulative_sum",
    .formula = "y[i] = x[0] + ... + x[i] along an axis",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& a) { return infer_along("cumulative_sum", inputs, {"x"}, a, Accepts::numbers); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = reference_cumulative_sum,
    .gradient = gradient_cumulative_sum,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("axis", -1), AttributeSpec::whole("exclusive", 0),
                   AttributeSpec::whole("reverse", 0)},
    .fusion = FusionPart::reduction,
};

const Op kLogSoftmax{
    .name = "log_softmax",
    .formula = "y = x - log(sum of exp(x)) along an axis",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& a) { return infer_along("log_softmax", inputs, {"x"}, a, Accepts::floats); },
    .cost = [](const Call& call) { return elementwise_cost(call, 5); },
    .reference = reference_log_softmax,
    .gradient = gradient_log_softmax,
    .tangent = tangent_log_softmax,
    .attributes = {AttributeSpec::whole("axis", -1)},
    .fusion = FusionPart::reduction,
};

const Op kLogSoftmaxGrad{
    .name = "log_softmax_grad",
    .formula = "dx = dy - exp(y) * sum of dy along an axis",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& a) {
          return infer_along("log_softmax_grad", inputs, {"dy", "y"}, a, Accepts::floats);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 4); },
    .reference = reference_log_softmax_grad,
    .attributes = {AttributeSpec::whole("axis", -1)},
    .fusion = FusionPart::reduction,
};

const Op kHardmax{
    .name = "hardmax",
    .formula = "y = 1 at the first greatest element along an axis, else 0",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes& a) { return infer_along("hardmax", inputs, {"x"}, a, Accepts::floats); },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = reference_hardmax,
    .gradient = gradient_zero,
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::whole("axis", -1)},
};

ValueId argmax(GraphBuilder& builder, ValueId x, int64_t axis, bool keep_axis, bool select_last_index) {
  return builder.append1(
      kArgmax, {x},
      {{"axis", axis}, {"keep_axis", int64_t{keep_axis}}, {"select_last_index", int64_t{select_last_index}}});
}
ValueId argmin(GraphBuilder& builder, ValueId x, int64_t axis, bool keep_axis, bool select_last_index) {
  return builder.append1(
      kArgmin, {x},
      {{"axis", axis}, {"keep_axis", int64_t{keep_axis}}, {"select_last_index", int64_t{select_last_index}}});
}
ValueId cumulative_sum(GraphBuilder& builder, ValueId x, int64_t axis, bool exclusive, bool reverse) {
  return builder.append1(kCumulativeSum, {x},
                         {{"axis", axis}, {"exclusive", int64_t{exclusive}}, {"reverse", int64_t{reverse}}});
}
ValueId log_softmax(GraphBuilder& builder, ValueId x, int64_t axis) {
  return builder.append1(kLogSoftmax, {x}, {{"axis", axis}});
}
ValueId hardmax(GraphBuilder& builder, ValueId x, int64_t axis) {
  return builder.append1(kHardmax, {x}, {{"axis", axis}});
}

std::span<const Op* const> along_axis_ops() {
  static constexpr const Op* kOps[] = {&kArgmax, &kArgmin, &kCumulativeSum, &kLogSoftmax, &kLogSoftmaxGrad, &kHardmax};
  return kOps;
}

}  // namespace engine::ops
