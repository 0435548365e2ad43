// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and the choice between two operands.
#include "engine/ops/compare.h"

#include <cmath>
#include <functional>

#include "engine/ops/cost.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

/// Compares doubles, or integers to the last bit, and stores 1 or 0.
template <class Relation>
void reference_compare(KernelArguments& arguments) {
  if (!is_floating(arguments.inputs[0].dtype())) {
    return map_integers(arguments, [](int64_t a, int64_t b) { return int64_t{Relation{}(a, b)}; });
  }
  map_doubles(arguments, [](double a, double b) { return Relation{}(a, b) ? 1.0 : 0.0; });
}

struct LogicalXor {
  bool operator()(int64_t a, int64_t b) const { return (a != 0) != (b != 0); }
};

struct Relation {
  std::string_view name, formula;
  Accepts accepts;
  void (*reference)(KernelArguments&);
};

template <const Relation& r>
Op relation_op() {
  return {
      .name = r.name,
      .formula = r.formula,
      .infer =
          [](std::span<const TensorType> inputs, const Attributes&) {
            return infer_elementwise(r.name, inputs, {"a", "b"}, r.accepts, DType::boolean);
          },
      .cost = [](const Call& call) { return elementwise_cost(call, r.accepts == Accepts::any ? 1 : 0); },
      .reference = r.reference,
      .elementwise = true,
      .fusion = FusionPart::elementwise,
  };
}

constexpr Relation kEq{"equal", "y = a = b", Accepts::any, reference_compare<std::equal_to<>>};
constexpr Relation kNe{"not_equal", "y = not a = b", Accepts::any, reference_compare<std::not_equal_to<>>};
constexpr Relation kLt{"less", "y = a < b", Accepts::any, reference_compare<std::less<>>};
constexpr Relation kLe{"less_equal", "y = a <= b", Accepts::any, reference_compare<std::less_equal<>>};
constexpr Relation kGt{"greater", "y = a > b", Accepts::any, reference_compare<std::greater<>>};
constexpr Relation kGe{"greater_equal", "y = a >= b", Accepts::any, reference_compare<std::greater_equal<>>};
constexpr Relation kAnd{"logical_and", "y = a and b", Accepts::booleans, reference_compare<std::logical_and<>>};
constexpr Relation kOr{"logical_or", "y = a or b", Accepts::booleans, reference_compare<std::logical_or<>>};
constexpr Relation kXor{"logical_xor", "y = a or b, but not both", Accepts::booleans, reference_compare<LogicalXor>};

void reference_is_inf(KernelArguments& arguments) {
  const bool positive = arguments.attributes->get_int("detect_positive", 1) != 0;
  const bool negative = arguments.attributes->get_int("detect_negative", 1) != 0;
  map_doubles(arguments, [=](double x) { return std::isinf(x) && (x > 0 ? positive : negative) ? 1.0 : 0.0; });
}

// ---- where
// ----------------------------------------------------------------------------------------------------------------------

InferResult infer_where(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("where", inputs, {"condition", "a", "b"});
  if (!check.operand_count() ||
      !check.that(inputs[0].dtype == DType::boolean, "condition must be bool, got {}", name(inputs[0].dtype)) ||
      !check.same_dtype(1)) {
    return check.error();
  }
  // The condition counts for the shape alone; the layout is that of the operands the elements come from.
  TensorType condition = inputs[0];
  condition.dtype = inputs[1].dtype;
  const TensorType same[] = {inputs[1], inputs[2], condition};
  return infer_elementwise("where", same, {"a", "b", "condition"}, Accepts::any);
}

/// The bytes of a or b as they are.
void reference_where(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const std::vector<int64_t> condition = load_whole_expanded(arguments.inputs[0], y.shape());
  if (is_floating(y.dtype())) {
    const std::vector<double> a = load_expanded(arguments.inputs[1], y.shape());
    std::vector<double> b = load_expanded(arguments.inputs[2], y.shape());
    for (size_t i = 0; i < b.size(); ++i) b[i] = condition[i] != 0 ? a[i] : b[i];
    store(y, b);
  } else {
    const std::vector<int64_t> a = load_whole_expanded(arguments.inputs[1], y.shape());
    std::vector<int64_t> b = load_whole_expanded(arguments.inputs[2], y.shape());
    for (size_t i = 0; i < b.size(); ++i) b[i] = condition[i] != 0 ? a[i] : b[i];
    store_whole(y, b);
  }
}

void gradient_where(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const auto zero = [&] {
    const double value = 0;
    Result<Tensor> tensor = Tensor::from_values({}, {&value, 1}, builder.type(context.output(0)).dtype);
    return tensor ? builder.constant("zero", std::move(*tensor), Role::gradient) : builder.fail(tensor.error());
  };
  give(context, 1, [&](ValueId dy) { return where(builder, context.input(0), dy, zero()); });
  give(context, 2, [&](ValueId dy) { return where(builder, context.input(0), zero(), dy); });
}

}  // namespace

const Op kEqual = relation_op<kEq>(), kNotEqual = relation_op<kNe>(), kLess = relation_op<kLt>(),
         kLessEqual = relation_op<kLe>(), kGreater = relation_op<kGt>(), kGreaterEqual = relation_op<kGe>(),
         kLogicalAnd = relation_op<kAnd>(), kLogicalOr = relation_op<kOr>(), kLogicalXor = relation_op<kXor>();

const Op kLogicalNot{
    .name = "logical_not",
    .formula = "y = not x",
    .infer = [](std::span<const TensorType> inputs,
                const Attributes&) { return infer_elementwise("logical_not", inputs, {"x"}, Accepts::booleans); },
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = [](KernelArguments& arguments) { map_integers(arguments, [](int64_t x) { return int64_t{x == 0}; }); },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kIsNan{
    .name = "is_nan",
    .formula = "y = x is not a number",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("is_nan", inputs, {"x"}, Accepts::floats, DType::boolean);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference =
        [](KernelArguments& arguments) { map_doubles(arguments, [](double x) { return std::isnan(x) ? 1.0 : 0.0; }); },
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kIsInf{
    .name = "is_inf",
    .formula = "y = x is infinite",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes&) {
          return infer_elementwise("is_inf", inputs, {"x"}, Accepts::floats, DType::boolean);
        },
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = reference_is_inf,
    .attributes = {AttributeSpec::whole("detect_positive", 1), AttributeSpec::whole("detect_negative", 1)},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

const Op kWhere{
    .name = "where",
    .formula = "y = a where condition, else b",
    .infer = infer_where,
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = reference_where,
    .gradient = gradient_where,
    .tangent = tangent_symmetric,
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

ValueId equal(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kEqual, {a, b}); }
ValueId not_equal(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kNotEqual, {a, b}); }
ValueId less(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kLess, {a, b}); }
ValueId less_equal(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kLessEqual, {a, b}); }
ValueId greater(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kGreater, {a, b}); }
ValueId greater_equal(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kGreaterEqual, {a, b}); }
ValueId logical_and(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kLogicalAnd, {a, b}); }
ValueId logical_or(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kLogicalOr, {a, b}); }
ValueId logical_xor(GraphBuilder& builder, ValueId a, ValueId b) { return builder.append1(kLogicalXor, {a, b}); }
ValueId logical_not(GraphBuilder& builder, ValueId x) { return builder.append1(kLogicalNot, {x}); }
ValueId is_nan(GraphBuilder& builder, ValueId x) { return builder.append1(kIsNan, {x}); }
ValueId is_inf(GraphBuilder& builder, ValueId x, bool detect_positive, bool detect_negative) {
  return builder.append1(
      kIsInf, {x}, {{"detect_positive", int64_t{detect_positive}}, {"detect_negative", int64_t{detect_negative}}});
}
ValueId where(GraphBuilder& builder, ValueId condition, ValueId a, ValueId b) {
  return builder.append1(kWhere, {condition, a, b});
}

std::span<const Op* const> compare_ops() {
  static constexpr const Op* kOps[] = {&kEqual,        &kNotEqual,   &kLess,      &kLessEqual,  &kGreater,
                                       &kGreaterEqual, &kLogicalAnd, &kLogicalOr, &kLogicalXor, &kLogicalNot,
                                       &kIsNan,        &kIsInf,      &kWhere};
  return kOps;
}

}  // namespace engine::ops
