// SPDX-License-Identifier: Apache-2.0
// im2col lays the windows of an image out as the columns of a matrix; col2im adds them up again.
#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/tangents.h"
#include "engine/ops/window.h"

namespace engine::ops {
namespace {

struct Geometry {
  int64_t batch = 0, channels = 0;
  WindowAxis height, width;

  int64_t taps() const { return height.kernel * width.kernel; }
  int64_t windows() const { return height.output * width.output; }
};

/// Checks that the columns of an image of shape `x` have an address.
bool make_geometry(OperandCheck& check, const Shape& x, const Attributes& attributes, Geometry& g) {
  const std::vector<int64_t> kernel = attributes.get_ints("kernel", {}), stride = attributes.get_ints("stride", {1, 1}),
                             dilation = attributes.get_ints("dilation", {1, 1}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0});
  if (!check.that(kernel.size() == 2 && stride.size() == 2 && dilation.size() == 2 && padding.size() == 4,
                  "needs 2 kernel extents, 2 strides, 2 dilations and 4 paddings, got {}, {}, {} and {}", kernel.size(),
                  stride.size(), dilation.size(), padding.size()) ||
      !make_window(check, {"height", x[2], kernel[0], stride[0], dilation[0], padding[0], padding[2]}, g.height) ||
      !make_window(check, {"width", x[3], kernel[1], stride[1], dilation[1], padding[1], padding[3]}, g.width)) {
    return false;
  }
  g.batch = x[0];
  g.channels = x[1];
  return check.addressable("columns of", DType::float64,
                           {x[0], x[1], kernel[0], kernel[1], g.height.output, g.width.output}) &&
         check.addressable("a column of", DType::float64, {x[1], kernel[0], kernel[1]}) &&
         check.addressable("a row of", DType::float64, {g.height.output, g.width.output});
}

Geometry geometry_of(const Shape& x, const Attributes& attributes) {
  OperandCheck check("im2col", {}, {});
  Geometry geometry;
  CHECK(make_geometry(check, x, attributes, geometry));
  return geometry;
}

Shape columns_shape(const Geometry& g) { return {g.batch, g.channels * g.taps(), g.windows()}; }

/// Calls visit(column index, image index) for each tap of each window that meets the image; indices are row-major.
template <class Visit>
void for_each_tap(const Geometry& g, Visit visit) {
  const WindowAxis &h = g.height, &w = g.width;
  for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
    for (int64_t u = 0; u < h.kernel; ++u) {
      const WindowAxis::Range rows = h.outputs_with(u);
      for (int64_t v = 0; v < w.kernel; ++v) {
        const WindowAxis::Range columns = w.outputs_with(v);
        const int64_t first = ((plane * h.kernel + u) * w.kernel + v) * g.windows();
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          for (int64_t j = columns.begin; j < columns.end; ++j) {
            visit(first + i * w.output + j, (plane * h.input + h.position(i, u)) * w.input + w.position(j, v));
          }
        }
      }
    }
  }
}

InferResult infer_im2col(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("im2col", inputs, {"x"});
  Geometry geometry;
  if (!check.operand_count() || !check.numeric(0) || !check.rank(0, 4) ||
      !make_geometry(check, inputs[0].shape, attributes, geometry)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, columns_shape(geometry))};
}

InferResult infer_col2im(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("col2im", inputs, {"columns"});
  if (!check.operand_count() || !check.numeric(0) || !check.rank(0, 3)) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  Geometry geometry;
  if (!check.that(result.rank() == 4, "input_shape must have 4 extents, got {}", result.rank()) ||
      !make_geometry(check, result.shape, attributes, geometry) ||
      !check.shape(0, columns_shape(geometry), "what im2col makes of the image") ||
      !check.addressable("the result", result.dtype, result.shape) ||
      !check.dense("the result", result.shape, result.strides)) {
    return check.error();
  }
  return std::vector{result};
}

void reference_im2col(KernelArguments& arguments) {
  const std::vector<double> x = load(arguments.inputs[0]);
  std::vector<double> columns(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  if (columns.empty()) return;
  for_each_tap(geometry_of(arguments.inputs[0].shape(), *arguments.attributes),
               [&](int64_t column, int64_t image) { columns[column] = x[image]; });
  store(arguments.outputs[0], columns);
}

void reference_col2im(KernelArguments& arguments) {
  const std::vector<double> columns = load(arguments.inputs[0]);
  std::vector<double> x(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  if (!x.empty()) {
    for_each_tap(geometry_of(arguments.outputs[0].shape(), *arguments.attributes),
                 [&](int64_t column, int64_t image) { x[image] += columns[column]; });
  }
  store(arguments.outputs[0], x);
}

Attributes settings(const Attributes& all) {
  return {{"kernel", all.get_ints("kernel", {})},
          {"stride", all.get_ints("stride", {1, 1})},
          {"padding", all.get_ints("padding", {0, 0, 0, 0})},
          {"dilation", all.get_ints("dilation", {1, 1})}};
}

Attributes attributes_of(const UnfoldOptions& options) {
  return {{"kernel", options.kernel},
          {"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation}};
}

}  // namespace

const Op kIm2col{
    .name = "im2col",
    .formula = "columns[n, (c * KH + u) * KW + v, i * OW + j] = x[n,c,i*s+u*d-p,j*s+v*d-p], 0 in the padding",
    .infer = infer_im2col,
    .cost =
        [](const Call& call) {
          Cost cost = full_cost(call, 0);
          if (call.outputs[0].elements() == 0) return cost;
          const Geometry geometry = geometry_of(call.inputs[0].shape, call.attributes);
          TensorType touched = call.inputs[0];
          touched.shape[2] = geometry.height.inputs_read();
          touched.shape[3] = geometry.width.inputs_read();
          cost.read_bytes[0] = touched.distinct_bytes();
          return cost;
        },
    .reference = reference_im2col,
    .gradient =
        [](GradientContext& context) {
          if (!context.needed(0)) return;
          Attributes attributes = settings(context.attributes());
          set_result_type(attributes, "input", context.builder().type(context.input(0)));
          context.set_input_gradient(
              0, context.builder().append1(kCol2im, {context.output_gradient(0)}, std::move(attributes)));
        },
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::list("kernel"), AttributeSpec::list("stride", {1, 1}),
                   AttributeSpec::list("padding", {0, 0, 0, 0}), AttributeSpec::list("dilation", {1, 1})},
};

const Op kCol2im{
    .name = "col2im",
    .formula = "x[n,c,i*s+u*d-p,j*s+v*d-p] = sum of columns[n, (c * KH + u) * KW + v, i * OW + j]",
    .infer = infer_col2im,
    // One addition per element of the columns.
    .cost = [](const Call& call) { return full_cost(call, static_cast<double>(call.inputs[0].elements())); },
    .reference = reference_col2im,
    .gradient =
        [](GradientContext& context) {
          if (!context.needed(0)) return;
          context.set_input_gradient(
              0, context.builder().append1(kIm2col, {context.output_gradient(0)}, settings(context.attributes())));
        },
    .tangent = tangent_linear,
    .attributes = joined_attributes(kIm2col.attributes, input_type_attributes()),
};

ValueId im2col(GraphBuilder& builder, ValueId x, const UnfoldOptions& options) {
  return builder.append1(kIm2col, {x}, attributes_of(options));
}

ValueId col2im(GraphBuilder& builder, ValueId columns, const Shape& shape, const UnfoldOptions& options) {
  Attributes attributes = attributes_of(options);
  attributes.set("input_shape", shape);
  attributes.set("input_strides", contiguous_strides(shape));
  return builder.append1(kCol2im, {columns}, std::move(attributes));
}

}  // namespace engine::ops
