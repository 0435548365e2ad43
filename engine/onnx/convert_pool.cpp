// SPDX-License-Identifier: Apache-2.0
// Pooling of signals, images and volumes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/windows.h"
#include "engine/ops/casting.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

/// Taps that are written out one by one, each as an op.
constexpr int64_t kMostTaps = 1024;
/// Planes whose places are counted from the first on.
constexpr double kMostPlanes = 1 << 24;

struct Pool {
  Window window;
  bool ceil_mode = false;
};

/// A window outside the image would have no maximum and no mean.
Pool read_pool(NodeContext& node) {
  ignore_old(node);
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  Pool pool{read_window(node, extents, {}), node.flag("ceil_mode", false)};
  if (node.failed()) return pool;
  for (size_t axis = 0; axis < pool.window.rank(); ++axis) {
    const int64_t before = pool.window.before[axis], after = pool.window.after[axis], kernel = pool.window.reach(axis);
    if (before < kernel && after < kernel) continue;
    node.fail(fmt::format("attribute pads: {} and {} must be smaller than the kernel, {}", before, after, kernel));
  }
  return pool;
}

ops::PoolOptions options_of(const Pool& pool) {
  ops::PoolOptions options;
  options.kernel = pool.window.kernel;
  options.stride = pool.window.stride;
  options.padding = pads_of(pool.window);
  options.dilation = pool.window.dilation;
  options.ceil_mode = pool.ceil_mode;
  return options;
}

/// The lowest value: what a maximum never takes from the padding.
double lowest(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  switch (dtype) {
    case DType::int8: return -128;
    case DType::int32: return -2147483648.0;
    case DType::int64: return -9223372036854775808.0;
    default: return 0;
  }
}

int64_t pool_outputs(const Pool& pool, size_t axis, int64_t extent) {
  const Window& w = pool.window;
  const int64_t span = extent + w.before[axis] + w.after[axis] - w.reach(axis);
  int64_t outputs = span / w.stride[axis] + 1;
  if (pool.ceil_mode && span % w.stride[axis] != 0 && outputs * w.stride[axis] < extent + w.before[axis]) ++outputs;
  return outputs;
}

/// All taps of all windows joined by `join`, each a view of the image that `outside` surrounds, one axis after the
/// other: for what the pooling ops have not.
ValueId joined_taps(NodeContext& node, ValueId x, const Pool& pool, double outside, BinaryOp join) {
  GraphBuilder& builder = node.builder();
  const Shape shape = builder.type(x).shape;
  const Window& w = pool.window;
  Shape before{0, 0}, after{0, 0}, outputs;
  int64_t taps = 0;
  for (size_t axis = 0; axis < w.rank(); ++axis) {
    const int64_t extent = shape[axis + 2];
    taps += w.kernel[axis];
    outputs.push_back(pool_outputs(pool, axis, extent));
    before.push_back(w.before[axis]);
    after.push_back(
        std::max<int64_t>((outputs[axis] - 1) * w.stride[axis] + w.reach(axis) - extent - w.before[axis], 0));
  }
  if (taps > kMostTaps) {
    node.fail(fmt::format("attribute kernel_shape: windows of more than {} taps are not supported here", kMostTaps));
    return kNoValue;
  }
  ValueId y = ops::pad(builder, x, before, after, {.mode = "constant", .value = outside});
  for (size_t axis = 0; axis < w.rank(); ++axis) {
    const ValueId padded = y;
    for (int64_t tap = 0; tap < w.kernel[axis] && !node.failed(); ++tap) {
      const int64_t start = tap * w.dilation[axis];
      const ValueId view = ops::slice(builder, padded, static_cast<int64_t>(axis) + 2, start,
                                      start + (outputs[axis] - 1) * w.stride[axis] + 1, w.stride[axis]);
      y = tap == 0 ? view : join(builder, y, view);
    }
  }
  return node.failed() ? kNoValue : y;
}

bool is_dilated(const Pool& pool) {
  return std::ranges::any_of(pool.window.dilation, [](int64_t dilation) { return dilation != 1; });
}

/// How many taps of each window along an axis count: those within the image, or its pads, too.
std::vector<double> counted_taps(const Pool& pool, size_t axis, int64_t extent, bool pads_count) {
  const Window& w = pool.window;
  const int64_t first = pads_count ? -w.before[axis] : 0, end = extent + (pads_count ? w.after[axis] : 0);
  std::vector<double> counts;
  for (int64_t output = 0; output < pool_outputs(pool, axis, extent); ++output) {
    double count = 0;
    for (int64_t tap = 0; tap < w.kernel[axis]; ++tap) {
      const int64_t at = output * w.stride[axis] - w.before[axis] + tap * w.dilation[axis];
      count += at >= first && at < end ? 1 : 0;
    }
    counts.push_back(std::max(count, 1.0));
  }
  return counts;
}

/// Sums of f16 would reach its end long before their mean does.
ValueId in_f32(GraphBuilder& builder, ValueId x) {
  return size_bytes(builder.type(x).dtype) < 4 ? ops::cast(builder, x, DType::float32) : x;
}

/// The mean over windows with holes.
ValueId dilated_average(NodeContext& node, ValueId x, const Pool& pool, bool pads_count) {
  GraphBuilder& builder = node.builder();
  const DType dtype = builder.type(x).dtype;
  x = in_f32(builder, x);
  const TensorType type = builder.type(x);
  ValueId y = joined_taps(node, x, pool, 0, ops::add);
  for (size_t axis = 0; axis < pool.window.rank() && !node.failed(); ++axis) {
    if (type.shape[axis + 2] > kLargestWindow)
      node.fail(fmt::format("input 0: axes of more than {} elements are not supported here", kLargestWindow));
    if (node.failed()) break;
    const std::vector<double> counts = counted_taps(pool, axis, type.shape[axis + 2], pads_count);
    Shape along(type.shape.size(), 1);
    along[axis + 2] = static_cast<int64_t>(counts.size());
    y = ops::divide(builder, y, constant_of(node, Tensor::from_values(along, counts, type.dtype)));
  }
  return node.failed() ? kNoValue : ops::cast(builder, y, dtype);
}

/// ONNX counts the places of maxima through the whole tensor, our op through a plane.
ValueId whole_indices(NodeContext& node, ValueId indices, const Shape& x, bool column_major) {
  GraphBuilder& builder = node.builder();
  ValueId places = ops::cast(builder, indices, DType::int64);
  if (column_major && x.size() > 3) {  // the first spatial axis is the one whose neighbours follow each other
    ValueId rest = places;
    places = kNoValue;
    for (size_t axis = x.size() - 1; axis >= 2; --axis) {
      const ValueId extent = scalar(node, static_cast<double>(x[axis]), DType::int64);
      const ValueId along = axis > 2 ? ops::modulo(builder, rest, extent) : rest;
      if (axis > 2) rest = ops::divide(builder, rest, extent);
      places = places == kNoValue ? along : ops::scaled_add(builder, along, places, static_cast<double>(x[axis]));
    }
  }
  const double planes = static_cast<double>(x[0]) * static_cast<double>(x[1]);
  double plane = 1;
  Shape along{x[0], x[1]};
  for (size_t axis = 2; axis < x.size(); ++axis) {
    plane *= static_cast<double>(x[axis]);
    along.push_back(1);
  }
  if (!(planes <= kMostPlanes)) {
    node.fail(fmt::format("output 1 (Indices): of {} planes; at most {} are supported", planes, kMostPlanes));
    return kNoValue;
  }
  const ValueId starts = ops::range(builder, 0, planes * plane, plane, DType::int64);
  if (node.failed()) return kNoValue;
  return ops::add(builder, places, ops::reshape(builder, starts, along));
}

std::vector<int64_t> spatial_axes(int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

}  // namespace

void convert_max_pool(NodeContext& node) {
  const Pool pool = read_pool(node);
  const bool column_major = node.flag("storage_order", false);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const TensorType type = node.builder().type(x);
  if (!is_floating(type.dtype)) {
    if (node.has_output(1)) return node.fail("output 1 (Indices): only of real numbers");
    const ValueId y = joined_taps(node, x, pool, lowest(type.dtype), ops::maximum);
    return node.failed() ? void() : node.set_output(y);
  }
  const ops::MaxPoolResult result = ops::max_pool(node.builder(), x, options_of(pool));
  if (node.failed()) return;
  node.set_output(result.y);
  if (!node.has_output(1)) return;
  node.set_output(whole_indices(node, result.indices, type.shape, column_major), 1);
  if (!column_major || type.shape.size() == 3) node.set_places(type.shape, 1);
}

void convert_average_pool(NodeContext& node) {
  const Pool pool = read_pool(node);
  ops::PoolOptions options = options_of(pool);
  options.count_include_pad = node.flag("count_include_pad", false);
  options.dilation.clear();
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const ValueId y = is_dilated(pool) ? dilated_average(node, x, pool, options.count_include_pad)
                                     : ops::average_pool(node.builder(), x, options);
  if (!node.failed()) node.set_output(y);
}

void convert_lp_pool(NodeContext& node) {
  const int64_t p = node.integer("p", 2, 1, 1 << 10);
  const Pool pool = read_pool(node);
  ops::PoolOptions options = options_of(pool);
  options.dilation.clear();
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (!is_dilated(pool) && !pool.ceil_mode)
    return node.set_output(ops::lp_pool(builder, x, static_cast<double>(p), options));
  const DType dtype = builder.type(x).dtype;
  const ValueId real = in_f32(builder, x);
  const DType summed = builder.type(real).dtype;
  const ValueId powers =
      ops::power(builder, ops::absolute(builder, real), scalar(node, static_cast<double>(p), summed));
  const ValueId sum = joined_taps(node, powers, pool, 0, ops::add);
  if (node.failed()) return;
  const ValueId y = ops::power(builder, sum, scalar(node, 1 / static_cast<double>(p), summed));
  if (!node.failed()) node.set_output(ops::cast(builder, y, dtype));
}

void convert_global_lp_pool(NodeContext& node) {
  const auto rank = static_cast<int64_t>(spatial_extents(node, 0).size()) + 2;
  const double p = node.opset() < 2 ? node.real("p", 2) : static_cast<double>(node.integer("p", 2, 1, 1 << 10));
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const ValueId real = in_f32(builder, x);
  const DType summed = builder.type(real).dtype;
  const ValueId powers = ops::power(builder, ops::absolute(builder, real), scalar(node, p, summed));
  const ValueId sum = ops::sum(builder, powers, spatial_axes(rank), true);
  const ValueId y = ops::power(builder, sum, scalar(node, 1 / p, summed));
  if (!node.failed()) node.set_output(ops::cast(builder, y, builder.type(x).dtype));
}

void convert_global_average_pool(NodeContext& node) {
  const size_t rank = spatial_extents(node, 0).size() + 2;
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (rank == 4) return node.set_output(ops::global_average_pool(node.builder(), x));
  node.set_output(ops::mean(node.builder(), x, spatial_axes(static_cast<int64_t>(rank)), true));
}

void convert_global_max_pool(NodeContext& node) {
  spatial_extents(node, 0);
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::global_max_pool(node.builder(), x));
}

namespace {

std::string shown(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

/// The shape in which MaxUnpool's indices count: `inferred`, what the window says the pool had before, or `wanted`, the
/// output_shape. ONNX's text leaves it open and its own case counts in `inferred`; what the MaxPool that made them had
/// is known to be right, and constants say it where one lies beyond the other.
Shape unpooled_shape(NodeContext& node, const Shape& inferred, const Shape& wanted) {
  if (const std::optional<Shape> places = node.places_of(1)) {
    if (*places == inferred || *places == wanted) return *places;
    node.fail(fmt::format("input 1 (I): are places in {}, neither in {} (from the window) nor in {}output_shape{}",
                          shown(*places), shown(inferred), wanted.empty() ? "an " : "",
                          wanted.empty() ? ", which is not given" : ", " + shown(wanted)));
    return inferred;
  }
  const std::optional<Tensor> known = node.constant_tensor(1);
  if (!known || (known->dtype() != DType::int64 && known->dtype() != DType::int32)) return inferred;
  double least = 0, most = 0;
  for (int64_t i = 0; i < known->type().elements(); ++i) {
    least = std::min(least, known->get_flat(i));
    most = std::max(most, known->get_flat(i));
  }
  const auto holds = [&](const Shape& shape) {
    const std::optional<int64_t> count = element_count(shape);
    return !shape.empty() && count && least >= 0 && most < static_cast<double>(*count);
  };
  if (holds(inferred)) return inferred;
  if (!holds(wanted))
    node.fail(fmt::format("input 1 (I): {} is no place in {}", least < 0 ? least : most,
                          shown(wanted.empty() ? inferred : wanted)));
  return wanted;
}

}  // namespace

/// Puts each element where its index says. Where the indices count in the shape that the window says the pool had
/// before, a larger output_shape adds zeros behind.
void convert_max_unpool(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const Window window =
      read_window(node, std::vector<int64_t>(extents.size(), int64_t{kLargestWindow} * kLargestWindow), {});
  Shape wanted;
  if (node.has_input(2)) wanted = node.constant_integers(2, "output_shape");
  const ValueId x = node.input(0), indices = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  Shape inferred{type.shape[0], type.shape[1]};
  for (size_t axis = 0; axis < extents.size(); ++axis)
    inferred.push_back((extents[axis] - 1) * window.stride[axis] - window.before[axis] - window.after[axis] +
                       window.kernel[axis]);
  if (!wanted.empty() && wanted.size() != inferred.size()) return node.fail("input 2 (output_shape): has another rank");
  if (std::ranges::any_of(wanted, [](int64_t extent) { return extent < 0; }))
    return node.fail(fmt::format("input 2 (output_shape): {} is negative", *std::ranges::min_element(wanted)));
  const Shape shape = unpooled_shape(node, inferred, wanted);
  const std::optional<int64_t> count = element_count(shape);
  if (!node.failed() && !count) node.fail("the result has more elements than 63 bits count");
  if (node.failed()) return;
  const ValueId zeros = filled(node, 0, type.dtype, {*count});
  if (node.failed()) return;
  const ValueId flat =
      ops::scatter_elements(builder, zeros, ops::reshape(builder, indices, {-1}), ops::reshape(builder, x, {-1}), 0);
  ValueId y = ops::reshape(builder, flat, shape);
  if (!wanted.empty() && wanted != shape) {
    std::vector<int64_t> after;
    for (size_t axis = 0; axis < shape.size(); ++axis) after.push_back(wanted[axis] - shape[axis]);
    y = ops::pad(builder, y, std::vector<int64_t>(shape.size(), 0), after);
  }
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
