// SPDX-License-Identifier: Apache-2.0
// Coordinates, roundings and weights of a resize.
#include "engine/graph/resize_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {
namespace {

/// How one axis is read.
struct Coordinates {
  std::string system;
  double scale = 1, input = 1, output = 1;
  double roi_start = 0, roi_end = 1;

  Coordinates(const Attributes& attributes, int64_t input_extent, int64_t output_extent, size_t axis)
      : system(attributes.get_string("coordinates", "half_pixel")),
        scale(attributes.get_double(resize_axis_key("scale", axis),
                                    static_cast<double>(output_extent) / static_cast<double>(input_extent))),
        input(static_cast<double>(input_extent)),
        output(static_cast<double>(output_extent)),
        roi_start(attributes.get_double(resize_axis_key("roi_start", axis), 0)),
        roi_end(attributes.get_double(resize_axis_key("roi_end", axis), 1)) {}

  /// Where output i lies on the axis of x. Lengths are not rounded: 4 elements scaled by 0.6 are 2.4 long (and give 2).
  double source(int64_t i) const {
    const double at = static_cast<double>(i), length = scale * input;
    if (system == "align_corners") return length == 1 ? 0 : at * (input - 1) / (length - 1);
    if (system == "asymmetric") return at / scale;
    if (system == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
    if (system == "pytorch_half_pixel" && length == 1) return -0.5;
    if (system == "half_pixel_symmetric") return input / 2 * (1 - output / length) + (at + 0.5) / scale - 0.5;
    if (system == "tf_crop_and_resize") {
      const double step = length == 1 ? (roi_end - roi_start) * (input - 1) / 2
                                      : at * (roi_end - roi_start) * (input - 1) / (length - 1);
      return step + roi_start * (input - 1);
    }
    return (at + 0.5) / scale - 0.5;  // half_pixel, pytorch_half_pixel
  }
  bool outside(double at) const { return system == "tf_crop_and_resize" && (at < 0 || at > input - 1); }
};

/// Of positions floor(at) and floor(at) + 1 the one that stands for `at`; ratio = at - floor(at).
double rounded(double at, std::string_view rounding) {
  const double floor = std::floor(at), ratio = at - floor;
  if (ratio == 0 || rounding == "floor") return floor;
  if (rounding == "ceil") return floor + 1;
  return ratio < 0.5 || (ratio == 0.5 && rounding == "round_prefer_floor") ? floor : floor + 1;
}

/// Keys' cubic convolution with coefficient a at distances 1 + r, r, 1 - r, 2 - r.
std::array<double, 4> cubic_weights(double r, double a) {
  const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(1 + r), near(r), near(1 - r), far(2 - r)};
}

ResizeAxis make_axis(const Attributes& attributes, int64_t input, int64_t output, size_t number) {
  const std::string mode = attributes.get_string("mode", "nearest"),
                    rounding = attributes.get_string("nearest_mode", "round_prefer_floor");
  const bool exclude_outside = attributes.get_int("exclude_outside", 0) != 0;
  const double a = attributes.get_double("cubic_coefficient", -0.75);
  const Coordinates coordinates(attributes, input, output, number);
  ResizeAxis axis;
  axis.taps = resize_taps(mode);
  axis.identity = input == output;
  for (int64_t i = 0; i < output; ++i) {
    // Far beyond the ends all taps are the end's: held there, so that the position is an int64 below.
    const double at = std::clamp(coordinates.source(i), -8.0, static_cast<double>(input) + 8);
    const double floor = std::floor(at), ratio = at - floor;
    axis.outside.push_back(coordinates.outside(at));
    std::array<double, 4> weights{1 - ratio, ratio, 0, 0};
    int64_t first = static_cast<int64_t>(floor);
    if (mode == "nearest") {
      weights = {1, 0, 0, 0};
      first = static_cast<int64_t>(rounded(at, rounding));
    } else if (mode == "cubic") {
      weights = cubic_weights(ratio, a);
      first -= 1;
    }
    double inside = 0;
    for (int64_t t = 0; t < axis.taps; ++t)
      inside += first + t >= 0 && first + t < input ? weights[static_cast<size_t>(t)] : 0;
    for (int64_t t = 0; t < axis.taps; ++t) {
      double weight = weights[static_cast<size_t>(t)];
      const int64_t index = std::clamp<int64_t>(first + t, 0, input - 1);
      if (exclude_outside && inside != 0) weight = index == first + t ? weight / inside : 0;
      axis.identity = axis.identity && axis.outside.back() == 0 && (weight == 0 || (weight == 1 && index == i));
      axis.index.push_back(index);
      axis.weight.push_back(weight);
    }
  }
  return axis;
}

}  // namespace

int64_t resize_taps(std::string_view mode) { return mode == "nearest" ? 1 : mode == "linear" ? 2 : 4; }

std::string resize_axis_key(std::string_view key, size_t axis) { return fmt::format("{}_{}", key, axis); }

std::vector<ResizeAxis> resize_axes(const Shape& shape, const Attributes& attributes) {
  const std::vector<int64_t> sizes = attributes.get_ints("sizes", {});
  std::vector<ResizeAxis> axes;
  for (size_t i = 0; i < shape.size(); ++i) axes.push_back(make_axis(attributes, shape[i], sizes[i], i));
  return axes;
}

std::optional<std::vector<std::vector<int64_t>>> nearest_tables(const Shape& x, const Attributes& attributes) {
  if (attributes.get_string("mode", "nearest") != "nearest") return std::nullopt;
  std::vector<std::vector<int64_t>> sources;
  for (const ResizeAxis& axis : resize_axes(x, attributes)) {
    std::vector<int64_t>& table = sources.emplace_back(axis.index);
    for (size_t i = 0; i < table.size(); ++i) table[i] = axis.outside[i] != 0 ? -1 : table[i];
  }
  return sources;
}

}  // namespace engine
