// SPDX-License-Identifier: Apache-2.0
// Resampling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// The i-th of `axes` gets values[i], the others `fallback`.
template <class Value>
std::vector<Value> spread(NodeContext& node, const std::vector<int64_t>& axes, const std::vector<Value>& values,
                          const std::vector<Value>& fallback, std::string_view what) {
  std::vector<Value> all = fallback;
  if (values.size() != axes.size()) {
    node.fail(fmt::format("{}: has {} entries for {} axes", what, values.size(), axes.size()));
    return all;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(front_axis(node, axes[i], static_cast<int64_t>(all.size()), "axes"));
    if (node.failed()) return all;
    all[axis] = values[i];
  }
  return all;
}

std::string read_mode(NodeContext& node) {
  const std::string mode = node.text("mode", "nearest");
  if (mode == "bilinear" || mode == "trilinear") return "linear";
  return mode;
}

/// Opset 10 names no neighbour. Its own cases and onnxruntime take the left one of axes that grow and the right one of
/// axes that shrink: axis by axis the same as one after the other.
ValueId old_nearest(NodeContext& node, ValueId x, const std::vector<double>& scales, ops::ResizeOptions options) {
  std::vector<double> shrinking = scales, growing = scales;
  for (double& scale : shrinking) scale = scale < 1 ? scale : 1;  // not min: NaN stays in the others, which are checked
  for (double& scale : growing) scale = scale < 1 ? 1 : scale;
  const auto changes = [](double scale) { return scale != 1; };
  if (std::ranges::any_of(shrinking, changes)) {
    options.nearest_mode = "ceil";
    x = ops::resize_by(node.builder(), x, shrinking, options);
    if (std::ranges::none_of(growing, changes)) return x;
  }
  options.nearest_mode = "floor";
  return node.failed() ? kNoValue : ops::resize_by(node.builder(), x, growing, options);
}

/// Keep the ratio of extents: all of `axes` grow by the same factor, the least or the largest of those to `sizes`.
std::vector<int64_t> proportional(const Shape& shape, const std::vector<int64_t>& axes, std::vector<int64_t> sizes,
                                  bool not_larger, std::vector<double>& scales) {
  std::optional<double> factor;
  for (const int64_t named : axes) {
    const auto axis = static_cast<size_t>(named < 0 ? named + static_cast<int64_t>(shape.size()) : named);
    if (shape[axis] == 0) continue;
    const double own = static_cast<double>(sizes[axis]) / static_cast<double>(shape[axis]);
    factor = !factor ? own : not_larger ? std::min(*factor, own) : std::max(*factor, own);
  }
  if (!factor || *factor <= 0) return sizes;
  scales.assign(shape.size(), 1);
  for (const int64_t named : axes) {
    const auto axis = static_cast<size_t>(named < 0 ? named + static_cast<int64_t>(shape.size()) : named);
    sizes[axis] = static_cast<int64_t>(std::min(std::floor(static_cast<double>(shape[axis]) * *factor + 0.5), 1e18));
    scales[axis] = *factor;
  }
  return sizes;
}

/// Where output `o` lies among the inputs of an axis.
std::optional<double> input_place(const std::string& coordinates, int64_t o, int64_t extent, int64_t size,
                                  double scale) {
  const auto at = static_cast<double>(o);
  if (coordinates == "asymmetric") return at / scale;
  if (coordinates == "align_corners")
    return size <= 1 ? 0 : at * static_cast<double>(extent - 1) / static_cast<double>(size - 1);
  if (coordinates == "pytorch_half_pixel" && size <= 1) return 0;
  if (coordinates == "half_pixel" || coordinates == "pytorch_half_pixel") return (at + 0.5) / scale - 0.5;
  if (coordinates != "half_pixel_symmetric") return std::nullopt;
  const double adjustment = static_cast<double>(size) / (scale * static_cast<double>(extent));
  const double centre = static_cast<double>(extent) / 2;
  return centre * (1 - adjustment) + (at + 0.5) / scale - 0.5;
}

/// What an input at `distance` weighs: a triangle, or Keys' cubic.
double filter_weight(bool cubic, double a, double distance) {
  const double x = std::abs(distance);
  if (!cubic) return std::max(1 - x, 0.0);
  if (x >= 2) return 0;
  return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

/// One axis by a matrix [extent, size] whose filter is as wide as an output is, so that nothing is passed over.
ValueId antialiased_axis(NodeContext& node, ValueId x, size_t axis, int64_t size, double scale,
                         const ops::ResizeOptions& options) {
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  const int64_t extent = type.shape[axis];
  const double narrow = std::min(scale, 1.0);
  const bool cubic = options.mode == "cubic";
  const auto reach = static_cast<int64_t>(std::ceil((cubic ? 2 : 1) / narrow));
  std::vector<double> matrix(static_cast<size_t>(extent * size), 0.0);
  for (int64_t o = 0; o < size; ++o) {
    const std::optional<double> place = input_place(options.coordinates, o, extent, size, scale);
    if (!place) {
      node.fail(fmt::format("attribute antialias: 1 is not supported with {}", options.coordinates));
      return kNoValue;
    }
    const auto middle = static_cast<int64_t>(std::floor(*place));
    double sum = 0;
    for (int64_t i = middle - reach; i <= middle + reach + 1; ++i) {
      if (options.exclude_outside && (i < 0 || i >= extent)) continue;
      sum += filter_weight(cubic, options.cubic_coefficient, (static_cast<double>(i) - *place) * narrow);
    }
    for (int64_t i = middle - reach; i <= middle + reach + 1; ++i) {
      if (options.exclude_outside && (i < 0 || i >= extent)) continue;
      const double weight = filter_weight(cubic, options.cubic_coefficient, (static_cast<double>(i) - *place) * narrow);
      matrix[static_cast<size_t>(std::clamp<int64_t>(i, 0, extent - 1) * size + o)] += sum == 0 ? 0 : weight / sum;
    }
  }
  const ValueId weights = constant_of(node, Tensor::from_values({extent, size}, matrix, type.dtype));
  if (node.failed()) return kNoValue;
  const auto last = static_cast<int64_t>(type.shape.size()) - 1;
  const ValueId turned = ops::transpose(builder, x, static_cast<int64_t>(axis), last);
  const ValueId y = ops::matmul(builder, last == 0 ? ops::unsqueeze(builder, turned, 0) : turned, weights);
  return ops::transpose(builder, last == 0 ? ops::squeeze(builder, y, 0) : y, static_cast<int64_t>(axis), last);
}

constexpr int64_t kMostWeights = int64_t{1} << 26;

ValueId antialiased(NodeContext& node, ValueId x, const std::vector<int64_t>& sizes,
                    const ops::ResizeOptions& options) {
  const DType dtype = node.builder().type(x).dtype;
  if (dtype != DType::float32 && dtype != DType::float64) x = ops::cast(node.builder(), x, DType::float32);
  for (size_t axis = 0; axis < sizes.size() && !node.failed(); ++axis) {
    const Shape shape = node.builder().type(x).shape;
    const double ratio = static_cast<double>(sizes[axis]) / static_cast<double>(shape[axis]);
    const double scale = options.scales.empty() ? ratio : options.scales[axis];
    if (sizes[axis] == shape[axis] && scale == 1) continue;
    if (shape[axis] < 1 || sizes[axis] < 1 || !(scale > 0) || sizes[axis] > kMostWeights / shape[axis]) {
      node.fail(
          fmt::format("axis {} of {} elements cannot become {} long with antialias", axis, shape[axis], sizes[axis]));
      return kNoValue;
    }
    x = antialiased_axis(node, x, axis, sizes[axis], scale, options);
  }
  if (node.failed()) return kNoValue;
  GraphBuilder& builder = node.builder();
  if (dtype == DType::uint8 || dtype == DType::int8) {
    const bool is_signed = dtype == DType::int8;
    x = ops::clip(builder, ops::round(builder, x), is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
  } else if (!is_floating(dtype)) {
    x = ops::round(builder, x);
  }
  x = ops::contiguous(builder, x);
  return builder.failed() || builder.type(x).dtype == dtype ? x : ops::cast(builder, x, dtype);
}

std::vector<int64_t> scaled_extents(const Shape& shape, const std::vector<double>& scales) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const double extent = std::floor(static_cast<double>(shape[i]) * scales[i]);
    sizes.push_back(extent >= 0 && extent < 1e15 ? static_cast<int64_t>(extent) : 0);
  }
  return sizes;
}

}  // namespace

/// Before opset 10 the only resampling: the left neighbour, or linear without half pixels.
void convert_upsample(NodeContext& node) {
  ops::ResizeOptions options;
  options.mode = read_mode(node);
  options.coordinates = "asymmetric";
  options.nearest_mode = "floor";
  std::vector<double> scales;
  if (node.opset() < 7) scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
  else if (node.opset() < 9) scales = node.reals("scales", {});
  else scales = node.constant_reals(1, "scales");
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::resize_by(node.builder(), x, scales, options));
}

void convert_resize(NodeContext& node) {
  const bool old = node.opset() < 11;  // X, scales; the coordinates of Upsample
  ops::ResizeOptions options;
  options.mode = read_mode(node);
  options.coordinates = node.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
  options.nearest_mode = node.text("nearest_mode", old ? "floor" : "round_prefer_floor");
  options.cubic_coefficient = node.real("cubic_coeff_a", -0.75);
  options.exclude_outside = node.flag("exclude_outside", false);
  options.extrapolation_value = node.real("extrapolation_value", 0);
  const bool antialias = node.flag("antialias", false) && options.mode != "nearest";
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    node.fail(
        fmt::format("attribute keep_aspect_ratio_policy: {} is none of stretch, not_larger and not_smaller", policy));
  const Shape shape = node.input_type(0).shape;
  const size_t rank = shape.size();
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  axes = node.integers("axes", axes, -kLargestRank, kLargestRank);
  if (options.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = node.constant_reals(1, "roi");
    if (!node.failed() && roi.size() != 2 * axes.size())
      node.fail("input 1 (roi): needs a start and an end for each axis");
    if (node.failed()) return;
    const auto middle = roi.begin() + static_cast<std::ptrdiff_t>(axes.size());
    options.roi = spread(node, axes, std::vector<double>(roi.begin(), middle), std::vector<double>(rank, 0), "roi");
    const std::vector<double> ends =
        spread(node, axes, std::vector<double>(middle, roi.end()), std::vector<double>(rank, 1), "roi");
    options.roi.insert(options.roi.end(), ends.begin(), ends.end());
  }
  std::vector<double> scales;
  const size_t scales_input = old ? 1 : 2;
  if (node.has_input(scales_input)) scales = node.constant_reals(scales_input, "scales");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (!scales.empty()) {
    scales = spread(node, axes, scales, std::vector<double>(rank, 1), "scales");
    if (node.failed()) return;
    if (antialias) {
      options.scales = scales;
      const ValueId y = antialiased(node, x, scaled_extents(shape, scales), options);
      return node.failed() ? void() : node.set_output(y);
    }
    return node.set_output(old && options.mode == "nearest" ? old_nearest(node, x, scales, options)
                                                            : ops::resize_by(node.builder(), x, scales, options));
  }
  std::vector<int64_t> sizes =
      spread(node, axes, node.constant_integers(3, "sizes"), std::vector<int64_t>(shape), "sizes");
  if (node.failed()) return;
  if (policy != "stretch") sizes = proportional(shape, axes, sizes, policy == "not_larger", options.scales);
  const ValueId y = antialias ? antialiased(node, x, sizes, options) : ops::resize(node.builder(), x, sizes, options);
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
