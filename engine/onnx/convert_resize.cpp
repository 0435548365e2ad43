// SPDX-License-Identifier: Apache-2.0
// Resampling.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/indexing.h"

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
  if (node.flag("antialias", false)) node.fail("attribute antialias: only 0 is supported");
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    node.fail("attribute keep_aspect_ratio_policy: only stretch is supported");
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
    return node.set_output(old && options.mode == "nearest" ? old_nearest(node, x, scales, options)
                                                            : ops::resize_by(node.builder(), x, scales, options));
  }
  const std::vector<int64_t> sizes =
      spread(node, axes, node.constant_integers(3, "sizes"), std::vector<int64_t>(shape), "sizes");
  if (!node.failed()) node.set_output(ops::resize(node.builder(), x, sizes, options));
}

}  // namespace engine::onnx
