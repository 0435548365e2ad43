// SPDX-License-Identifier: Apache-2.0
// Three-dimensional convolution and its gradients by input and weight; each is the others' gradient.
#include <array>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"
#include "engine/ops/volume.h"

namespace engine::ops {
namespace {

struct Geometry {
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::array<WindowAxis, 3> axes;

  Shape output_shape() const { return {batch, out_channels, axes[0].output, axes[1].output, axes[2].output}; }
  int64_t in_group() const { return in_channels / groups; }
  int64_t out_group() const { return out_channels / groups; }
};

/// The convolution of an input and a weight of these shapes (both rank 5).
bool make_geometry(OperandCheck& check, const Shape& x, const Shape& weight, const Attributes& attributes,
                   Geometry& g) {
  g.groups = attributes.get_int("groups", 1);
  if (!check.that(g.groups > 0, "groups is {}: must be at least 1", g.groups) ||
      !check.that(x[1] % g.groups == 0 && weight[0] % g.groups == 0,
                  "{} input and {} output channels do not divide into {} groups", x[1], weight[0], g.groups) ||
      !check.that(weight[1] == x[1] / g.groups,
                  "channels differ: x has C = {} in {} group(s) = {} each, weight {} has {}", x[1], g.groups,
                  x[1] / g.groups, to_string(weight), weight[1])) {
    return false;
  }
  g.batch = x[0];
  g.in_channels = x[1];
  g.out_channels = weight[0];
  return make_volume_windows(check, x, {weight[2], weight[3], weight[4]}, attributes, g.axes);
}

/// For types that infer has accepted.
Geometry geometry_of(const Shape& x, const Shape& weight, const Attributes& attributes) {
  OperandCheck check("conv3d", {}, {});
  Geometry geometry;
  CHECK(make_geometry(check, x, weight, attributes, geometry));
  return geometry;
}

/// Calls visit(w index, x index, y index) for all products that meet no padding; indices are row-major.
template <class Visit>
void for_each_product(const Geometry& g, Visit visit) {
  const auto& [d, h, w] = g.axes;
  int64_t tap = 0;
  for (int64_t out = 0; out < g.out_channels; ++out) {
    for (int64_t in = 0; in < g.in_group(); ++in) {
      for (int64_t t = 0; t < d.kernel; ++t) {
        for (int64_t u = 0; u < h.kernel; ++u) {
          for (int64_t v = 0; v < w.kernel; ++v, ++tap) {
            const WindowAxis::Range layers = d.outputs_with(t), rows = h.outputs_with(u), columns = w.outputs_with(v);
            for (int64_t n = 0; n < g.batch; ++n) {
              const int64_t x_plane = n * g.in_channels + out / g.out_group() * g.in_group() + in,
                            y_plane = n * g.out_channels + out;
              for (int64_t k = layers.begin; k < layers.end; ++k) {
                for (int64_t i = rows.begin; i < rows.end; ++i) {
                  const int64_t x_row = ((x_plane * d.input + d.position(k, t)) * h.input + h.position(i, u)) * w.input;
                  const int64_t y_row = ((y_plane * d.output + k) * h.output + i) * w.output;
                  for (int64_t j = columns.begin; j < columns.end; ++j) visit(tap, x_row + w.position(j, v), y_row + j);
                }
              }
            }
          }
        }
      }
    }
  }
}

std::vector<double> zeros_for(const Tensor& tensor) {
  return std::vector<double>(static_cast<size_t>(tensor.type().elements()), 0.0);
}

void reference_forward(KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const Tensor& out = arguments.outputs[0];
  const Geometry geometry = geometry_of(in[0].shape(), in[1].shape(), *arguments.attributes);
  const std::vector<double> x = load(in[0]), w = load(in[1]);
  std::vector<double> y = zeros_for(out);
  if (in.size() == 3) {
    const Result<Tensor> column = in[2].reshape({geometry.out_channels, 1, 1, 1});
    CHECK(column.ok());
    y = load_expanded(*column, out.shape());
  }
  for_each_product(geometry, [&](int64_t tap, int64_t from, int64_t to) { y[to] += w[tap] * x[from]; });
  store(out, y);
}

void reference_grad_input(KernelArguments& arguments) {
  const Tensor &weight = arguments.inputs[1], &out = arguments.outputs[0];
  const std::vector<double> dy = load(arguments.inputs[0]), w = load(weight);
  std::vector<double> dx = zeros_for(out);
  for_each_product(geometry_of(out.shape(), weight.shape(), *arguments.attributes),
                   [&](int64_t tap, int64_t to, int64_t from) { dx[to] += w[tap] * dy[from]; });
  store(out, dx);
}

void reference_grad_weight(KernelArguments& arguments) {
  const Tensor &input = arguments.inputs[1], &out = arguments.outputs[0];
  const std::vector<double> dy = load(arguments.inputs[0]), x = load(input);
  std::vector<double> dw = zeros_for(out);
  for_each_product(geometry_of(input.shape(), out.shape(), *arguments.attributes),
                   [&](int64_t tap, int64_t x_at, int64_t y_at) { dw[tap] += dy[y_at] * x[x_at]; });
  store(out, dw);
}

// ---- shapes
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_forward(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("conv3d", inputs, {"x", "weight", "bias"}, 1);
  Geometry geometry;
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 5) || !check.rank(1, 5) ||
      (inputs.size() == 3 && !check.shape(2, {inputs[1].shape[0]}, "the output channels of weight")) ||
      !make_geometry(check, inputs[0].shape, inputs[1].shape, attributes, geometry) ||
      !check.addressable("the result", inputs[0].dtype, geometry.output_shape())) {
    return check.error();
  }
  return std::vector{volume_type(inputs[0].dtype, geometry.output_shape())};
}

/// Both gradients: `name` ("input" or "weight") is what the result is the gradient of, the second operand is the other.
InferResult infer_gradient(OperandCheck check, std::span<const TensorType> inputs, const std::string& name,
                           const Attributes& attributes) {
  if (!check.operand_count() || !check.same_dtype() || !check.numeric(0) || !check.rank(0, 5) || !check.rank(1, 5))
    return check.error();
  const TensorType result = result_type(attributes, name, inputs[0].dtype);
  if (!check.that(result.rank() == 5, "{}_shape must have 5 extents, got {}", name, result.rank()))
    return check.error();
  const bool by_input = name == "input";
  Geometry geometry;
  if (!make_geometry(check, by_input ? result.shape : inputs[1].shape, by_input ? inputs[1].shape : result.shape,
                     attributes, geometry) ||
      !check.shape(0, geometry.output_shape(), "what the convolution puts out") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

// ---- cost
// -------------------------------------------------------------------------------------------------------------------

/// 2 N O OD OH OW (C / groups) KD KH KW, taps on padding included.
double flops(const Geometry& g) {
  double product =
      2.0 * static_cast<double>(g.batch) * static_cast<double>(g.out_channels) * static_cast<double>(g.in_group());
  for (const WindowAxis& axis : g.axes) product *= static_cast<double>(axis.output) * static_cast<double>(axis.kernel);
  return product;
}

/// Bytes of operand x or weight that some product meets.
int64_t met_bytes(TensorType type, const Geometry& g, bool weight) {
  for (size_t i = 0; i < 3; ++i)
    type.shape[2 + i] = std::min(type.shape[2 + i], weight ? g.axes[i].taps_used() : g.axes[i].inputs_read());
  return type.distinct_bytes();
}

/// `x` and `weight`: which of inputs 0, 1 and the output (2) they are.
Cost cost_of(const Call& call, size_t x, size_t weight) {
  const auto type = [&](size_t i) -> const TensorType& { return i < 2 ? call.inputs[i] : call.outputs[0]; };
  const Geometry g = geometry_of(type(x).shape, type(weight).shape, call.attributes);
  Cost cost = full_cost(call, flops(g));
  if (call.outputs[0].elements() == 0) return cost;
  if (x < 2) cost.read_bytes[x] = met_bytes(type(x), g, false);
  if (weight < 2) cost.read_bytes[weight] = met_bytes(type(weight), g, true);
  return cost;
}

// ---- gradients
// --------------------------------------------------------------------------------------------------------------

/// The convolution's own settings, without a result's type.
Attributes settings(const Attributes& all) {
  return {{"stride", all.get_ints("stride", {1, 1, 1})},
          {"padding", all.get_ints("padding", {0, 0, 0, 0, 0, 0})},
          {"dilation", all.get_ints("dilation", {1, 1, 1})},
          {"groups", all.get_int("groups", 1)}};
}
ValueId grad_input(GraphBuilder& builder, ValueId dy, ValueId weight, ValueId like, const Attributes& all) {
  if (builder.failed()) return kNoValue;
  Attributes attributes = settings(all);
  set_result_type(attributes, "input", builder.type(like));
  return builder.append1(kConv3dGradInput, {dy, weight}, std::move(attributes));
}
ValueId grad_weight(GraphBuilder& builder, ValueId dy, ValueId x, ValueId like, const Attributes& all) {
  if (builder.failed()) return kNoValue;
  Attributes attributes = settings(all);
  set_result_type(attributes, "weight", builder.type(like));
  return builder.append1(kConv3dGradWeight, {dy, x}, std::move(attributes));
}

void gradient_forward(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId x = context.input(0), weight = context.input(1), dy = context.output_gradient(0);
  if (context.needed(0)) context.set_input_gradient(0, grad_input(builder, dy, weight, x, context.attributes()));
  if (context.needed(1)) context.set_input_gradient(1, grad_weight(builder, dy, x, weight, context.attributes()));
  if (context.input_count() == 3 && context.needed(2)) context.set_input_gradient(2, sum(builder, dy, {0, 2, 3, 4}));
}

/// dx = grad_input(dy, w) is linear in both: with g the gradient of dx, that of dy is conv(g, w), that of w
/// grad_weight(dy, g).
void gradient_of_grad_input(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId dy = context.input(0), weight = context.input(1), g = context.output_gradient(0);
  if (context.needed(0))
    context.set_input_gradient(0, builder.append1(kConv3d, {g, weight}, settings(context.attributes())));
  if (context.needed(1)) context.set_input_gradient(1, grad_weight(builder, dy, g, weight, context.attributes()));
}

/// dw = grad_weight(dy, x): with g the gradient of dw, that of dy is conv(x, g), that of x grad_input(dy, g).
void gradient_of_grad_weight(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const ValueId dy = context.input(0), x = context.input(1), g = context.output_gradient(0);
  if (context.needed(0))
    context.set_input_gradient(0, builder.append1(kConv3d, {x, g}, settings(context.attributes())));
  if (context.needed(1)) context.set_input_gradient(1, grad_input(builder, dy, g, x, context.attributes()));
}

}  // namespace

const Op kConv3d{
    .name = "conv3d",
    .formula = "y[n,o,k,i,j] = bias[o] + sum_{c,t,u,v} x[n,c,k*s+t*d-p,i*s+u*d-p,j*s+v*d-p] weight[o,c,t,u,v]",
    .infer = infer_forward,
    .cost = [](const Call& call) { return cost_of(call, 0, 1); },
    .reference = reference_forward,
    .gradient = gradient_forward,
    .tangent = tangent_product_with_bias,
    .matrix_product = true,
    .attributes = convolution_attributes(3),
    .fusion = FusionPart::product,
};

const Op kConv3dGradInput{
    .name = "conv3d_grad_input",
    .formula = "dx[n,c,k*s+t*d-p,i*s+u*d-p,j*s+v*d-p] = sum_{o,t,u,v} dy[n,o,k,i,j] weight[o,c,t,u,v]",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_gradient(OperandCheck("conv3d_grad_input", inputs, {"dy", "weight"}), inputs, "input",
                                attributes);
        },
    .cost = [](const Call& call) { return cost_of(call, 2, 1); },
    .reference = reference_grad_input,
    .gradient = gradient_of_grad_input,
    .tangent = tangent_multilinear,
    .matrix_product = true,
    .attributes = joined_attributes(convolution_attributes(3), input_type_attributes()),
};

const Op kConv3dGradWeight{
    .name = "conv3d_grad_weight",
    .formula = "dweight[o,c,t,u,v] = sum_{n,k,i,j} dy[n,o,k,i,j] x[n,c,k*s+t*d-p,i*s+u*d-p,j*s+v*d-p]",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_gradient(OperandCheck("conv3d_grad_weight", inputs, {"dy", "x"}), inputs, "weight", attributes);
        },
    .cost = [](const Call& call) { return cost_of(call, 1, 2); },
    .reference = reference_grad_weight,
    .gradient = gradient_of_grad_weight,
    .tangent = tangent_multilinear,
    .matrix_product = true,
    .attributes = joined_attributes(convolution_attributes(3), weight_type_attributes()),
};

}  // namespace engine::ops
