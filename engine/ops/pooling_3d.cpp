// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over three axes, and their gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"
#include "engine/ops/volume.h"

namespace engine::ops {
namespace {

struct Geometry {
  int64_t planes = 0;
  Shape output;
  std::array<WindowAxis, 3> axes;
  std::array<int64_t, 3> padding_after{};
  bool count_include_pad = false;

  int64_t volume() const { return axes[0].input * axes[1].input * axes[2].input; }
  /// Taps an average counts along one axis: those inside the input, or inside the input and its paddings.
  int64_t counted(size_t axis, int64_t out) const {
    const WindowAxis& a = axes[axis];
    if (!count_include_pad) return a.taps_inside(out).size();
    const int64_t begin = out * a.stride - a.padding;
    return std::min(begin + a.kernel, a.input + padding_after[axis]) - begin;
  }
};

bool make_geometry(OperandCheck& check, const Shape& x, const Attributes& attributes, Geometry& g) {
  const std::vector<int64_t> kernel = attributes.get_ints("kernel", {}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0, 0, 0});
  if (!check.that(kernel.size() == 3, "needs 3 kernel extents, got {}", kernel.size()) ||
      !make_volume_windows(check, x, {kernel[0], kernel[1], kernel[2]}, attributes, g.axes)) {
    return false;
  }
  for (size_t i = 0; i < 6; ++i) {
    // Otherwise some window would lie in the padding alone.
    const WindowAxis& axis = g.axes[i % 3];
    if (!check.that(padding[i] < axis.kernel, "padding {} is not smaller than the kernel's {}", padding[i],
                    axis.kernel) ||
        !check.that(axis.input > 0, "volumes of {} have nothing to pool", to_string(x))) {
      return false;
    }
  }
  g.output = {x[0], x[1], g.axes[0].output, g.axes[1].output, g.axes[2].output};
  g.padding_after = {padding[3], padding[4], padding[5]};
  g.count_include_pad = attributes.get_int("count_include_pad", 0) != 0;
  if (!check.addressable("a volume of", DType::int64, {x[2], x[3], x[4]})) return false;
  g.planes = element_count({x[0], x[1]}).value_or(0);
  return true;
}

Geometry geometry_of(const Shape& x, const Attributes& attributes) {
  OperandCheck check("pool3d", {}, {});
  Geometry geometry;
  CHECK(make_geometry(check, x, attributes, geometry));
  return geometry;
}

/// Calls visit(output index, volume's first index, {k, i, j}) for each output.
template <class Visit>
void for_each_window(const Geometry& g, Visit visit) {
  if (element_count(g.output).value_or(0) == 0) return;
  int64_t out = 0;
  for (int64_t plane = 0; plane < g.planes; ++plane) {
    for (int64_t k = 0; k < g.axes[0].output; ++k) {
      for (int64_t i = 0; i < g.axes[1].output; ++i) {
        for (int64_t j = 0; j < g.axes[2].output; ++j)
          visit(out++, plane * g.volume(), std::array<int64_t, 3>{k, i, j});
      }
    }
  }
}

/// Calls visit(index within the volume) for each input the window of output `at` covers, in row-major order.
template <class Visit>
void for_each_covered(const Geometry& g, const std::array<int64_t, 3>& at, Visit visit) {
  const auto& [d, h, w] = g.axes;
  const WindowAxis::Range t = d.taps_inside(at[0]), u = h.taps_inside(at[1]), v = w.taps_inside(at[2]);
  for (int64_t a = t.begin; a < t.end; ++a) {
    for (int64_t b = u.begin; b < u.end; ++b) {
      for (int64_t c = v.begin; c < v.end; ++c) {
        visit((d.position(at[0], a) * h.input + h.position(at[1], b)) * w.input + w.position(at[2], c));
      }
    }
  }
}

// ---- shapes
// -----------------------------------------------------------------------------------------------------------------

InferResult infer_pool(OperandCheck check, std::span<const TensorType> inputs, const Attributes& attributes, bool max) {
  Geometry geometry;
  if (!check.operand_count() || !check.numeric(0) || (!max && !check.floating(0)) || !check.rank(0, 5) ||
      !check.that(max || attributes.get_ints("dilation", {1, 1, 1}) == std::vector<int64_t>({1, 1, 1}),
                  "an average has no dilation") ||
      !make_geometry(check, inputs[0].shape, attributes, geometry) ||
      !check.addressable("the result", DType::int64, geometry.output)) {
    return check.error();
  }
  std::vector<TensorType> outputs{volume_type(inputs[0].dtype, geometry.output)};
  if (!max) return outputs;
  if (!check.that(geometry.volume() <= std::numeric_limits<int32_t>::max(),
                  "volumes of {} have more elements than 32-bit indices reach", to_string(inputs[0].shape))) {
    return check.error();
  }
  outputs.push_back(volume_type(DType::int32, geometry.output));
  return outputs;
}

/// The type named by input_shape and input_strides, provided dy is what pooling it puts out.
InferResult infer_pool_grad(OperandCheck check, std::span<const TensorType> inputs, const Attributes& attributes) {
  if (!check.operand_count() || !check.numeric(0) || !check.rank(0, 5)) return check.error();
  if (inputs.size() > 1 &&
      (!check.shape(1, inputs[0].shape, "the shape of dy") ||
       !check.that(inputs[1].dtype == DType::int32, "indices must be i32, got {}", name(inputs[1].dtype)))) {
    return check.error();
  }
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  Geometry geometry;
  if (!check.that(result.rank() == 5, "input_shape must have 5 extents, got {}", result.rank()) ||
      !make_geometry(check, result.shape, attributes, geometry) ||
      !check.shape(0, geometry.output, "what the pooling puts out") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

// ---- references
// -------------------------------------------------------------------------------------------------------------

void reference_max(KernelArguments& arguments) {
  const Geometry geometry = geometry_of(arguments.inputs[0].shape(), *arguments.attributes);
  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements())), indices(y.size());
  for_each_window(geometry, [&](int64_t out, int64_t first, const auto& at) {
    int64_t best = -1;
    for_each_covered(geometry, at, [&](int64_t here) {
      if (best < 0 || x[first + here] > x[first + best] ||
          (std::isnan(x[first + here]) && !std::isnan(x[first + best])))
        best = here;
    });
    y[out] = best < 0 ? -std::numeric_limits<double>::infinity() : x[first + best];
    indices[out] = static_cast<double>(best);
  });
  store(arguments.outputs[0], y);
  store(arguments.outputs[1], indices);
}

void reference_max_grad(KernelArguments& arguments) {
  const Tensor& out = arguments.outputs[0];
  const std::vector<double> dy = load(arguments.inputs[0]), indices = load(arguments.inputs[1]);
  std::vector<double> dx(static_cast<size_t>(out.type().elements()), 0.0);
  const Shape &small = arguments.inputs[0].shape(), &large = out.shape();
  const int64_t windows = small[2] * small[3] * small[4], volume = large[2] * large[3] * large[4];
  for (size_t i = 0; i < dy.size(); ++i) {
    const auto index = static_cast<int64_t>(indices[i]);
    // Indices come from a graph's bytes: one outside the volume is ignored rather than written.
    if (index >= 0 && index < volume) dx[static_cast<int64_t>(i) / windows * volume + index] += dy[i];
  }
  store(out, dx);
}

double divisor(const Geometry& g, const std::array<int64_t, 3>& at) {
  return static_cast<double>(g.counted(0, at[0]) * g.counted(1, at[1]) * g.counted(2, at[2]));
}

void reference_average(KernelArguments& arguments) {
  const Geometry geometry = geometry_of(arguments.inputs[0].shape(), *arguments.attributes);
  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements()));
  for_each_window(geometry, [&](int64_t out, int64_t first, const auto& at) {
    double total = 0;
    for_each_covered(geometry, at, [&](int64_t here) { total += x[first + here]; });
    y[out] = total / divisor(geometry, at);
  });
  store(arguments.outputs[0], y);
}

void reference_average_grad(KernelArguments& arguments) {
  const Geometry geometry = geometry_of(arguments.outputs[0].shape(), *arguments.attributes);
  const std::vector<double> dy = load(arguments.inputs[0]);
  std::vector<double> dx(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  for_each_window(geometry, [&](int64_t out, int64_t first, const auto& at) {
    const double share = dy[out] / divisor(geometry, at);
    for_each_covered(geometry, at, [&](int64_t here) { dx[first + here] += share; });
  });
  store(arguments.outputs[0], dx);
}

// ---- cost, gradients
// ----------------------------------------------------------------------------------------------------------

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

double window_of(const Call& call) {
  double product = 1;
  for (const int64_t extent : call.attributes.get_ints("kernel", {})) product *= static_cast<double>(extent);
  return product;
}

/// Inputs that no window covers are not read.
Cost cost_forward(const Call& call, double flops_per_output) {
  Cost cost = elementwise_cost(call, flops_per_output);
  if (call.outputs[0].elements() == 0) return cost;
  const Geometry geometry = geometry_of(call.inputs[0].shape, call.attributes);
  TensorType touched = call.inputs[0];
  for (size_t i = 0; i < 3; ++i) touched.shape[2 + i] = geometry.axes[i].inputs_read();
  cost.read_bytes[0] = touched.distinct_bytes();
  return cost;
}

void append_gradient(GradientContext& context, const Op& op, std::vector<ValueId> inputs) {
  if (!context.needed(0)) return;
  Attributes attributes = context.attributes();
  set_result_type(attributes, "input", context.builder().type(context.input(0)));
  context.set_input_gradient(0, context.builder().append1(op, std::move(inputs), std::move(attributes)));
}

/// The elements of dx that were chosen: their positions count through a volume.
void tangent_max_pool(TangentContext& context) {
  GraphBuilder& builder = context.builder();
  const Shape x = builder.type(context.input(0)).shape, y = builder.type(context.output(0)).shape;
  const ValueId volumes = reshape(builder, context.input_tangent(0), {x[0], x[1], x[2] * x[3] * x[4]});
  const ValueId chosen = reshape(builder, context.output(1), {y[0], y[1], y[2] * y[3] * y[4]});
  if (builder.failed()) return;
  context.set_output_tangent(0, reshape(builder, gather_elements(builder, volumes, chosen, 2), y));
}

}  // namespace

const Op kMaxPool3d{
    .name = "max_pool3d",
    .formula =
        "y[n,c,k,i,j] = max_{t,u,v} x[n,c,k*s+t*d-p,i*s+u*d-p,j*s+v*d-p]; indices: (d * H + h) * W + w of the first "
        "largest",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_pool(OperandCheck("max_pool3d", inputs, {"x"}), inputs, attributes, /*max=*/true);
        },
    .cost = [](const Call& call) { return cost_forward(call, window_of(call) - 1); },
    .reference = reference_max,
    .gradient =
        [](GradientContext& context) {
          append_gradient(context, kMaxPool3dGrad, {context.output_gradient(0), context.output(1)});
        },
    .tangent = tangent_max_pool,
    .attributes = pool_attributes(3, false),
    .fusion = FusionPart::reduction,
};

const Op kMaxPool3dGrad{
    .name = "max_pool3d_grad",
    .formula = "dx[n,c,indices[n,c,k,i,j]] = sum of dy[n,c,k,i,j]",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_pool_grad(OperandCheck("max_pool3d_grad", inputs, {"dy", "indices"}), inputs, attributes);
        },
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0])); },
    .reference = reference_max_grad,
    .attributes = joined_attributes(pool_attributes(3, false), input_type_attributes()),
    .fusion = FusionPart::reduction,
};

const Op kAveragePool3d{
    .name = "average_pool3d",
    .formula = "y[n,c,k,i,j] = sum_{t,u,v} x[n,c,k*s+t-p,i*s+u-p,j*s+v-p] / count[k,i,j]",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_pool(OperandCheck("average_pool3d", inputs, {"x"}), inputs, attributes, /*max=*/false);
        },
    .cost = [](const Call& call) { return cost_forward(call, window_of(call)); },
    .reference = reference_average,
    .gradient =
        [](GradientContext& context) { append_gradient(context, kAveragePool3dGrad, {context.output_gradient(0)}); },
    .tangent = tangent_linear,
    .attributes = pool_attributes(3, true),
    .fusion = FusionPart::reduction,
};

const Op kAveragePool3dGrad{
    .name = "average_pool3d_grad",
    .formula = "dx[n,c,d,h,w] = sum of dy[n,c,k,i,j] / count[k,i,j] over the windows that cover d, h, w",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_pool_grad(OperandCheck("average_pool3d_grad", inputs, {"dy"}), inputs, attributes);
        },
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0]) * (window_of(call) + 1)); },
    .reference = reference_average_grad,
    .attributes = joined_attributes(pool_attributes(3, true), input_type_attributes()),
    .fusion = FusionPart::reduction,
};

}  // namespace engine::ops
