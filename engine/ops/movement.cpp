// SPDX-License-Identifier: Apache-2.0
// Views, which copy nothing, and the copies that change a layout.
#include <numeric>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

// ---- views
// ------------------------------------------------------------------------------------------------------------------

using ViewFunction = Result<View> (*)(const TensorType&, const Attributes&);

template <ViewFunction view>
InferResult infer_view(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("view", inputs, {"x"});
  if (!check.operand_count()) return check.error();
  Result<View> result = view(inputs[0], attributes);
  if (!result) return result.error();
  return std::vector{std::move(result->type)};
}

/// For those who run views as copies: y is a tensor of its own with the view's type.
template <ViewFunction view>
void reference_view(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const Result<View> result = view(x.type(), *arguments.attributes);
  CHECK(result.ok());
  copy_bits(Tensor(x.storage(), result->type, x.offset_elements() + result->offset_elements), arguments.outputs[0]);
}

Result<View> reshape_view(const TensorType& x, const Attributes& attributes) {
  return view_reshape(x, attributes.get_ints("shape", {}));
}
Result<View> permute_view(const TensorType& x, const Attributes& attributes) {
  return view_permute(x, attributes.get_ints("axes", {}));
}
Result<View> slice_view(const TensorType& x, const Attributes& attributes) {
  return view_slice(x, attributes.get_int("axis", 0), attributes.get_int("start", 0), attributes.get_int("end", 0),
                    attributes.get_int("step", 1));
}
Result<View> expand_view(const TensorType& x, const Attributes& attributes) {
  return view_expand(x, attributes.get_ints("shape", {}));
}
Result<View> squeeze_view(const TensorType& x, const Attributes& attributes) {
  return view_squeeze(x, attributes.get_int("axis", 0));
}
Result<View> unsqueeze_view(const TensorType& x, const Attributes& attributes) {
  return view_unsqueeze(x, attributes.get_int("axis", 0));
}

/// Sets the gradient to what `make(dy, type of x)` appends.
template <class Make>
void give(GradientContext& context, Make make) {
  if (!context.needed(0)) return;
  const TensorType x = context.builder().type(context.input(0));
  context.set_input_gradient(0, make(context.output_gradient(0), x));
}

void gradient_shape(GradientContext& context) {
  give(context, [&](ValueId dy, const TensorType& x) { return reshape(context.builder(), dy, x.shape); });
}

void gradient_permute(GradientContext& context) {
  give(context, [&](ValueId dy, const TensorType& x) {
    const std::vector<int64_t> axes = context.attributes().get_ints("axes", {});
    std::vector<int64_t> inverse(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      inverse[static_cast<size_t>(axes[i] < 0 ? axes[i] + x.rank() : axes[i])] = static_cast<int64_t>(i);
    }
    return permute(context.builder(), dy, inverse);
  });
}

void gradient_slice(GradientContext& context) {
  give(context, [&](ValueId dy, const TensorType& x) {
    Attributes attributes = context.attributes();
    set_result_type(attributes, "input", x);
    return context.builder().append1(kSliceGrad, {dy}, std::move(attributes));
  });
}

void gradient_expand(GradientContext& context) {
  give(context, [&](ValueId dy, const TensorType& x) { return reduce_to(context.builder(), dy, x.shape); });
}

// ---- copies
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_contiguous(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("contiguous", inputs, {"x"});
  if (!check.operand_count() || !check.addressable("the result", inputs[0].dtype, inputs[0].shape))
    return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, inputs[0].shape)};
}

InferResult infer_relayout(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("relayout", inputs, {"x"});
  const Strides strides = attributes.get_ints("strides", {});
  if (!check.operand_count() || !check.addressable("the result", inputs[0].dtype, inputs[0].shape) ||
      !check.dense("the result", inputs[0].shape, strides)) {
    return check.error();
  }
  return std::vector{TensorType{inputs[0].dtype, inputs[0].shape, strides}};
}

void reference_copy(KernelArguments& arguments) { copy_bits(arguments.inputs[0], arguments.outputs[0]); }

void gradient_copy(GradientContext& context) {
  give(context, [&](ValueId dy, const TensorType& x) { return match_layout(context.builder(), dy, x); });
}

// ---- gradient of slice
// --------------------------------------------------------------------------------------------------------

InferResult infer_slice_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("slice_grad", inputs, {"dy"});
  if (!check.operand_count() || !check.numeric(0)) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  if (!check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  const Result<View> view = slice_view(result, attributes);
  if (!view) return view.error();
  if (!check.shape(0, view->type.shape, "what the slice puts out")) return check.error();
  return std::vector{result};
}

void reference_slice_grad(KernelArguments& arguments) {
  const Tensor& dx = arguments.outputs[0];
  store(dx, std::vector<double>(static_cast<size_t>(dx.type().elements()), 0.0));
  const Result<View> view = slice_view(dx.type(), *arguments.attributes);
  CHECK(view.ok());
  copy_bits(arguments.inputs[0], Tensor(dx.storage(), view->type, dx.offset_elements() + view->offset_elements));
}

}  // namespace

const Op kReshape{
    .name = "reshape",
    .formula = "y = x with other extents, same row-major order (view)",
    .infer = infer_view<reshape_view>,
    .cost = no_cost,
    .reference = reference_view<reshape_view>,
    .gradient = gradient_shape,
    .tangent = tangent_reshape,
    .view = reshape_view,
    .attributes = {AttributeSpec::list("shape")},
};

const Op kPermute{
    .name = "permute",
    .formula = "y[i_axes[0], i_axes[1], ...] = x[i_0, i_1, ...] (view)",
    .infer = infer_view<permute_view>,
    .cost = no_cost,
    .reference = reference_view<permute_view>,
    .gradient = gradient_permute,
    .tangent = tangent_linear,
    .view = permute_view,
    .attributes = {AttributeSpec::list("axes")},
};

const Op kSlice{
    .name = "slice",
    .formula = "y = x[..., start:end:step, ...] (view)",
    .infer = infer_view<slice_view>,
    .cost = no_cost,
    .reference = reference_view<slice_view>,
    .gradient = gradient_slice,
    .tangent = tangent_linear,
    .view = slice_view,
    .attributes = {AttributeSpec::whole("axis", 0), AttributeSpec::whole("start", 0), AttributeSpec::whole("end"),
                   AttributeSpec::whole("step", 1)},
};

const Op kExpand{
    .name = "expand",
    .formula = "y = x repeated along axes of extent 1 (view)",
    .infer = infer_view<expand_view>,
    .cost = no_cost,
    .reference = reference_view<expand_view>,
    .gradient = gradient_expand,
    .tangent = tangent_linear,
    .view = expand_view,
    .attributes = {AttributeSpec::list("shape")},
};

const Op kSqueeze{
    .name = "squeeze",
    .formula = "y = x without an axis of extent 1 (view)",
    .infer = infer_view<squeeze_view>,
    .cost = no_cost,
    .reference = reference_view<squeeze_view>,
    .gradient = gradient_shape,
    .tangent = tangent_linear,
    .view = squeeze_view,
    .attributes = {AttributeSpec::whole("axis", 0)},
};

const Op kUnsqueeze{
    .name = "unsqueeze",
    .formula = "y = x with one more axis of extent 1 (view)",
    .infer = infer_view<unsqueeze_view>,
    .cost = no_cost,
    .reference = reference_view<unsqueeze_view>,
    .gradient = gradient_shape,
    .tangent = tangent_linear,
    .view = unsqueeze_view,
    .attributes = {AttributeSpec::whole("axis", 0)},
};

const Op kContiguous{
    .name = "contiguous",
    .formula = "y = x, row-major in memory",
    .infer = infer_contiguous,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_copy,
    .gradient = gradient_copy,
    .tangent = tangent_linear,
};

const Op kRelayout{
    .name = "relayout",
    .formula = "y = x, with other strides in memory",
    .infer = infer_relayout,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_copy,
    .gradient = gradient_copy,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::list("strides")},
};

const Op kSliceGrad{
    .name = "slice_grad",
    .formula = "dx[..., start:end:step, ...] = dy, 0 elsewhere",
    .infer = infer_slice_grad,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_slice_grad,
    .tangent = tangent_linear,
    .attributes = joined_attributes(kSlice.attributes, input_type_attributes()),
};

ValueId reshape(GraphBuilder& builder, ValueId x, Shape shape) {
  if (builder.failed()) return kNoValue;
  const TensorType type = builder.type(x);
  // When a row-major x could be viewed so but this one cannot, the copy is a node of its own. Other refusals are
  // reported as is.
  if (!view_reshape(type, shape) && view_reshape(TensorType::contiguous(type.dtype, type.shape), shape)) {
    x = contiguous(builder, x);
  }
  return builder.append1(kReshape, {x}, {{"shape", std::move(shape)}});
}

ValueId flatten(GraphBuilder& builder, ValueId x, int64_t axis) {
  if (builder.failed()) return kNoValue;
  const Shape shape = builder.type(x).shape;
  OperandCheck check("flatten", {}, {});
  // Flattening from the end on adds an axis of extent 1, as ONNX has it.
  if (!check.axis(axis, static_cast<int64_t>(shape.size()) + 1)) return builder.fail(check.error());
  Shape flat(shape.begin(), shape.begin() + axis);
  const auto rest = element_count(Shape(shape.begin() + axis, shape.end()));
  // Only a tensor without elements can have such extents.
  if (!check.that(rest.has_value(), "the extents of {} from axis {} on multiply to more than 63 bits", to_string(shape),
                  axis)) {
    return builder.fail(check.error());
  }
  flat.push_back(*rest);
  return reshape(builder, x, std::move(flat));
}

ValueId permute(GraphBuilder& builder, ValueId x, std::vector<int64_t> axes) {
  return builder.append1(kPermute, {x}, {{"axes", std::move(axes)}});
}

ValueId transpose(GraphBuilder& builder, ValueId x, int64_t axis_a, int64_t axis_b) {
  if (builder.failed()) return kNoValue;
  const int64_t rank = builder.type(x).rank();
  OperandCheck check("transpose", {}, {});
  if (!check.axis(axis_a, rank) || !check.axis(axis_b, rank)) return builder.fail(check.error());
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  std::swap(axes[static_cast<size_t>(axis_a)], axes[static_cast<size_t>(axis_b)]);
  return permute(builder, x, std::move(axes));
}

ValueId slice(GraphBuilder& builder, ValueId x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  return builder.append1(kSlice, {x}, {{"axis", axis}, {"start", start}, {"end", end}, {"step", step}});
}

ValueId expand(GraphBuilder& builder, ValueId x, Shape shape) {
  return builder.append1(kExpand, {x}, {{"shape", std::move(shape)}});
}

ValueId squeeze(GraphBuilder& builder, ValueId x, int64_t axis) {
  return builder.append1(kSqueeze, {x}, {{"axis", axis}});
}

ValueId unsqueeze(GraphBuilder& builder, ValueId x, int64_t axis) {
  return builder.append1(kUnsqueeze, {x}, {{"axis", axis}});
}

ValueId contiguous(GraphBuilder& builder, ValueId x) {
  if (builder.failed()) return kNoValue;
  const TensorType& type = builder.type(x);
  if (is_contiguous(type.shape, type.strides)) return x;
  return builder.append1(kContiguous, {x});
}

}  // namespace engine::ops
