// SPDX-License-Identifier: Apache-2.0
// Two-dimensional convolution and its gradients by input and weight.
#include <algorithm>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"
#include "engine/ops/window.h"

namespace engine::ops {
namespace {

struct Geometry {
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  WindowAxis height, width;

  Shape output_shape() const { return {batch, out_channels, height.output, width.output}; }
  int64_t in_group() const { return in_channels / groups; }
  int64_t out_group() const { return out_channels / groups; }
};

/// The convolution of an input and a weight of these shapes (both rank 4).
bool make_geometry(OperandCheck& check, const Shape& x, const Shape& weight, const Attributes& attributes,
                   Geometry& geometry) {
  const std::vector<int64_t> stride = attributes.get_ints("stride", {1, 1}),
                             dilation = attributes.get_ints("dilation", {1, 1}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0});
  const int64_t groups = attributes.get_int("groups", 1);
  if (!check.that(stride.size() == 2 && dilation.size() == 2 && padding.size() == 4,
                  "needs 2 strides, 2 dilations and 4 paddings, got {}, {} and {}", stride.size(), dilation.size(),
                  padding.size()) ||
      !check.that(groups > 0, "groups is {}: must be at least 1", groups) ||
      !check.that(x[1] % groups == 0, "{} input channels do not divide into {} groups", x[1], groups) ||
      !check.that(weight[0] % groups == 0, "{} output channels do not divide into {} groups", weight[0], groups) ||
      !check.that(weight[1] == x[1] / groups,
                  "channels differ: x has C = {} in {} group(s) = {} each, weight {} has {}", x[1], groups,
                  x[1] / groups, to_string(weight), weight[1])) {
    return false;
  }
  geometry.batch = x[0];
  geometry.in_channels = x[1];
  geometry.out_channels = weight[0];
  geometry.groups = groups;
  return make_window(check, {"height", x[2], weight[2], stride[0], dilation[0], padding[0], padding[2]},
                     geometry.height) &&
         make_window(check, {"width", x[3], weight[3], stride[1], dilation[1], padding[1], padding[3]}, geometry.width);
}

/// For types that infer has accepted.
Geometry geometry_of(const Shape& x, const Shape& weight, const Attributes& attributes) {
  OperandCheck check("conv2d", {}, {});
  Geometry geometry;
  CHECK(make_geometry(check, x, weight, attributes, geometry));
  return geometry;
}

// ---- the loops
// --------------------------------------------------------------------------------------------------------------

/// Runs of products along the width: for j in [0, count): y[y_index + j] meets x[x_index + j * x_step] under
/// w[w_index].
struct Run {
  int64_t w_index, x_index, x_step, y_index, count;
};

/// Calls visit(Run) for all products of the convolution that meet no padding; indices are row-major.
template <class Visit>
void for_each_run(const Geometry& g, Visit visit) {
  const WindowAxis &h = g.height, &w = g.width;
  for (int64_t image = 0; image < g.batch; ++image) {
    for (int64_t out = 0; out < g.out_channels; ++out) {
      const int64_t first_channel = out / g.out_group() * g.in_group();
      for (int64_t in = 0; in < g.in_group(); ++in) {
        const int64_t x_plane = (image * g.in_channels + first_channel + in) * h.input;
        const int64_t y_plane = (image * g.out_channels + out) * h.output;
        const int64_t taps = (out * g.in_group() + in) * h.kernel * w.kernel;
        for (int64_t u = 0; u < h.kernel; ++u) {
          const WindowAxis::Range rows = h.outputs_with(u);
          for (int64_t v = 0; v < w.kernel; ++v) {
            const WindowAxis::Range columns = w.outputs_with(v);
            for (int64_t i = rows.begin; i < rows.end; ++i) {
              visit(Run{taps + u * w.kernel + v, (x_plane + h.position(i, u)) * w.input + w.position(columns.begin, v),
                        w.stride, (y_plane + i) * w.output + columns.begin, columns.size()});
            }
          }
        }
      }
    }
  }
}

void reference_forward(KernelArguments& arguments) {
  const Tensor &x_tensor = arguments.inputs[0], &w_tensor = arguments.inputs[1], &y_tensor = arguments.outputs[0];
  const Geometry geometry = geometry_of(x_tensor.shape(), w_tensor.shape(), *arguments.attributes);
  const std::vector<double> x = load(x_tensor), w = load(w_tensor);
  std::vector<double> y(static_cast<size_t>(y_tensor.type().elements()), 0.0);
  if (arguments.inputs.size() == 3) {
    const Result<Tensor> column = arguments.inputs[2].reshape({geometry.out_channels, 1, 1});
    CHECK(column.ok());
    y = load_expanded(*column, y_tensor.shape());
  }
  for_each_run(geometry, [&](const Run& run) {
    const double weight = w[run.w_index];
    for (int64_t j = 0; j < run.count; ++j) y[run.y_index + j] += weight * x[run.x_index + j * run.x_step];
  });
  store(y_tensor, y);
}

void reference_grad_input(KernelArguments& arguments) {
  const Tensor &w_tensor = arguments.inputs[1], &dx_tensor = arguments.outputs[0];
  const Geometry geometry = geometry_of(dx_tensor.shape(), w_tensor.shape(), *arguments.attributes);
  const std::vector<double> dy = load(arguments.inputs[0]), w = load(w_tensor);
  std::vector<double> dx(static_cast<size_t>(dx_tensor.type().elements()), 0.0);
  for_each_run(geometry, [&](const Run& run) {
    const double weight = w[run.w_index];
    for (int64_t j = 0; j < run.count; ++j) dx[run.x_index + j * run.x_step] += weight * dy[run.y_index + j];
  });
  store(dx_tensor, dx);
}

void reference_grad_weight(KernelArguments& arguments) {
  const Tensor &x_tensor = arguments.inputs[1], &dw_tensor = arguments.outputs[0];
  const Geometry geometry = geometry_of(x_tensor.shape(), dw_tensor.shape(), *arguments.attributes);
  const std::vector<double> dy = load(arguments.inputs[0]), x = load(x_tensor);
  std::vector<double> dw(static_cast<size_t>(dw_tensor.type().elements()), 0.0);
  for_each_run(geometry, [&](const Run& run) {
    double total = 0;
    for (int64_t j = 0; j < run.count; ++j) total += dy[run.y_index + j] * x[run.x_index + j * run.x_step];
    dw[run.w_index] += total;
  });
  store(dw_tensor, dw);
}

// ---- shapes
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_forward(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("conv2d", inputs, {"x", "weight", "bias"}, 1);
  Geometry geometry;
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 4) || !check.rank(1, 4) ||
      (inputs.size() == 3 && !check.shape(2, {inputs[1].shape[0]}, "the output channels of weight")) ||
      !make_geometry(check, inputs[0].shape, inputs[1].shape, attributes, geometry) ||
      !check.addressable("the result", inputs[0].dtype, geometry.output_shape())) {
    return check.error();
  }
  return std::vector{TensorType::channels_last(inputs[0].dtype, geometry.output_shape())};
}

/// Shared by both gradients: `result` is the type of the gradient, `x` and `weight` the shapes of the forward operands.
InferResult infer_gradient(OperandCheck& check, const TensorType& result, const Shape& x, const Shape& weight,
                           const Attributes& attributes) {
  Geometry geometry;
  if (!make_geometry(check, x, weight, attributes, geometry) ||
      !check.shape(0, geometry.output_shape(), "what the convolution puts out") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

InferResult infer_grad_input(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("conv2d_grad_input", inputs, {"dy", "weight"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 4) || !check.rank(1, 4)) {
    return check.error();
  }
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  if (!check.that(result.rank() == 4, "input_shape must have 4 extents, got {}", result.rank())) return check.error();
  return infer_gradient(check, result, result.shape, inputs[1].shape, attributes);
}

InferResult infer_grad_weight(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("conv2d_grad_weight", inputs, {"dy", "x"});
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 4) || !check.rank(1, 4)) {
    return check.error();
  }
  const TensorType result = result_type(attributes, "weight", inputs[0].dtype);
  if (!check.that(result.rank() == 4, "weight_shape must have 4 extents, got {}", result.rank())) return check.error();
  return infer_gradient(check, result, inputs[1].shape, result.shape, attributes);
}

// ---- cost
// -------------------------------------------------------------------------------------------------------------------

/// 2 N O OH OW (C / groups) KH KW, taps on padding included: what papers and libraries count.
double flops(const Geometry& g) {
  return 2.0 * static_cast<double>(g.batch) * static_cast<double>(g.out_channels) *
         static_cast<double>(g.height.output) * static_cast<double>(g.width.output) *
         static_cast<double>(g.in_group()) * static_cast<double>(g.height.kernel * g.width.kernel);
}

/// Bytes of `type` ([A, B, H, W]) when only `rows` x `columns` of each plane are touched; repeated axes count once.
int64_t plane_bytes(const TensorType& type, int64_t rows, int64_t columns) {
  TensorType touched = type;
  touched.shape[2] = std::min(rows, type.shape[2]);
  touched.shape[3] = std::min(columns, type.shape[3]);
  return touched.distinct_bytes();
}

int64_t read_input_bytes(const TensorType& x, const Geometry& g) {
  return plane_bytes(x, g.height.inputs_read(), g.width.inputs_read());
}

int64_t read_weight_bytes(const TensorType& weight, const Geometry& g) {
  return plane_bytes(weight, g.height.taps_used(), g.width.taps_used());
}

Cost cost_forward(const Call& call) {
  const Geometry geometry = geometry_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes);
  Cost cost = full_cost(call, flops(geometry));
  if (call.outputs[0].elements() == 0) return cost;
  cost.read_bytes[0] = read_input_bytes(call.inputs[0], geometry);
  cost.read_bytes[1] = read_weight_bytes(call.inputs[1], geometry);
  return cost;
}

Cost cost_grad_input(const Call& call) {
  const Geometry geometry = geometry_of(call.outputs[0].shape, call.inputs[1].shape, call.attributes);
  Cost cost = full_cost(call, flops(geometry));
  if (call.outputs[0].elements() == 0) return cost;
  cost.read_bytes[1] = read_weight_bytes(call.inputs[1], geometry);
  return cost;
}

Cost cost_grad_weight(const Call& call) {
  const Geometry geometry = geometry_of(call.inputs[1].shape, call.outputs[0].shape, call.attributes);
  Cost cost = full_cost(call, flops(geometry));
  if (call.outputs[0].elements() == 0) return cost;
  cost.read_bytes[1] = read_input_bytes(call.inputs[1], geometry);
  return cost;
}

// ---- gradient
// ---------------------------------------------------------------------------------------------------------------

/// The convolution's own settings, without a result's type.
Attributes settings(const Attributes& all) {
  return {{"stride", all.get_ints("stride", {1, 1})},
          {"padding", all.get_ints("padding", {0, 0, 0, 0})},
          {"dilation", all.get_ints("dilation", {1, 1})},
          {"groups", all.get_int("groups", 1)}};
}
ValueId grad_input(GraphBuilder& builder, ValueId dy, ValueId weight, ValueId like, const Attributes& all) {
  if (builder.failed()) return kNoValue;
  Attributes attributes = settings(all);
  set_result_type(attributes, "input", builder.type(like));
  return builder.append1(kConv2dGradInput, {dy, weight}, std::move(attributes));
}
ValueId grad_weight(GraphBuilder& builder, ValueId dy, ValueId x, ValueId like, const Attributes& all) {
  if (builder.failed()) return kNoValue;
  Attributes attributes = settings(all);
  set_result_type(attributes, "weight", builder.type(like));
  return builder.append1(kConv2dGradWeight, {dy, x}, std::move(attributes));
}

void gradient_forward(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId x = context.input(0), weight = context.input(1), dy = context.output_gradient(0);
  if (context.needed(0)) context.set_input_gradient(0, grad_input(builder, dy, weight, x, context.attributes()));
  if (context.needed(1)) context.set_input_gradient(1, grad_weight(builder, dy, x, weight, context.attributes()));
  if (context.input_count() == 3 && context.needed(2)) context.set_input_gradient(2, sum(builder, dy, {0, 2, 3}));
}

/// dx = grad_input(dy, w) is linear in both: with g the gradient of dx, that of dy is conv(g, w), that of w
/// grad_weight(dy, g).
void gradient_of_grad_input(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId dy = context.input(0), weight = context.input(1), g = context.output_gradient(0);
  if (context.needed(0))
    context.set_input_gradient(0, builder.append1(kConv2d, {g, weight}, settings(context.attributes())));
  if (context.needed(1)) context.set_input_gradient(1, grad_weight(builder, dy, g, weight, context.attributes()));
}

/// dw = grad_weight(dy, x): with g the gradient of dw, that of dy is conv(x, g), that of x grad_input(dy, g).
void gradient_of_grad_weight(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId dy = context.input(0), x = context.input(1), g = context.output_gradient(0);
  if (context.needed(0))
    context.set_input_gradient(0, builder.append1(kConv2d, {x, g}, settings(context.attributes())));
  if (context.needed(1)) context.set_input_gradient(1, grad_input(builder, dy, g, x, context.attributes()));
}

}  // namespace

const Op kConv2d{
    .name = "conv2d",
    .formula = "y[n,o,i,j] = bias[o] + sum_{c,u,v} x[n,c,i*s+u*d-p,j*s+v*d-p] weight[o,c,u,v]",
    .infer = infer_forward,
    .cost = cost_forward,
    .reference = reference_forward,
    .gradient = gradient_forward,
    .tangent = tangent_product_with_bias,
    .matrix_product = true,
    .attributes = convolution_attributes(2),
    .fusion = FusionPart::product,
};

const Op kConv2dGradInput{
    .name = "conv2d_grad_input",
    .formula = "dx[n,c,i*s+u*d-p,j*s+v*d-p] = sum_{o,u,v} dy[n,o,i,j] weight[o,c,u,v]",
    .infer = infer_grad_input,
    .cost = cost_grad_input,
    .reference = reference_grad_input,
    .gradient = gradient_of_grad_input,
    .tangent = tangent_multilinear,
    .matrix_product = true,
    .attributes = joined_attributes(convolution_attributes(2), input_type_attributes()),
};

const Op kConv2dGradWeight{
    .name = "conv2d_grad_weight",
    .formula = "dweight[o,c,u,v] = sum_{n,i,j} dy[n,o,i,j] x[n,c,i*s+u*d-p,j*s+v*d-p]",
    .infer = infer_grad_weight,
    .cost = cost_grad_weight,
    .reference = reference_grad_weight,
    .gradient = gradient_of_grad_weight,
    .tangent = tangent_multilinear,
    .matrix_product = true,
    .attributes = joined_attributes(convolution_attributes(2), weight_type_attributes()),
};

ValueId conv2d(GraphBuilder& builder, ValueId x, ValueId weight, ValueId bias, const Conv2dOptions& options) {
  Attributes attributes{{"stride", std::vector<int64_t>(options.stride.begin(), options.stride.end())},
                        {"padding", std::vector<int64_t>(options.padding.begin(), options.padding.end())},
                        {"dilation", std::vector<int64_t>(options.dilation.begin(), options.dilation.end())},
                        {"groups", options.groups}};
  std::vector<ValueId> inputs{x, weight};
  if (bias != kNoValue) inputs.push_back(bias);
  return builder.append1(kConv2d, std::move(inputs), std::move(attributes));
}

}  // namespace engine::ops
