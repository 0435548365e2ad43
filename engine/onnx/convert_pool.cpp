// SPDX-License-Identifier: Apache-2.0
// Pooling of signals, images and volumes.
#include <fmt/format.h>

#include <limits>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/windows.h"
#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/reduce.h"

namespace engine::onnx {
namespace {

/// Taps that are written out one by one, each as an op.
constexpr int64_t kMostTaps = 1024;

struct Pool {
  Window window;
  bool ceil_mode = false;
  bool dilated() const {
    return std::ranges::any_of(window.dilation, [](int64_t dilation) { return dilation != 1; });
  }
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

using Pool2d = ValueId (*)(GraphBuilder&, ValueId, const ops::Pool2dOptions&);

ops::Pool2dOptions options_of(const Pool& pool, size_t first, size_t second) {
  const Window& w = pool.window;
  ops::Pool2dOptions options;
  options.kernel = {w.kernel[first], w.kernel[second]};
  options.stride = {w.stride[first], w.stride[second]};
  options.padding = {w.before[first], w.before[second], w.after[first], w.after[second]};
  options.ceil_mode = pool.ceil_mode;
  return options;
}

/// Signals are images one pixel high. Volumes are pooled slice by slice and then through the slices: maxima of maxima, and means of
/// means, as a window's taps inside the volume form a box.
ValueId pool_any(NodeContext& node, ValueId x, Pool pool, bool count_include_pad, Pool2d pool2d) {
  GraphBuilder& builder = node.builder();
  if (node.failed()) return kNoValue;
  const auto run = [&](ValueId value, size_t first, size_t second) {
    ops::Pool2dOptions options = options_of(pool, first, second);
    options.count_include_pad = count_include_pad;
    return pool2d(builder, value, options);
  };
  const Shape shape = builder.type(x).shape;
  if (pool.window.rank() == 2) return run(x, 0, 1);
  Window& w = pool.window;
  for (auto* list : {&w.kernel, &w.stride, &w.dilation}) list->push_back(1);
  for (auto* list : {&w.before, &w.after}) list->push_back(0);
  if (shape.size() == 3) return ops::squeeze(builder, run(ops::unsqueeze(builder, x, 3), 0, 1), 3);
  const ValueId slices = run(ops::reshape(builder, x, {shape[0], shape[1] * shape[2], shape[3], shape[4]}), 1, 2);
  if (node.failed()) return kNoValue;
  const Shape flat = builder.type(slices).shape;
  const ValueId columns = ops::reshape(builder, slices, {shape[0], shape[1], shape[2], flat[2] * flat[3]});
  if (node.failed()) return kNoValue;
  const ValueId y = run(columns, 0, 3);
  if (node.failed()) return kNoValue;
  return ops::reshape(builder, y, {shape[0], shape[1], builder.type(y).shape[2], flat[2], flat[3]});
}

/// The lowest value: what a maximum never takes from the padding.
double lowest(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  switch (dtype) {
    case DType::int8:
      return -128;
    case DType::int32:
      return -2147483648.0;
    case DType::int64:
      return -9223372036854775808.0;
    default:
      return 0;
  }
}

int64_t pool_outputs(const Pool& pool, size_t axis, int64_t extent) {
  const Window& w = pool.window;
  const int64_t span = extent + w.before[axis] + w.after[axis] - w.reach(axis);
  int64_t outputs = span / w.stride[axis] + 1;
  if (pool.ceil_mode && span % w.stride[axis] != 0 && outputs * w.stride[axis] < extent + w.before[axis]) ++outputs;
  return outputs;
}

/// Dilated windows and integers: the maximum of the taps, each a view of the padded image, one axis after the other.
ValueId max_of_taps(NodeContext& node, ValueId x, const Pool& pool) {
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  const Window& w = pool.window;
  Shape before{0, 0}, after{0, 0}, outputs;
  int64_t taps = 0;
  for (size_t axis = 0; axis < w.rank(); ++axis) {
    const int64_t extent = type.shape[axis + 2];
    taps += w.kernel[axis];
    outputs.push_back(pool_outputs(pool, axis, extent));
    before.push_back(w.before[axis]);
    after.push_back(std::max<int64_t>((outputs[axis] - 1) * w.stride[axis] + w.reach(axis) - extent - w.before[axis], 0));
  }
  if (taps > kMostTaps) {
    node.fail(fmt::format("attribute kernel_shape: dilated windows of more than {} taps are not supported", kMostTaps));
    return kNoValue;
  }
  ValueId y = ops::pad(builder, x, before, after, {.mode = "constant", .value = lowest(type.dtype)});
  for (size_t axis = 0; axis < w.rank(); ++axis) {
    const ValueId padded = y;
    for (int64_t tap = 0; tap < w.kernel[axis] && !node.failed(); ++tap) {
      const int64_t start = tap * w.dilation[axis];
      const ValueId view = ops::slice(builder, padded, static_cast<int64_t>(axis) + 2, start,
                                      start + (outputs[axis] - 1) * w.stride[axis] + 1, w.stride[axis]);
      y = tap == 0 ? view : ops::maximum(builder, y, view);
    }
  }
  return node.failed() ? kNoValue : y;
}

/// ONNX counts the places of maxima through the whole tensor, our op through a plane.
ValueId whole_indices(NodeContext& node, ValueId indices, const Shape& x, bool column_major) {
  GraphBuilder& builder = node.builder();
  const int64_t height = x[2], width = x[3];
  ValueId places = ops::cast(builder, indices, DType::int64);
  if (column_major) {
    const ValueId w = ops::modulo(builder, places, scalar(node, static_cast<double>(width), DType::int64));
    const ValueId h = ops::divide(builder, places, scalar(node, static_cast<double>(width), DType::int64));
    places = ops::scaled_add(builder, h, w, static_cast<double>(height));
  }
  const double planes = static_cast<double>(x[0]) * static_cast<double>(x[1]), plane = static_cast<double>(height) * static_cast<double>(width);
  const ValueId starts = ops::range(builder, 0, planes * plane, plane, DType::int64);
  if (node.failed()) return kNoValue;
  return ops::add(builder, places, ops::reshape(builder, starts, {x[0], x[1], 1, 1}));
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
  const bool taps = pool.dilated() || !is_floating(type.dtype);
  if (node.has_output(1)) {
    if (taps || type.rank() != 4) return node.fail("output 1 (Indices): only of undilated windows on images of real numbers");
    const ops::Pool2dOptions o = options_of(pool, 0, 1);
    const auto list = [](const auto& values) { return std::vector<int64_t>(values.begin(), values.end()); };
    const std::vector<ValueId> outputs = node.builder().append(ops::kMaxPool2d, {x},
                                                               {{"kernel", list(o.kernel)},
                                                                {"stride", list(o.stride)},
                                                                {"padding", list(o.padding)},
                                                                {"ceil_mode", int64_t{o.ceil_mode}}});
    if (node.failed()) return;
    node.set_output(outputs[0]);
    return node.set_output(whole_indices(node, outputs[1], type.shape, column_major), 1);
  }
  const ValueId y = taps ? max_of_taps(node, x, pool) : pool_any(node, x, pool, false, ops::max_pool2d);
  if (!node.failed()) node.set_output(y);
}

void convert_average_pool(NodeContext& node) {
  const Pool pool = read_pool(node);
  const bool count_include_pad = node.flag("count_include_pad", false);
  if (!node.failed() && pool.dilated()) node.fail("attribute dilations: only 1 is supported in average pooling");
  const ValueId y = pool_any(node, node.input(0), pool, count_include_pad, ops::average_pool2d);
  if (!node.failed()) node.set_output(y);
}

void convert_global_average_pool(NodeContext& node) {
  const size_t rank = spatial_extents(node, 0).size() + 2;
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (rank == 4) return node.set_output(ops::global_average_pool(node.builder(), x));
  node.set_output(ops::mean(node.builder(), x, spatial_axes(static_cast<int64_t>(rank)), true));
}

void convert_global_max_pool(NodeContext& node) {
  const size_t rank = spatial_extents(node, 0).size() + 2;
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::reduce_max(node.builder(), x, spatial_axes(static_cast<int64_t>(rank)), true));
}

/// Puts each element where its index says, in the shape that the pool had before; a larger output_shape adds zeros behind.
void convert_max_unpool(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const Window window = read_window(node, std::vector<int64_t>(extents.size(), int64_t{kLargestWindow} * kLargestWindow), {});
  std::vector<int64_t> wanted;
  if (node.has_input(2)) wanted = node.constant_integers(2, "output_shape");
  const ValueId x = node.input(0), indices = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  Shape shape{type.shape[0], type.shape[1]};
  for (size_t axis = 0; axis < extents.size(); ++axis)
    shape.push_back((extents[axis] - 1) * window.stride[axis] - window.before[axis] - window.after[axis] + window.kernel[axis]);
  const std::optional<int64_t> count = element_count(shape);
  if (!count) return node.fail("the result has more elements than 63 bits count");
  const ValueId zeros = filled(node, 0, type.dtype, {*count});
  if (node.failed()) return;
  const ValueId flat = ops::scatter_elements(builder, zeros, ops::reshape(builder, indices, {-1}), ops::reshape(builder, x, {-1}), 0);
  ValueId y = ops::reshape(builder, flat, shape);
  if (!wanted.empty() && wanted.size() != shape.size()) return node.fail("input 2 (output_shape): has another rank");
  if (!wanted.empty() && wanted != shape) {
    std::vector<int64_t> after;
    for (size_t axis = 0; axis < shape.size(); ++axis) after.push_back(wanted[axis] - shape[axis]);
    y = ops::pad(builder, y, std::vector<int64_t>(shape.size(), 0), after);
  }
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
