// SPDX-License-Identifier: Apache-2.0
// Resizing by nearest, linear and cubic interpolation in ONNX' coordinate systems, and its gradient.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/graph/resize_axes.h"
#include "engine/ops/attribute_lists.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

using std::string_view;

constexpr std::array<string_view, 7> kSystems{"half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
                                              "align_corners",       "asymmetric",           "tf_crop_and_resize",
                                              "tf_half_pixel_for_nn"};
constexpr std::array<string_view, 3> kModes{"nearest", "linear", "cubic"};
constexpr std::array<string_view, 4> kRoundings{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

// ---- types and costs
// --------------------------------------------------------------------------------------------------------

bool check_names(OperandCheck& check, const Attributes& attributes) {
  const auto known = [&](const char* key, const char* fallback, std::span<const string_view> names) {
    const std::string value = attributes.get_string(key, fallback);
    return check.that(std::ranges::find(names, value) != names.end(), "{} is \"{}\", expected one of {}", key, value,
                      fmt::join(names, ", "));
  };
  return known("mode", "nearest", kModes) && known("coordinates", "half_pixel", kSystems) &&
         known("nearest_mode", "round_prefer_floor", kRoundings);
}

bool check_resize(OperandCheck& check, const Shape& x, const Attributes& attributes) {
  const std::vector<int64_t> sizes = attributes.get_ints("sizes", {});
  if (!check_names(check, attributes) ||
      !check.that(sizes.size() == x.size(), "needs one size per axis of x ({}), got {}", x.size(), sizes.size())) {
    return false;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const double scale = attributes.get_double(resize_axis_key("scale", i), 1),
                 start = attributes.get_double(resize_axis_key("roi_start", i), 0),
                 end = attributes.get_double(resize_axis_key("roi_end", i), 1);
    if (!check.that(sizes[i] >= 0 && (x[i] > 0 || sizes[i] == 0), "axis {} of {} elements cannot become {} long", i,
                    x[i], sizes[i]) ||
        !check.that(std::isfinite(scale) && scale > 0, "the scale of axis {} is {}, expected a positive number", i,
                    scale) ||
        !check.that(std::isfinite(start) && std::isfinite(end), "the region of axis {} is {} to {}, expected numbers",
                    i, start, end)) {
      return false;
    }
  }
  return true;
}

bool check_arithmetic(OperandCheck& check, const Attributes& attributes) {
  return attributes.get_string("mode", "nearest") == "nearest" || check.numeric(0);
}

InferResult infer_resize(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("resize", inputs, {"x"});
  const Shape sizes = attributes.get_ints("sizes", {});
  if (!check.operand_count() || !check_arithmetic(check, attributes) ||
      !check_resize(check, inputs[0].shape, attributes) || !check.addressable("the result", inputs[0].dtype, sizes)) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], sizes)};
}

InferResult infer_resize_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("resize_grad", inputs, {"dy"});
  if (!check.operand_count() || !check.floating(0)) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  if (!check_result_type(check, result) || !check_resize(check, result.shape, attributes) ||
      !check.shape(0, attributes.get_ints("sizes", {}), "the sizes of the resize")) {
    return check.error();
  }
  return std::vector{result};
}

/// Elements of `small` that meet in one of `large`.
double taps_per_element(const Shape& x, const Shape& y, const Attributes& attributes) {
  const auto taps = static_cast<double>(resize_taps(attributes.get_string("mode", "nearest")));
  double product = 1;
  for (size_t i = 0; i < x.size(); ++i) product *= x[i] != y[i] ? taps : 1;
  return product;
}

/// A multiply-add per tap; nearest copies. At most the elements the taps name are read.
Cost cost_resize(const Call& call) {
  const TensorType &x = call.inputs[0], &y = call.outputs[0];
  const double named = static_cast<double>(y.elements()) * taps_per_element(x.shape, y.shape, call.attributes);
  const bool copies = call.attributes.get_string("mode", "nearest") == "nearest";
  Cost cost = full_cost(call, copies ? 0 : 2 * named);
  cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(x, named));
  return cost;
}

/// A multiply-add per tap; nearest adds.
Cost cost_resize_grad(const Call& call) {
  const TensorType &dy = call.inputs[0], &dx = call.outputs[0];
  const double named = static_cast<double>(dy.elements()) * taps_per_element(dx.shape, dy.shape, call.attributes);
  return full_cost(call, call.attributes.get_string("mode", "nearest") == "nearest" ? named : 2 * named);
}

// ---- references
// -------------------------------------------------------------------------------------------------------------

/// Which elements of y (row-major) lie outside of x on any axis.
std::vector<uint8_t> outside_elements(const Shape& y, const std::vector<ResizeAxis>& axes) {
  std::vector<uint8_t> outside;
  for_each_index(y, [&](int64_t, const std::vector<int64_t>& index) {
    uint8_t any = 0;
    for (size_t i = 0; i < index.size(); ++i) any |= axes[i].outside[static_cast<size_t>(index[i])];
    outside.push_back(any);
  });
  return outside;
}

/// Resizes one axis of row-major `values` of `shape` (its extent becomes the other one); transposed: the gradient's
/// way.
std::vector<double> along_axis(const std::vector<double>& values, Shape& shape, size_t number, const ResizeAxis& axis,
                               int64_t extent, bool transposed) {
  const AxisSplit split = split_at(shape, static_cast<int64_t>(number));
  shape[number] = extent;
  const auto outputs = static_cast<int64_t>(axis.outside.size());
  std::vector<double> result(static_cast<size_t>(split.outer * extent * split.inner), 0.0);
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t i = 0; i < outputs; ++i) {
      for (int64_t t = 0; t < axis.taps; ++t) {
        const auto tap = static_cast<size_t>(i * axis.taps + t);
        const double weight = axis.weight[tap];
        if (weight == 0) continue;
        const int64_t from = transposed ? i : axis.index[tap], to = transposed ? axis.index[tap] : i;
        const double* read = values.data() + (o * split.extent + from) * split.inner;
        double* write = result.data() + (o * extent + to) * split.inner;
        for (int64_t k = 0; k < split.inner; ++k) write[k] += weight * read[k];
      }
    }
  }
  return result;
}

void reference_nearest(const Tensor& x, const std::vector<ResizeAxis>& axes, double extrapolation, const Tensor& y) {
  const Strides strides = contiguous_strides(x.shape());
  std::vector<int64_t> sources;
  for_each_index(y.shape(), [&](int64_t, const std::vector<int64_t>& index) {
    int64_t source = 0;
    for (size_t i = 0; i < index.size() && source != kNoElement; ++i) {
      const auto at = static_cast<size_t>(index[i]);
      source = axes[i].outside[at] != 0 ? kNoElement : source + axes[i].index[at] * strides[i];
    }
    sources.push_back(source);
  });
  move_elements(x, sources, extrapolation, y);
}

void reference_resize(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Attributes& attributes = *arguments.attributes;
  if (y.type().elements() == 0) return;
  const std::vector<ResizeAxis> axes = resize_axes(x.shape(), attributes);
  const double extrapolation = attributes.get_double("extrapolation_value", 0);
  if (attributes.get_string("mode", "nearest") == "nearest") return reference_nearest(x, axes, extrapolation, y);
  std::vector<double> values = load(x);
  Shape shape = x.shape();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].identity) values = along_axis(values, shape, i, axes[i], y.shape()[i], /*transposed=*/false);
  }
  const std::vector<uint8_t> outside = outside_elements(y.shape(), axes);
  for (size_t i = 0; i < values.size(); ++i) values[i] = outside[i] != 0 ? extrapolation : values[i];
  store(y, values);
}

void reference_resize_grad(KernelArguments& arguments) {
  const Tensor &dy = arguments.inputs[0], &dx = arguments.outputs[0];
  std::vector<double> values = load(dy);
  if (values.empty()) return store(dx, std::vector<double>(static_cast<size_t>(dx.type().elements()), 0.0));
  const std::vector<ResizeAxis> axes = resize_axes(dx.shape(), *arguments.attributes);
  const std::vector<uint8_t> outside = outside_elements(dy.shape(), axes);
  for (size_t i = 0; i < values.size(); ++i) values[i] = outside[i] != 0 ? 0 : values[i];
  Shape shape = dy.shape();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].identity) values = along_axis(values, shape, i, axes[i], dx.shape()[i], /*transposed=*/true);
  }
  store(dx, values);
}

void gradient_resize(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  Attributes attributes = context.attributes();
  set_result_type(attributes, "input", builder.type(context.input(0)));
  context.set_input_gradient(0, builder.append1(kResizeGrad, {context.output_gradient(0)}, std::move(attributes)));
}

/// What stands for elements outside of x does not move.
void tangent_resize(TangentContext& context) {
  Attributes attributes = context.attributes();
  attributes.set("extrapolation_value", 0.0);
  context.set_output_tangent(0, context.builder().append1(kResize, {context.input_tangent(0)}, std::move(attributes)));
}

Attributes resize_attributes(std::vector<int64_t> sizes, const ResizeOptions& options) {
  return {{"sizes", std::move(sizes)},
          {"mode", options.mode},
          {"coordinates", options.coordinates},
          {"nearest_mode", options.nearest_mode},
          {"cubic_coefficient", options.cubic_coefficient},
          {"exclude_outside", int64_t{options.exclude_outside}},
          {"extrapolation_value", options.extrapolation_value}};
}

ValueId append_resize(GraphBuilder& builder, ValueId x, Attributes attributes, const ResizeOptions& options) {
  const auto rank = static_cast<size_t>(builder.type(x).rank());
  OperandCheck check("resize", {}, {});
  const bool crops = options.coordinates == "tf_crop_and_resize";
  if (!check.that(!crops || options.roi.size() == 2 * rank,
                  "roi needs the starts and the ends of all {} axes, got {} numbers", rank, options.roi.size())) {
    return builder.fail(check.error());
  }
  for (size_t i = 0; crops && i < rank; ++i) {
    attributes.set(resize_axis_key("roi_start", i), options.roi[i]);
    attributes.set(resize_axis_key("roi_end", i), options.roi[rank + i]);
  }
  if (!check.that(options.scales.empty() || options.scales.size() == rank, "needs one scale per axis of x ({}), got {}",
                  rank, options.scales.size()))
    return builder.fail(check.error());
  for (size_t i = 0; i < options.scales.size(); ++i) attributes.set(resize_axis_key("scale", i), options.scales[i]);
  return builder.append1(kResize, {x}, std::move(attributes));
}

}  // namespace

const Op kResize{
    .name = "resize",
    .formula = "y[i] = sum over the taps t of i, axis by axis: w[i,t] x[i,t]",
    .infer = infer_resize,
    .cost = cost_resize,
    .reference = reference_resize,
    .gradient = gradient_resize,
    .tangent = tangent_resize,
    .attributes = {AttributeSpec::list("sizes"),
                   AttributeSpec::word("mode", "nearest"),
                   AttributeSpec::word("coordinates", "half_pixel"),
                   AttributeSpec::word("nearest_mode", "round_prefer_floor"),
                   AttributeSpec::real("cubic_coefficient", -0.75),
                   AttributeSpec::whole("exclude_outside", 0),
                   AttributeSpec::real("extrapolation_value", 0),
                   {.key = "scale", .kind = AttributeKind::real, .per_axis = true},
                   {.key = "roi_start", .kind = AttributeKind::real, .per_axis = true},
                   {.key = "roi_end", .kind = AttributeKind::real, .per_axis = true}},
};

const Op kResizeGrad{
    .name = "resize_grad",
    .formula = "dx[j] = sum of w[i,t] dy[i] over all taps t of i that are j",
    .infer = infer_resize_grad,
    .cost = cost_resize_grad,
    .reference = reference_resize_grad,
    .attributes = joined_attributes(kResize.attributes, input_type_attributes()),
};

ValueId resize(GraphBuilder& builder, ValueId x, std::vector<int64_t> sizes, const ResizeOptions& options) {
  if (builder.failed()) return kNoValue;
  return append_resize(builder, x, resize_attributes(std::move(sizes), options), options);
}

ValueId resize_by(GraphBuilder& builder, ValueId x, const std::vector<double>& scales, const ResizeOptions& options) {
  if (builder.failed()) return kNoValue;
  const Shape shape = builder.type(x).shape;
  OperandCheck check("resize", {}, {});
  if (!check.that(scales.size() == shape.size(), "needs one scale per axis of x ({}), got {}", shape.size(),
                  scales.size())) {
    return builder.fail(check.error());
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < scales.size(); ++i) {
    const double extent = std::floor(static_cast<double>(shape[i]) * scales[i]);
    if (!check.that(scales[i] > 0 && extent < 9e18,
                    "the scale of axis {} ({} elements) is {}: it must be positive and give an extent", i, shape[i],
                    scales[i])) {
      return builder.fail(check.error());
    }
    sizes.push_back(static_cast<int64_t>(extent));
  }
  Attributes attributes = resize_attributes(std::move(sizes), options);
  for (size_t i = 0; i < scales.size(); ++i) attributes.set(resize_axis_key("scale", i), scales[i]);
  return append_resize(builder, x, std::move(attributes), options);
}

}  // namespace engine::ops
