// SPDX-License-Identifier: Apache-2.0
// Max, average and global average pooling over the last two axes, and their gradients.
#include <algorithm>
#include <cmath>
#include <limits>

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
  int64_t batch = 0, channels = 0;
  WindowAxis height, width;
  std::array<int64_t, 2> padding_after{};
  bool count_include_pad = false;

  int64_t planes() const { return batch * channels; }
  Shape output_shape() const { return {batch, channels, height.output, width.output}; }
  double window_size() const { return static_cast<double>(height.kernel) * static_cast<double>(width.kernel); }

  /// What an average divides by: the taps inside the input, or inside the input and its paddings.
  double divisor(int64_t i, int64_t j) const {
    if (!count_include_pad) {
      return static_cast<double>(height.taps_inside(i).size() * width.taps_inside(j).size());
    }
    const auto covered = [](const WindowAxis& axis, int64_t out, int64_t after) {
      const int64_t begin = out * axis.stride - axis.padding;
      return std::min(begin + axis.kernel, axis.input + after) - begin;
    };
    return static_cast<double>(covered(height, i, padding_after[0]) * covered(width, j, padding_after[1]));
  }
};

bool make_geometry(OperandCheck& check, const Shape& x, const Attributes& attributes, Geometry& geometry) {
  const std::vector<int64_t> kernel = attributes.get_ints("kernel", {}), stride = attributes.get_ints("stride", {1, 1}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0});
  const bool ceil_mode = attributes.get_int("ceil_mode", 0) != 0;
  if (!check.that(kernel.size() == 2 && stride.size() == 2 && padding.size() == 4,
                  "needs 2 kernel extents, 2 strides and 4 paddings, got {}, {} and {}", kernel.size(), stride.size(),
                  padding.size()) ||
      !make_window(check, {"height", x[2], kernel[0], stride[0], 1, padding[0], padding[2], ceil_mode},
                   geometry.height) ||
      !make_window(check, {"width", x[3], kernel[1], stride[1], 1, padding[1], padding[3], ceil_mode},
                   geometry.width)) {
    return false;
  }
  for (size_t i = 0; i < 4; ++i) {
    // Otherwise some window would lie in the padding alone.
    if (!check.that(padding[i] < kernel[i % 2], "padding {} is not smaller than the kernel's {}", padding[i],
                    kernel[i % 2])) {
      return false;
    }
  }
  geometry.batch = x[0];
  geometry.channels = x[1];
  geometry.padding_after = {padding[2], padding[3]};
  geometry.count_include_pad = attributes.get_int("count_include_pad", 0) != 0;
  return check.that(x[2] > 0 && x[3] > 0, "planes of {}x{} have nothing to pool", x[2], x[3]) &&
         check.addressable("a plane of", DType::int64, {x[2], x[3]});
}

Geometry geometry_of(const Shape& x, const Attributes& attributes) {
  OperandCheck check("pool", {}, {});
  Geometry geometry;
  CHECK(make_geometry(check, x, attributes, geometry));
  return geometry;
}

/// Calls visit(output index, input plane's first index, rows, columns) for each output; rows and columns are half-open
/// input ranges; indices are row-major.
template <class Visit>
void for_each_window(const Geometry& g, Visit visit) {
  int64_t out = 0;
  for (int64_t plane = 0; plane < g.planes(); ++plane) {
    const int64_t first = plane * g.height.input * g.width.input;
    for (int64_t i = 0; i < g.height.output; ++i) {
      const WindowAxis::Range u = g.height.taps_inside(i);
      const WindowAxis::Range rows{g.height.position(i, u.begin), g.height.position(i, u.end)};
      for (int64_t j = 0; j < g.width.output; ++j) {
        const WindowAxis::Range v = g.width.taps_inside(j);
        visit(out++, first, rows, WindowAxis::Range{g.width.position(j, v.begin), g.width.position(j, v.end)}, i, j);
      }
    }
  }
}

// ---- shapes
// -----------------------------------------------------------------------------------------------------------------

/// Checks the forward op and gives its output type; `max`: with the i32 indices.
InferResult infer_pool(std::string_view op, std::span<const TensorType> inputs, const Attributes& attributes,
                       bool max) {
  OperandCheck check(op, inputs, {"x"});
  Geometry geometry;
  if (!check.operand_count() || !check.numeric(0) || (!max && !check.floating(0)) || !check.rank(0, 4) ||
      !make_geometry(check, inputs[0].shape, attributes, geometry) ||
      !check.addressable("the result", DType::int64, geometry.output_shape())) {
    return check.error();
  }
  std::vector<TensorType> outputs{TensorType::channels_last(inputs[0].dtype, geometry.output_shape())};
  if (!max) return outputs;
  const int64_t height = inputs[0].shape[2], width = inputs[0].shape[3];
  if (!check.that(height <= std::numeric_limits<int32_t>::max() / width,
                  "planes of {}x{} have more elements than 32-bit indices reach", height, width)) {
    return check.error();
  }
  outputs.push_back(TensorType::channels_last(DType::int32, geometry.output_shape()));
  return outputs;
}

/// The type named by input_shape and input_strides, provided dy is what pooling it puts out.
InferResult infer_pool_grad(OperandCheck& check, std::span<const TensorType> inputs, const Attributes& attributes) {
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  Geometry geometry;
  if (!check.rank(0, 4) || !check.that(result.rank() == 4, "input_shape must have 4 extents, got {}", result.rank()) ||
      !make_geometry(check, result.shape, attributes, geometry) ||
      !check.shape(0, geometry.output_shape(), "what the pooling puts out") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

// ---- max
// --------------------------------------------------------------------------------------------------------------------

InferResult infer_max(std::span<const TensorType> inputs, const Attributes& attributes) {
  return infer_pool("max_pool2d", inputs, attributes, /*max=*/true);
}

InferResult infer_max_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("max_pool2d_grad", inputs, {"dy", "indices"});
  if (!check.operand_count() || !check.numeric(0) || !check.shape(1, inputs[0].shape, "the shape of dy") ||
      !check.that(inputs[1].dtype == DType::int32, "indices must be i32, got {}", name(inputs[1].dtype))) {
    return check.error();
  }
  return infer_pool_grad(check, inputs, attributes);
}

void reference_max(KernelArguments& arguments) {
  const Geometry geometry = geometry_of(arguments.inputs[0].shape(), *arguments.attributes);
  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements())), indices(y.size());
  for_each_window(geometry, [&](int64_t out, int64_t first, auto rows, auto columns, int64_t, int64_t) {
    int64_t best = rows.begin * geometry.width.input + columns.begin;
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const int64_t here = r * geometry.width.input + c;
        const double value = x[first + here], largest = x[first + best];
        if (value > largest || (std::isnan(value) && !std::isnan(largest))) best = here;
      }
    }
    y[out] = x[first + best];
    indices[out] = static_cast<double>(best);
  });
  store(arguments.outputs[0], y);
  store(arguments.outputs[1], indices);
}

void reference_max_grad(KernelArguments& arguments) {
  const Tensor& dx_tensor = arguments.outputs[0];
  const std::vector<double> dy = load(arguments.inputs[0]), indices = load(arguments.inputs[1]);
  std::vector<double> dx(static_cast<size_t>(dx_tensor.type().elements()), 0.0);
  const Shape &out = arguments.inputs[0].shape(), &in = dx_tensor.shape();
  const int64_t windows = out[2] * out[3], plane = in[2] * in[3];
  for (size_t i = 0; i < dy.size(); ++i) {
    const auto index = static_cast<int64_t>(indices[i]);
    // Indices come from a graph's bytes: one outside the plane is ignored rather than written.
    if (index >= 0 && index < plane) dx[static_cast<int64_t>(i) / windows * plane + index] += dy[i];
  }
  store(dx_tensor, dx);
}

// ---- average
// ----------------------------------------------------------------------------------------------------------------

InferResult infer_average(std::span<const TensorType> inputs, const Attributes& attributes) {
  return infer_pool("average_pool2d", inputs, attributes, /*max=*/false);
}

InferResult infer_average_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("average_pool2d_grad", inputs, {"dy"});
  if (!check.operand_count() || !check.floating(0)) return check.error();
  return infer_pool_grad(check, inputs, attributes);
}

void reference_average(KernelArguments& arguments) {
  const Geometry geometry = geometry_of(arguments.inputs[0].shape(), *arguments.attributes);
  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements()));
  for_each_window(geometry, [&](int64_t out, int64_t first, auto rows, auto columns, int64_t i, int64_t j) {
    double total = 0;
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      for (int64_t c = columns.begin; c < columns.end; ++c) total += x[first + r * geometry.width.input + c];
    }
    y[out] = total / geometry.divisor(i, j);
  });
  store(arguments.outputs[0], y);
}

void reference_average_grad(KernelArguments& arguments) {
  const Tensor& dx_tensor = arguments.outputs[0];
  const Geometry geometry = geometry_of(dx_tensor.shape(), *arguments.attributes);
  const std::vector<double> dy = load(arguments.inputs[0]);
  std::vector<double> dx(static_cast<size_t>(dx_tensor.type().elements()), 0.0);
  for_each_window(geometry, [&](int64_t out, int64_t first, auto rows, auto columns, int64_t i, int64_t j) {
    const double share = dy[out] / geometry.divisor(i, j);
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      for (int64_t c = columns.begin; c < columns.end; ++c) dx[first + r * geometry.width.input + c] += share;
    }
  });
  store(dx_tensor, dx);
}

// ---- global average
// -----------------------------------------------------------------------------------------------------------

InferResult infer_global(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("global_average_pool", inputs, {"x"});
  if (!check.operand_count() || !check.floating(0) || !check.rank(0, 4) ||
      !check.that(inputs[0].shape[2] > 0 && inputs[0].shape[3] > 0, "planes of {}x{} have nothing to pool",
                  inputs[0].shape[2], inputs[0].shape[3]) ||
      !check.addressable("a plane of", DType::int64, {inputs[0].shape[2], inputs[0].shape[3]})) {
    return check.error();
  }
  return std::vector{TensorType::channels_last(inputs[0].dtype, {inputs[0].shape[0], inputs[0].shape[1], 1, 1})};
}

InferResult infer_global_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("global_average_pool_grad", inputs, {"dy"});
  if (!check.operand_count() || !check.floating(0)) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  if (!check.that(result.rank() == 4, "input_shape must have 4 extents, got {}", result.rank()) ||
      !check.shape(0, {result.shape[0], result.shape[1], 1, 1}, "one average per plane") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

void reference_global(KernelArguments& arguments) {
  const std::vector<double> x = load(arguments.inputs[0]);
  const int64_t plane = arguments.inputs[0].shape()[2] * arguments.inputs[0].shape()[3];
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  for (size_t i = 0; i < x.size(); ++i) y[static_cast<int64_t>(i) / plane] += x[i];
  for (double& value : y) value /= static_cast<double>(plane);
  store(arguments.outputs[0], y);
}

void reference_global_grad(KernelArguments& arguments) {
  const Tensor& dx_tensor = arguments.outputs[0];
  const std::vector<double> dy = load(arguments.inputs[0]);
  const int64_t plane = dx_tensor.shape()[2] * dx_tensor.shape()[3];
  std::vector<double> dx(static_cast<size_t>(dx_tensor.type().elements()));
  for (size_t i = 0; i < dx.size(); ++i) dx[i] = dy[static_cast<int64_t>(i) / plane] / static_cast<double>(plane);
  store(dx_tensor, dx);
}

// ---- cost, gradients
// ----------------------------------------------------------------------------------------------------------

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

/// Forward: inputs that no window covers (stride larger than kernel) are not read.
Cost cost_forward(const Call& call, double flops_per_output) {
  Cost cost = elementwise_cost(call, flops_per_output);
  if (call.outputs[0].elements() == 0) return cost;
  const Geometry geometry = geometry_of(call.inputs[0].shape, call.attributes);
  TensorType touched = call.inputs[0];
  touched.shape[2] = geometry.height.inputs_read();
  touched.shape[3] = geometry.width.inputs_read();
  cost.read_bytes[0] = touched.distinct_bytes();
  return cost;
}

/// Appends `op` on dy and `more`, with the forward op's attributes and the type of its input.
void append_gradient(GradientContext& context, const Op& op, std::vector<ValueId> inputs) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  Attributes attributes = context.attributes();
  set_result_type(attributes, "input", builder.type(context.input(0)));
  context.set_input_gradient(0, builder.append1(op, std::move(inputs), std::move(attributes)));
}

void tangent_max_pool(TangentContext& context) {
  context.set_output_tangent(
      0, context.builder().append1(kMaxPool2dTangent, {context.input_tangent(0), context.output(1)}));
}

Attributes attributes_of(const Pool2dOptions& options) {
  return {{"kernel", std::vector<int64_t>(options.kernel.begin(), options.kernel.end())},
          {"stride", std::vector<int64_t>(options.stride.begin(), options.stride.end())},
          {"padding", std::vector<int64_t>(options.padding.begin(), options.padding.end())},
          {"ceil_mode", int64_t{options.ceil_mode}}};
}

}  // namespace

const Op kMaxPool2d{
    .name = "max_pool2d",
    .formula = "y[n,c,i,j] = max_{u,v} x[n,c,i*s+u-p,j*s+v-p]; indices: h * W + w of the first largest",
    .infer = infer_max,
    .cost =
        [](const Call& call) {
          const std::vector<int64_t> kernel = call.attributes.get_ints("kernel", {});
          return cost_forward(call, static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]) - 1);
        },
    .reference = reference_max,
    .gradient =
        [](GradientContext& context) {
          append_gradient(context, kMaxPool2dGrad, {context.output_gradient(0), context.output(1)});
        },
    .tangent = tangent_max_pool,
    .attributes = pool_attributes(2, false),
    .fusion = FusionPart::reduction,
};

const Op kMaxPool2dGrad{
    .name = "max_pool2d_grad",
    .formula = "dx[n,c,indices[n,c,i,j]] = sum of dy[n,c,i,j]",
    .infer = infer_max_grad,
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0])); },
    .reference = reference_max_grad,
    .tangent = tangent_linear,
    .attributes = joined_attributes(pool_attributes(2, false), input_type_attributes()),
    .fusion = FusionPart::reduction,
};

const Op kAveragePool2d{
    .name = "average_pool2d",
    .formula = "y[n,c,i,j] = sum_{u,v} x[n,c,i*s+u-p,j*s+v-p] / count[i,j]",
    .infer = infer_average,
    .cost =
        [](const Call& call) {
          const std::vector<int64_t> kernel = call.attributes.get_ints("kernel", {});
          return cost_forward(call, static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]));
        },
    .reference = reference_average,
    .gradient =
        [](GradientContext& context) { append_gradient(context, kAveragePool2dGrad, {context.output_gradient(0)}); },
    .tangent = tangent_linear,
    .attributes = pool_attributes(2, true),
    .fusion = FusionPart::reduction,
};

const Op kAveragePool2dGrad{
    .name = "average_pool2d_grad",
    .formula = "dx[n,c,h,w] = sum of dy[n,c,i,j] / count[i,j] over the windows that cover h, w",
    .infer = infer_average_grad,
    .cost =
        [](const Call& call) {
          const std::vector<int64_t> kernel = call.attributes.get_ints("kernel", {});
          return full_cost(
              call, elements(call.inputs[0]) * (static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]) + 1));
        },
    .reference = reference_average_grad,
    .tangent = tangent_linear,
    .attributes = joined_attributes(pool_attributes(2, true), input_type_attributes()),
    .fusion = FusionPart::reduction,
};

const Op kGlobalAveragePool{
    .name = "global_average_pool",
    .formula = "y[n,c] = sum_{h,w} x[n,c,h,w] / (H W)",
    .infer = infer_global,
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0])); },
    .reference = reference_global,
    .gradient =
        [](GradientContext& context) {
          append_gradient(context, kGlobalAveragePoolGrad, {context.output_gradient(0)});
        },
    .tangent = tangent_linear,
    .fusion = FusionPart::reduction,
};

const Op kGlobalAveragePoolGrad{
    .name = "global_average_pool_grad",
    .formula = "dx[n,c,h,w] = dy[n,c] / (H W)",
    .infer = infer_global_grad,
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0])); },
    .reference = reference_global_grad,
    .tangent = tangent_linear,
    .attributes = input_type_attributes(),
    .fusion = FusionPart::reduction,
};

ValueId max_pool2d(GraphBuilder& builder, ValueId x, const Pool2dOptions& options) {
  return builder.append(kMaxPool2d, {x}, attributes_of(options))[0];
}

ValueId average_pool2d(GraphBuilder& builder, ValueId x, const Pool2dOptions& options) {
  Attributes attributes = attributes_of(options);
  attributes.set("count_include_pad", int64_t{options.count_include_pad});
  return builder.append1(kAveragePool2d, {x}, std::move(attributes));
}

ValueId global_average_pool(GraphBuilder& builder, ValueId x) { return builder.append1(kGlobalAveragePool, {x}); }

}  // namespace engine::ops
