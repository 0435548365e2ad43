// SPDX-License-Identifier: Apache-2.0
// Images and volumes read at any places, as gathers of neighbours and their weighted sum: GridSample, DeformConv; and
// the places of AffineGrid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/windows.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

enum class Between : uint8_t { nearest, linear, cubic };
enum class Outside : uint8_t { zeros, border, reflection };

/// How an axis of `extent` elements is read.
struct Reading {
  Between between = Between::linear;
  Outside outside = Outside::zeros;
  bool align_corners = false;
  int64_t extent = 1;
};

/// Coordinates in [-1, 1] become elements: ends are those of the axis, or the middles of its outermost elements.
ValueId elements_of(GraphBuilder& builder, ValueId x, const Reading& r) {
  const auto size = static_cast<double>(r.extent);
  return r.align_corners ? ops::scale(builder, x, (size - 1) / 2, (size - 1) / 2)
                         : ops::scale(builder, x, size / 2, (size - 1) / 2);
}

/// Turned back at both ends of the axis, as often as it takes.
ValueId reflected(GraphBuilder& builder, ValueId x, const Reading& r) {
  const double low = r.align_corners ? 0 : -0.5, length = static_cast<double>(r.extent) - (r.align_corners ? 1 : 0);
  if (length == 0) return ops::clip(builder, x, 0.0, 0.0);
  // length - |t - length| with t in [0, 2 length)
  const ValueId from_low = ops::scale(builder, x, 1, -low);
  const ValueId rounds = ops::floor(builder, ops::scale(builder, from_low, 1 / (2 * length)));
  const ValueId t = ops::scaled_add(builder, from_low, rounds, -2 * length);
  return ops::scale(builder, ops::absolute(builder, ops::scale(builder, t, 1, -length)), -1, length + low);
}

/// A neighbour along one axis: its index within the axis, and how much it weighs there.
struct Neighbour {
  ValueId index = kNoValue, weight = kNoValue;
};

/// Beyond the axis: 0 weighs nothing; the border and what is reflected are elements of the axis.
Neighbour neighbour(GraphBuilder& builder, ValueId index, ValueId weight, const Reading& r) {
  if (r.outside == Outside::reflection) index = ops::round(builder, reflected(builder, index, r));
  const ValueId inside = ops::clip(builder, index, 0.0, static_cast<double>(r.extent - 1));
  if (r.outside == Outside::zeros && !builder.failed()) {
    const ValueId valid = ops::cast(builder, ops::equal(builder, inside, index), builder.type(index).dtype);
    weight = weight == kNoValue ? valid : ops::multiply(builder, weight, valid);
  }
  return {inside, weight};
}

/// Keys' cubic (a = -3/4) at distance 1 + t, t, 1 - t and 2 - t.
std::array<ValueId, 4> cubic_weights(GraphBuilder& builder, ValueId t) {
  constexpr double a = -0.75;
  const ValueId square = ops::multiply(builder, t, t), cube = ops::multiply(builder, square, t);
  const auto polynomial = [&](double c3, double c2, double c1, double c0) {
    return ops::add(builder, ops::scale(builder, cube, c3, c0),
                    ops::scaled_add(builder, ops::scale(builder, square, c2), t, c1));
  };
  return {polynomial(a, -2 * a, a, 0), polynomial(a + 2, -(a + 3), 0, 1), polynomial(-(a + 2), 2 * a + 3, -a, 0),
          polynomial(-a, a, 0, 0)};
}

/// What each place x, in elements, is made of along one axis.
std::vector<Neighbour> neighbours(GraphBuilder& builder, ValueId x, const Reading& r) {
  if (r.between == Between::nearest) return {neighbour(builder, ops::round(builder, x), kNoValue, r)};
  if (r.outside == Outside::border && (r.between == Between::linear || r.align_corners))
    x = ops::clip(builder, x, 0.0, static_cast<double>(r.extent - 1));
  if (r.outside == Outside::border && r.between == Between::cubic && !r.align_corners) {
    // Places beyond the outermost elements are moved to their middles; those upon them are not.
    const ValueId held = ops::clip(builder, x, -0.5, static_cast<double>(r.extent) - 0.5);
    const ValueId middle = ops::clip(builder, x, 0.0, static_cast<double>(r.extent - 1));
    x = ops::where(builder, ops::equal(builder, held, x), x, middle);
  }
  if (r.outside == Outside::reflection) x = reflected(builder, x, r);
  const ValueId low = ops::floor(builder, x), part = ops::subtract(builder, x, low);
  if (r.between == Between::linear)
    return {neighbour(builder, low, ops::scale(builder, part, -1, 1), r),
            neighbour(builder, ops::scale(builder, low, 1, 1), part, r)};
  std::vector<Neighbour> four;
  const std::array<ValueId, 4> weights = cubic_weights(builder, part);
  for (size_t i = 0; i < weights.size(); ++i)
    four.push_back(neighbour(builder, ops::scale(builder, low, 1, static_cast<double>(i) - 1), weights[i], r));
  return four;
}

/// The sum over all neighbours along all axes, for all channels of a place at once. `x` [n, sets * c, extents]; each
/// neighbour's index and weight [n, sets, places]. Result [n, sets, places, c].
class Sampler {
 public:
  Sampler(NodeContext& node, ValueId x, int64_t sets) : node_(node), builder_(node.builder()) {
    const Shape shape = builder_.type(x).shape;
    extents_.assign(shape.begin() + 2, shape.end());
    if (!element_count(extents_)) node.fail("input 0: its planes have more elements than 63 bits count");
    if (node.failed()) return;
    n_ = shape[0], sets_ = sets;
    std::vector<int64_t> channels_last{0};
    for (int64_t axis = 2; axis < static_cast<int64_t>(shape.size()); ++axis) channels_last.push_back(axis);
    channels_last.push_back(1);
    for (const int64_t extent : extents_) elements_ *= extent;
    rows_ = ops::reshape(builder_, ops::contiguous(builder_, ops::permute(builder_, x, channels_last)),
                         {n_ * elements_ * sets_, shape[1] / sets});
  }

  ValueId sum(const std::vector<std::vector<Neighbour>>& axes) {
    if (node_.failed()) return kNoValue;
    std::vector<double> firsts;  // of the rows of each image and set
    for (int64_t image = 0; image < n_; ++image) {
      for (int64_t set = 0; set < sets_; ++set) firsts.push_back(static_cast<double>(image * elements_ * sets_ + set));
    }
    if (firsts.size() > 1) firsts_ = constant_of(node_, Tensor::from_values({n_, sets_, 1}, firsts, DType::int64));
    add(axes, 0, kNoValue, kNoValue);
    return sum_;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the image has axes
  void add(const std::vector<std::vector<Neighbour>>& axes, size_t axis, ValueId index, ValueId weight) {
    if (node_.failed()) return;
    if (axis == axes.size()) return add_place(index, weight);
    for (const Neighbour& n : axes[axis]) {
      ValueId place = ops::cast(builder_, n.index, DType::int64);  // f32 does not count the elements of large volumes
      if (axis > 0) place = ops::scaled_add(builder_, place, index, static_cast<double>(extents_[axis]));
      ValueId both = weight == kNoValue ? n.weight : weight;
      if (weight != kNoValue && n.weight != kNoValue) both = ops::multiply(builder_, weight, n.weight);
      add(axes, axis + 1, place, both);
    }
  }

  void add_place(ValueId index, ValueId weight) {
    ValueId row = index;
    if (sets_ > 1) row = ops::scale(builder_, row, static_cast<double>(sets_));
    if (firsts_ != kNoValue) row = ops::add(builder_, row, firsts_);
    ValueId value = ops::gather(builder_, rows_, row, 0);
    if (weight != kNoValue) {
      const ValueId own = ops::cast(builder_, weight, builder_.type(rows_).dtype);
      value = ops::multiply(builder_, value, ops::unsqueeze(builder_, own, 3));
    }
    sum_ = sum_ == kNoValue ? value : ops::add(builder_, sum_, value);
  }

  NodeContext& node_;
  GraphBuilder& builder_;
  std::vector<int64_t> extents_;
  int64_t n_ = 1, sets_ = 1, elements_ = 1;
  ValueId rows_ = kNoValue, firsts_ = kNoValue, sum_ = kNoValue;
};

/// Places are computed in f32 at least: f16 counts elements to 2048 only.
ValueId coordinates(GraphBuilder& builder, ValueId x) {
  if (builder.failed()) return kNoValue;
  const DType dtype = builder.type(x).dtype;
  return ops::contiguous(builder, size_bytes(dtype) < 4 ? ops::cast(builder, x, DType::float32) : x);
}

constexpr int64_t kMostPlaces = int64_t{1} << 24;

Between read_between(NodeContext& node) {
  const std::string mode = node.text("mode", "linear");
  if (mode == "nearest") return Between::nearest;
  if (mode == "cubic" || mode == "bicubic") return Between::cubic;
  if (mode != "linear" && mode != "bilinear")
    node.fail(fmt::format("attribute mode: {} is none of linear, nearest and cubic", mode));
  return Between::linear;
}

Outside read_outside(NodeContext& node) {
  const std::string padding = node.text("padding_mode", "zeros");
  if (padding == "border") return Outside::border;
  if (padding == "reflection") return Outside::reflection;
  if (padding != "zeros")
    node.fail(fmt::format("attribute padding_mode: {} is none of zeros, border and reflection", padding));
  return Outside::zeros;
}

}  // namespace

void convert_grid_sample(NodeContext& node) {
  Reading reading{.between = read_between(node), .outside = read_outside(node)};
  reading.align_corners = node.flag("align_corners", false);
  const ValueId x = node.input(0), grid = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const Shape image = builder.type(x).shape, places = builder.type(grid).shape;
  const size_t axes = image.size() < 3 ? 0 : image.size() - 2;
  if (axes == 0 || places.size() != image.size() || places.back() != static_cast<int64_t>(axes) ||
      places[0] != image[0])
    return node.fail(fmt::format("inputs: {} and {} are no image [n, c, extents] with places [n, extents, {}]",
                                 to_string(image), to_string(places), axes));
  const std::vector<int64_t> extents(image.begin() + 2, image.end());
  const auto all = element_count(image), asked = element_count(places);
  if (!all || !asked || *all == 0 || *asked == 0 || image[0] > kMostPlaces)
    return node.fail(
        fmt::format("inputs: {} and {} have no element, or too many images", to_string(image), to_string(places)));
  int64_t count = 1;
  for (size_t axis = 0; axis < axes; ++axis) count *= places[axis + 1];
  const ValueId points = ops::reshape(builder, coordinates(builder, grid), {image[0], 1, count, places.back()});
  std::vector<std::vector<Neighbour>> along;
  for (size_t axis = 0; axis < axes && !node.failed(); ++axis) {
    reading.extent = extents[axis];
    const auto which = static_cast<int64_t>(axes - 1 - axis);  // a place names its last axis first
    const ValueId coordinate = ops::squeeze(builder, ops::slice(builder, points, 3, which, which + 1), 3);
    along.push_back(neighbours(builder, elements_of(builder, coordinate, reading), reading));
  }
  if (node.failed()) return;
  const ValueId sum = Sampler(node, x, 1).sum(along);
  Shape result(places.begin(), places.end() - 1);
  result.push_back(image[1]);
  if (node.failed()) return;
  std::vector<int64_t> channels_second{0, static_cast<int64_t>(axes) + 1};
  for (size_t axis = 0; axis < axes; ++axis) channels_second.push_back(static_cast<int64_t>(axis) + 1);
  const ValueId y = ops::permute(builder, ops::reshape(builder, sum, result), channels_second);
  if (!node.failed()) node.set_output(y);
}

/// grid[n, places.., i] = sum over j of theta[n, i, j] (x, y, .., 1)[j]: a product with constant places.
void convert_affine_grid(NodeContext& node) {
  const bool align_corners = node.flag("align_corners", false);
  const std::vector<int64_t> size = node.constant_integers(1, "size");
  const TensorType type = node.input_type(0);
  const ValueId theta = node.input(0);
  if (node.failed()) return;
  const int64_t axes = static_cast<int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || type.shape != Shape{size[0], axes, axes + 1})
    return node.fail(fmt::format(
        "input 0 (theta) is {} and input 1 (size) {}; they must be [n, 2, 3] and 4 extents, or [n, 3, 4] and 5",
        to_string(type), to_string(Shape(size))));
  const Shape extents(size.begin() + 2, size.end());
  const std::optional<int64_t> count = element_count(extents);
  if (!count || *count < 1 || *count > kMostPlaces || *std::ranges::min_element(extents) < 1)
    return node.fail(fmt::format("input 1 (size): {} is no grid of 1 to 2^24 places", to_string(Shape(size))));
  std::vector<double> points;
  points.reserve(static_cast<size_t>(*count * (axes + 1)));
  for (int64_t place = 0; place < *count; ++place) {
    int64_t rest = place;
    for (int64_t axis = axes - 1; axis >= 0; --axis) {  // the last axis is x
      const int64_t extent = extents[static_cast<size_t>(axis)], i = rest % extent;
      rest /= extent;
      const auto from_first = static_cast<double>(2 * i), last = static_cast<double>(extent - 1);
      points.push_back(!align_corners ? (from_first + 1) / static_cast<double>(extent) - 1
                       : extent == 1  ? -1
                                      : from_first / last - 1);
    }
    points.push_back(1);
  }
  GraphBuilder& builder = node.builder();
  const ValueId base = constant_of(node, Tensor::from_values({*count, axes + 1}, points, type.dtype));
  if (node.failed()) return;
  const ValueId grid = ops::matmul(builder, base, ops::transpose(builder, theta, 1, 2));
  Shape result{size[0]};
  result.insert(result.end(), extents.begin(), extents.end());
  result.push_back(axes);
  if (node.failed()) return;
  const ValueId y = ops::reshape(builder, grid, result);
  if (!node.failed()) node.set_output(y);
}

namespace {

/// Where the windows of a convolution read along one axis: [1, 1, taps, places], in elements.
ValueId window_places(NodeContext& node, const Window& w, size_t axis, const std::vector<int64_t>& outputs,
                      DType dtype) {
  std::vector<double> places;
  for (int64_t u = 0; u < w.kernel[0]; ++u) {
    for (int64_t v = 0; v < w.kernel[1]; ++v) {
      for (int64_t i = 0; i < outputs[0]; ++i) {
        for (int64_t j = 0; j < outputs[1]; ++j) {
          const int64_t tap = axis == 0 ? u : v, output = axis == 0 ? i : j;
          places.push_back(static_cast<double>(output * w.stride[axis] - w.before[axis] + tap * w.dilation[axis]));
        }
      }
    }
  }
  const Shape shape{1, 1, w.kernel[0] * w.kernel[1], outputs[0] * outputs[1]};
  return constant_of(node, Tensor::from_values(shape, places, dtype));
}

}  // namespace

/// A convolution whose taps read at offsets of their own: samples as columns, then products of matrices, one per group.
void convert_deform_conv(NodeContext& node) {
  const TensorType type = node.input_type(0), weights = node.input_type(1);
  if (!node.failed() && (type.rank() != 4 || weights.rank() != 4))
    node.fail(fmt::format("inputs 0 and 1 are {} and {}; images [n, c, h, w] are supported", to_string(type),
                          to_string(weights)));
  if (node.failed()) return;
  const int64_t groups = node.integer("group", 1, 1, kLargestWindow),
                sets = node.integer("offset_group", 1, 1, kLargestWindow);
  const std::vector<int64_t> extents{type.shape[2], type.shape[3]}, kernel{weights.shape[2], weights.shape[3]};
  const Window w = read_window(node, extents, kernel);
  if (node.failed()) return;
  const int64_t n = type.shape[0], c = type.shape[1], taps = kernel[0] * kernel[1], made = weights.shape[0];
  std::vector<int64_t> outputs;
  for (size_t axis = 0; axis < 2; ++axis)
    outputs.push_back((extents[axis] + w.before[axis] + w.after[axis] - w.reach(axis)) / w.stride[axis] + 1);
  const int64_t places = outputs[0] * outputs[1];
  const auto fits = element_count({n, sets, taps, outputs[0], outputs[1]});
  if (!fits || *fits > kMostPlaces || n * sets > kMostPlaces)
    return node.fail(fmt::format("input 2 (offset): more than {} places", kMostPlaces));
  if (w.kernel != kernel) return node.fail("attribute kernel_shape: differs from the weights");
  const auto expect = [&](size_t i, std::string_view what, const Shape& shape) {
    if (node.has_input(i) && !node.failed() && node.input_type(i).shape != shape)
      node.fail(
          fmt::format("input {} ({}) is {}, must be {}", i, what, to_string(node.input_type(i)), to_string(shape)));
  };
  if (c % groups != 0 || c % sets != 0 || made % groups != 0)
    return node.fail(fmt::format("{} channels and {} results do not divide into {} groups and {} groups of offsets", c,
                                 made, groups, sets));
  expect(1, "W", {made, c / groups, kernel[0], kernel[1]});
  expect(2, "offset", {n, sets * taps * 2, outputs[0], outputs[1]});
  expect(3, "B", {made});
  expect(4, "mask", {n, sets * taps, outputs[0], outputs[1]});
  const ValueId x = node.input(0), weight = node.input(1), offsets = node.input(2);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const ValueId pairs = ops::reshape(builder, coordinates(builder, offsets), {n, sets, taps, 2, places});
  const DType real = node.failed() ? DType::float32 : builder.type(pairs).dtype;
  std::vector<std::vector<Neighbour>> along;
  for (size_t axis = 0; axis < 2 && !node.failed(); ++axis) {
    const auto which = static_cast<int64_t>(axis);
    const ValueId moved = ops::add(builder, ops::squeeze(builder, ops::slice(builder, pairs, 3, which, which + 1), 3),
                                   window_places(node, w, axis, outputs, real));
    if (node.failed()) return;
    along.push_back(
        neighbours(builder, ops::reshape(builder, moved, {n, sets, taps * places}), {.extent = extents[axis]}));
  }
  if (node.failed()) return;
  ValueId columns = Sampler(node, x, sets).sum(along);  // [n, sets, taps * places, c / sets]
  if (node.has_input(4)) {
    const ValueId mask = ops::reshape(builder, ops::contiguous(builder, node.input(4)), {n, sets, taps * places, 1});
    columns = ops::multiply(builder, columns, mask);
  }
  if (node.failed()) return;
  columns = ops::reshape(builder, columns, {n, sets, taps, places, c / sets});
  columns = ops::contiguous(builder, ops::permute(builder, columns, {0, 3, 2, 1, 4}));
  columns = ops::reshape(builder, columns, {n, places, taps, groups, c / groups});
  columns = ops::contiguous(builder, ops::permute(builder, columns, {0, 3, 1, 2, 4}));
  columns = ops::reshape(builder, columns, {n, groups, places, taps * (c / groups)});
  ValueId matrix = ops::reshape(builder, ops::contiguous(builder, weight), {groups, made / groups, c / groups, taps});
  matrix = ops::contiguous(builder, ops::permute(builder, matrix, {0, 3, 2, 1}));
  matrix = ops::reshape(builder, matrix, {groups, taps * (c / groups), made / groups});
  const ValueId product = ops::permute(builder, ops::matmul(builder, columns, matrix), {0, 1, 3, 2});
  ValueId y = ops::reshape(builder, ops::contiguous(builder, product), {n, made, outputs[0], outputs[1]});
  if (node.has_input(3)) y = ops::add(builder, y, ops::reshape(builder, node.input(3), {made, 1, 1}));
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
