// SPDX-License-Identifier: Apache-2.0
// Reductions over axes: means, extrema, products and norms.
#include "engine/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/compare.h"
#include "engine/ops/cost.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduced_axes.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Elements = std::span<const double>;
using Integers = std::span<const int64_t>;

/// y = value of each group of elements. Integers take `integer`, or `value` where there is none.
struct Reduction {
  std::string_view name, formula;
  double flops;  ///< per element of x
  Accepts accepts;
  double (*value)(Elements);
  int64_t (*integer)(Integers, DType) = nullptr;
};

template <const Reduction& r>
InferResult infer_reduction(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check(r.name, inputs, {"x"});
  std::vector<bool> reduced;
  if (!check.operand_count() || !accepts(check, 0, inputs[0].dtype, r.accepts) ||
      !reduced_axes(check, inputs[0].shape, attributes, reduced)) {
    return check.error();
  }
  const Shape shape = kept_shape(inputs[0].shape, reduced, attributes.get_int("keep_axes", 0) != 0);
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

template <const Reduction& r>
void reference_reduction(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Groups groups = in_groups(x, reduced_axes(x.shape(), *arguments.attributes));
  const auto count = static_cast<size_t>(y.type().elements()), length = static_cast<size_t>(groups.length);
  if (r.integer != nullptr && !is_floating(x.dtype())) {
    const std::vector<int64_t> elements = load_whole(groups.tensor);
    std::vector<int64_t> result(count);
    for (size_t i = 0; i < count; ++i) result[i] = r.integer(Integers(elements).subspan(i * length, length), x.dtype());
    return store_whole(y, result);
  }
  const std::vector<double> elements = load(groups.tensor);
  std::vector<double> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = r.value(Elements(elements).subspan(i * length, length));
  store(y, result);
}

template <const Reduction& r>
Op reduction_op(void (*gradient)(GradientContext&)) {
  return {
      .name = r.name,
      .formula = r.formula,
      .infer = infer_reduction<r>,
      .cost =
          [](const Call& call) { return full_cost(call, r.flops * static_cast<double>(call.inputs[0].elements())); },
      .reference = reference_reduction<r>,
      .gradient = gradient,
      .tangent = tangent_reduction,
      .attributes = {AttributeSpec::list("axes", {}), AttributeSpec::whole("keep_axes", 0)},
      .fusion = FusionPart::reduction,
  };
}

// ---- the functions
// ----------------------------------------------------------------------------------------------------------------

double total(Elements x, double (*term)(double)) {
  double sum = 0;
  for (const double value : x) sum += term(value);
  return sum;
}
int64_t whole_total(Integers x, uint64_t (*term)(uint64_t)) {
  uint64_t sum = 0;
  for (const int64_t value : x) sum += term(static_cast<uint64_t>(value));
  return static_cast<int64_t>(sum);
}
double same(double x) { return x; }
double square(double x) { return x * x; }
uint64_t whole_square(uint64_t x) { return x * x; }
uint64_t whole_absolute(uint64_t x) { return static_cast<int64_t>(x) < 0 ? 0 - x : x; }

double mean_of(Elements x) { return total(x, same) / static_cast<double>(x.size()); }
int64_t whole_mean(Integers x, DType) {
  const int64_t sum = whole_total(x, [](uint64_t value) { return value; });
  return x.empty() ? 0 : sum / static_cast<int64_t>(x.size());
}
double most_of(Elements x) {
  double most = -kInfinity;
  for (const double value : x) most = value > most || std::isnan(value) ? value : most;
  return most;
}
double least_of(Elements x) {
  double least = kInfinity;
  for (const double value : x) least = value < least || std::isnan(value) ? value : least;
  return least;
}
/// The ends of an integer dtype.
std::pair<int64_t, int64_t> range_of(DType dtype) {
  switch (dtype) {
    case DType::boolean: return {0, 1};
    case DType::uint8: return {0, 255};
    case DType::int8: return {-128, 127};
    case DType::int32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}
double product_of(Elements x) {
  double product = 1;
  for (const double value : x) product *= value;
  return product;
}
int64_t whole_product(Integers x, DType) {
  uint64_t product = 1;
  for (const int64_t value : x) product *= static_cast<uint64_t>(value);
  return static_cast<int64_t>(product);
}
double log_sum_exp_of(Elements x) {
  const double most = most_of(x);
  if (!std::isfinite(most)) return most;
  double sum = 0;
  for (const double value : x) sum += std::exp(value - most);
  return most + std::log(sum);
}

constexpr Reduction kMeanOf{"mean", "y = sum of x / n over axes", 1, Accepts::numbers, mean_of, whole_mean};
constexpr Reduction kMostOf{
    "reduce_max", "y = max of x over axes", 1, Accepts::any, most_of, [](Integers x, DType dtype) {
      return x.empty() ? range_of(dtype).first : *std::ranges::max_element(x);
    }};
constexpr Reduction kLeastOf{
    "reduce_min", "y = min of x over axes", 1, Accepts::any, least_of, [](Integers x, DType dtype) {
      return x.empty() ? range_of(dtype).second : *std::ranges::min_element(x);
    }};
constexpr Reduction kProductOf{"product", "y = product of x over axes", 1, Accepts::numbers, product_of, whole_product};
constexpr Reduction kL1{"l1_norm",
                        "y = sum of |x| over axes",
                        2,
                        Accepts::numbers,
                        [](Elements x) { return total(x, [](double value) { return std::abs(value); }); },
                        [](Integers x, DType) { return whole_total(x, whole_absolute); }};
constexpr Reduction kL2{"l2_norm", "y = sqrt(sum of x^2) over axes", 2, Accepts::numbers,
                        [](Elements x) { return std::sqrt(total(x, square)); }};
constexpr Reduction kSquares{"sum_of_squares",
                             "y = sum of x^2 over axes",
                             2,
                             Accepts::numbers,
                             [](Elements x) { return total(x, square); },
                             [](Integers x, DType) { return whole_total(x, whole_square); }};
constexpr Reduction kLogOfSum{"log_sum", "y = log(sum of x) over axes", 1, Accepts::floats,
                              [](Elements x) { return std::log(total(x, same)); }};
constexpr Reduction kLogOfSumExp{"log_sum_exp", "y = log(sum of exp(x)) over axes", 4, Accepts::floats, log_sum_exp_of};

// ---- gradients
// ----------------------------------------------------------------------------------------------------------------------

/// A reduced value with the axes of x, those reduced as extent 1.
ValueId with_all_axes(GradientContext& context, ValueId reduced_value) {
  const Shape x = context.builder().type(context.input(0)).shape;
  return reshape(context.builder(), reduced_value,
                 kept_shape(x, reduced_axes(x, context.attributes()), /*keep_axes=*/true));
}

/// Sets dx to what `make(dy)` appends for a dy with all axes, expanded to the shape of x where it is not yet.
template <class Make>
void give_expanded(GradientContext& context, Make make) {
  GraphBuilder& builder = context.builder();
  if (!context.needed(0) || builder.failed()) return;
  const ValueId gradient = make(with_all_axes(context, context.output_gradient(0)));
  if (builder.failed()) return;
  context.set_input_gradient(0, expand(builder, gradient, builder.type(context.input(0)).shape));
}

void gradient_mean(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const double x = static_cast<double>(builder.type(context.input(0)).elements());
  const double y = static_cast<double>(builder.type(context.output(0)).elements());
  give_expanded(context, [&](ValueId dy) { return scale(builder, dy, x == 0 ? 0 : y / x); });
}

Attributes axes_of(GradientContext& context) { return {{"axes", context.attributes().get_ints("axes", {})}}; }

void gradient_extremum(GradientContext& context) {
  give_expanded(context, [&](ValueId dy) {
    return context.builder().append1(kExtremumGrad, {dy, context.input(0), with_all_axes(context, context.output(0))},
                                     axes_of(context));
  });
}

void gradient_product(GradientContext& context) {
  give_expanded(context, [&](ValueId dy) {
    return context.builder().append1(kProductGrad, {dy, context.input(0)}, axes_of(context));
  });
}

void gradient_l1(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give_expanded(context, [&](ValueId dy) {
    if (builder.failed()) return kNoValue;
    const ValueId wide = expand(builder, dy, builder.type(context.input(0)).shape);
    return builder.append1(kAbsoluteGrad, {wide, context.input(0)});
  });
}

/// dy x / y, where y = 0 without NaN: the quotient is formed at the size of y.
void gradient_l2(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give_expanded(context, [&](ValueId dy) {
    const ValueId y = with_all_axes(context, context.output(0)), none = scale(builder, y, 0);
    const ValueId quotient = where(builder, equal(builder, y, none), none, divide(builder, dy, y));
    return multiply(builder, context.input(0), quotient);
  });
}

void gradient_squares(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give_expanded(context, [&](ValueId dy) { return multiply(builder, context.input(0), scale(builder, dy, 2)); });
}

/// dy / sum(x), and the sum is exp(y).
void gradient_log_sum(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  give_expanded(context, [&](ValueId dy) {
    return multiply(builder, dy, exp(builder, negate(builder, with_all_axes(context, context.output(0)))));
  });
}

void gradient_log_sum_exp(GradientContext& context) {
  give_expanded(context, [&](ValueId dy) {
    return context.builder().append1(kLogSumExpGrad, {dy, context.input(0), with_all_axes(context, context.output(0))});
  });
}

// ---- gradient ops
// -------------------------------------------------------------------------------------------------------------------

/// dy and perhaps y with all axes, x: one floating dtype; dx in the layout of x.
InferResult infer_grad(std::string_view op, std::span<const TensorType> inputs,
                       std::initializer_list<std::string_view> names, const Attributes& attributes) {
  OperandCheck check(op, inputs, names);
  std::vector<bool> reduced;
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0) ||
      !reduced_axes(check, inputs[1].shape, attributes, reduced)) {
    return check.error();
  }
  const Shape kept = kept_shape(inputs[1].shape, reduced, /*keep_axes=*/true);
  for (const size_t i : {0, 2}) {
    if (i < inputs.size() && !check.shape(i, kept, "x without its reduced axes")) return check.error();
  }
  if (!check.addressable("the result", inputs[1].dtype, inputs[1].shape)) return check.error();
  return std::vector{elementwise_type(inputs[1].dtype, inputs.subspan(1, 1), inputs[1].shape)};
}

/// Calls grade(dy of the group, elements of x in it, which it replaces by their gradients) for each group.
template <class Grade>
void grade_groups(KernelArguments& arguments, Grade grade) {
  const std::vector<bool> reduced = reduced_axes(arguments.inputs[1].shape(), *arguments.attributes);
  const Groups x = in_groups(arguments.inputs[1], reduced), dx = in_groups(arguments.outputs[0], reduced);
  const std::vector<double> dy = load(arguments.inputs[0]);
  std::vector<double> elements = load(x.tensor);
  const auto length = static_cast<size_t>(x.length);
  for (size_t i = 0; i * length < elements.size() && length > 0; ++i) {
    grade(i, dy[i], std::span<double>(elements).subspan(i * length, length));
  }
  store(dx.tensor, elements);
}

void reference_extremum_grad(KernelArguments& arguments) {
  const std::vector<double> y = load(arguments.inputs[2]);
  grade_groups(arguments, [&](size_t group, double dy, std::span<double> x) {
    const auto equal = static_cast<double>(std::ranges::count(x, y[group]));
    for (double& value : x) value = value == y[group] ? dy / equal : 0;
  });
}

/// Products of all before and of all behind each element, so that zeros divide nothing.
void reference_product_grad(KernelArguments& arguments) {
  std::vector<double> behind;
  grade_groups(arguments, [&](size_t, double dy, std::span<double> x) {
    behind.assign(x.size() + 1, 1);
    for (size_t i = x.size(); i-- > 0;) behind[i] = behind[i + 1] * x[i];
    double before = dy;
    for (size_t i = 0; i < x.size(); ++i) {
      const double value = x[i];
      x[i] = before * behind[i + 1];
      before *= value;
    }
  });
}

}  // namespace

const Op kMean = reduction_op<kMeanOf>(gradient_mean), kReduceMax = reduction_op<kMostOf>(gradient_extremum),
         kReduceMin = reduction_op<kLeastOf>(gradient_extremum), kProduct = reduction_op<kProductOf>(gradient_product),
         kL1Norm = reduction_op<kL1>(gradient_l1), kL2Norm = reduction_op<kL2>(gradient_l2),
         kSumOfSquares = reduction_op<kSquares>(gradient_squares), kLogSum = reduction_op<kLogOfSum>(gradient_log_sum),
         kLogSumExp = reduction_op<kLogOfSumExp>(gradient_log_sum_exp);

const Op kExtremumGrad{
    .name = "extremum_grad",
    .formula = "dx = dy / (how many equal y) where x = y, else 0",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad("extremum_grad", inputs, {"dy", "x", "y"}, attributes);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 2); },
    .reference = reference_extremum_grad,
    .attributes = {AttributeSpec::list("axes", {})},
};

const Op kProductGrad{
    .name = "product_grad",
    .formula = "dx[i] = dy * product of x[j], j != i",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad("product_grad", inputs, {"dy", "x"}, attributes);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 3); },
    .reference = reference_product_grad,
    .attributes = {AttributeSpec::list("axes", {})},
};

const Op kLogSumExpGrad{
    .name = "log_sum_exp_grad",
    .formula = "dx = dy * exp(x - y)",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("log_sum_exp_grad", inputs, {"dy", "x", "y"}, Accepts::floats);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 3); },
    .reference =
        [](KernelArguments& arguments) {
          map_doubles(arguments,
                      [](double dy, double x, double y) { return x == -kInfinity ? 0 : dy * std::exp(x - y); });
        },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

namespace {

ValueId append(GraphBuilder& builder, const Op& op, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return builder.append1(op, {x}, {{"axes", std::move(axes)}, {"keep_axes", int64_t{keep_axes}}});
}

}  // namespace

ValueId mean(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kMean, x, std::move(axes), keep_axes);
}
ValueId reduce_max(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kReduceMax, x, std::move(axes), keep_axes);
}
ValueId reduce_min(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kReduceMin, x, std::move(axes), keep_axes);
}
ValueId product(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kProduct, x, std::move(axes), keep_axes);
}
ValueId l1_norm(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kL1Norm, x, std::move(axes), keep_axes);
}
ValueId l2_norm(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kL2Norm, x, std::move(axes), keep_axes);
}
ValueId sum_of_squares(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kSumOfSquares, x, std::move(axes), keep_axes);
}
ValueId log_sum(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kLogSum, x, std::move(axes), keep_axes);
}
ValueId log_sum_exp(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes, bool keep_axes) {
  return append(builder, kLogSumExp, x, std::move(axes), keep_axes);
}

std::span<const Op* const> reduce_ops() {
  static constexpr const Op* kOps[] = {&kMean,      &kReduceMax,    &kReduceMin,    &kProduct,
                                       &kL1Norm,    &kL2Norm,       &kSumOfSquares, &kLogSum,
                                       &kLogSumExp, &kExtremumGrad, &kProductGrad,  &kLogSumExpGrad};
  return kOps;
}

}  // namespace engine::ops
