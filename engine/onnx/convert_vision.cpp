// SPDX-License-Identifier: Apache-2.0
// Convolution of signals and images, and its transpose.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/windows.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// A signal [N, C, L] is an image one pixel high.
ValueId as_image(GraphBuilder& builder, ValueId x) { return ops::unsqueeze(builder, x, 2); }

void as_image(Window& window) {
  const auto put = [](std::vector<int64_t>& values, int64_t value) { values.insert(values.begin(), value); };
  put(window.kernel, 1);
  put(window.stride, 1);
  put(window.dilation, 1);
  put(window.before, 0);
  put(window.after, 0);
}

ops::Conv2dOptions conv_options(const Window& window, int64_t groups) {
  ops::Conv2dOptions options;
  options.stride = {window.stride[0], window.stride[1]};
  options.dilation = {window.dilation[0], window.dilation[1]};
  options.padding = {window.before[0], window.before[1], window.after[0], window.after[1]};
  options.groups = groups;
  return options;
}

/// The window of a convolution; its kernel is that of the weights.
Window read_conv(NodeContext& node, const std::vector<int64_t>& x) {
  const std::vector<int64_t> kernel = spatial_extents(node, 1);
  if (!node.failed() && kernel.size() != x.size()) {
    node.fail(fmt::format("input 1 (W) is {}; {} needs one spatial axis for each of its own", to_string(node.input_type(1)),
                          to_string(node.input_type(0))));
  }
  if (node.failed()) return {};
  Window window = read_window(node, x, kernel);
  if (!node.failed() && window.kernel != kernel) {
    node.fail(fmt::format("attribute kernel_shape: {} differs from the weights {}", to_string(Shape(window.kernel)),
                          to_string(node.input_type(1))));
  }
  return window;
}

/// Sets the pads of a transposed convolution so that it makes `outputs`; what lies beyond the last window becomes zeros.
void fit_padding(NodeContext& node, const std::vector<int64_t>& x, const std::vector<int64_t>& outputs,
                 const std::vector<int64_t>& extra, bool upper, Window& window) {
  for (size_t axis = 0; axis < window.rank(); ++axis) {
    const int64_t total = window.stride[axis] * (x[axis] - 1) + extra[axis] + window.reach(axis) - outputs[axis];
    const int64_t less = total / 2;
    window.before[axis] = std::max<int64_t>(upper ? less : total - less, 0);
    window.after[axis] = std::max<int64_t>(total, 0) - window.before[axis];
    if (total < 0 && -total >= window.stride[axis])
      node.fail(fmt::format("attribute output_shape: {} leaves {} outputs that no window reaches", outputs[axis], -total));
  }
}

/// The extents of a transposed convolution's result; sets the window's pads where they follow from it.
std::vector<int64_t> transposed_extents(NodeContext& node, const std::vector<int64_t>& x, Window& window) {
  const std::vector<int64_t> zeros(x.size(), 0);
  const std::vector<int64_t> extra = read_extents(node, "output_padding", zeros, 0);
  std::vector<int64_t> outputs = node.integers("output_shape", {}, 1, kHighestInt / 4);
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (outputs.size() == x.size() + 2) outputs.erase(outputs.begin(), outputs.begin() + 2);
  if (!outputs.empty() && outputs.size() != x.size()) node.fail("attribute output_shape: needs one entry for each spatial axis");
  if (node.failed()) return zeros;
  if (outputs.empty() && same) {
    for (size_t axis = 0; axis < x.size(); ++axis) outputs.push_back(x[axis] * window.stride[axis]);
  }
  if (!outputs.empty()) {
    fit_padding(node, x, outputs, extra, automatic == "SAME_UPPER", window);
    return outputs;
  }
  for (size_t axis = 0; axis < x.size(); ++axis) {
    outputs.push_back(window.stride[axis] * (x[axis] - 1) + extra[axis] + window.reach(axis) - window.before[axis] - window.after[axis]);
    if (extra[axis] >= window.stride[axis]) node.fail(fmt::format("attribute output_padding: {} is not smaller than the stride", extra[axis]));
    if (outputs.back() < 1) node.fail(fmt::format("attribute pads: leave {} outputs", outputs.back()));
  }
  return outputs;
}

}  // namespace

void convert_conv(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const int64_t groups = node.integer("group", 1, 1, kLargestWindow);
  Window window = read_conv(node, extents);
  ValueId x = node.input(0), weight = node.input(1);
  const ValueId bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (!node.failed() && extents.size() == 3) {
    node.fail(fmt::format("input 0 is {}; only signals [N,C,L] and images [N,C,H,W] are supported", to_string(node.input_type(0))));
  }
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const bool signal = extents.size() == 1;
  if (signal) {
    as_image(window);
    x = as_image(builder, x);
    weight = as_image(builder, weight);
  }
  const ValueId y = ops::conv2d(builder, x, weight, bias, conv_options(window, groups));
  if (!node.failed()) node.set_output(signal ? ops::squeeze(builder, y, 2) : y);
}

/// The gradient of a convolution by its input, whose roles are exchanged: that is what the transpose computes.
void convert_conv_transpose(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const int64_t groups = node.integer("group", 1, 1, kLargestWindow);
  const std::vector<int64_t> kernel = spatial_extents(node, 1);
  if (!node.failed() && (kernel.size() != extents.size() || extents.size() > 2))
    node.fail("only signals [N,C,L] and images [N,C,H,W] are supported");
  if (node.failed()) return;
  // The window lies on the result, whose extents follow; here it has to fit nothing yet.
  Window window = read_window(node, std::vector<int64_t>(extents.size(), int64_t{kLargestWindow} * kLargestWindow), kernel);
  if (node.failed()) return;
  if (window.kernel != kernel) return node.fail("attribute kernel_shape: differs from the weights");
  std::vector<int64_t> outputs = transposed_extents(node, extents, window);
  ValueId x = node.input(0), weight = node.input(1);
  const ValueId bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const bool signal = extents.size() == 1;
  if (signal) {
    as_image(window);
    outputs.insert(outputs.begin(), 1);
    x = as_image(builder, x);
    weight = as_image(builder, weight);
  }
  const TensorType type = builder.type(x);
  const Shape shape{type.shape[0], builder.type(weight).shape[1] * groups, outputs[0], outputs[1]};
  const auto list = [](const auto& values) { return std::vector<int64_t>(values.begin(), values.end()); };
  const ops::Conv2dOptions options = conv_options(window, groups);
  ValueId y = builder.append1(ops::kConv2dGradInput, {x, weight},
                              {{"stride", list(options.stride)},
                               {"padding", list(options.padding)},
                               {"dilation", list(options.dilation)},
                               {"groups", groups},
                               {"input_shape", shape},
                               {"input_strides", channels_last_strides(shape)}});
  if (node.failed()) return;
  if (bias != kNoValue) y = ops::add(builder, y, ops::unsqueeze(builder, ops::unsqueeze(builder, bias, 1), 2));
  if (!node.failed()) node.set_output(signal ? ops::squeeze(builder, y, 2) : y);
}

}  // namespace engine::onnx
