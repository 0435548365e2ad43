// SPDX-License-Identifier: Apache-2.0
// Convolution of signals, images and volumes, and its transpose.
#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/windows.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// The window of a convolution; its kernel is that of the weights.
Window read_conv(NodeContext& node, const std::vector<int64_t>& x) {
  const std::vector<int64_t> kernel = spatial_extents(node, 1);
  if (!node.failed() && kernel.size() != x.size()) {
    node.fail(fmt::format("input 1 (W) is {}; {} needs one spatial axis for each of its own",
                          to_string(node.input_type(1)), to_string(node.input_type(0))));
  }
  if (node.failed()) return {};
  Window window = read_window(node, x, kernel);
  if (!node.failed() && window.kernel != kernel) {
    node.fail(fmt::format("attribute kernel_shape: {} differs from the weights {}", to_string(Shape(window.kernel)),
                          to_string(node.input_type(1))));
  }
  return window;
}

/// Sets the pads of a transposed convolution so that it makes `outputs`; what lies beyond the last window becomes
/// zeros.
void fit_padding(NodeContext& node, const std::vector<int64_t>& x, const std::vector<int64_t>& outputs,
                 const std::vector<int64_t>& extra, bool upper, Window& window) {
  for (size_t axis = 0; axis < window.rank(); ++axis) {
    const int64_t total = window.stride[axis] * (x[axis] - 1) + extra[axis] + window.reach(axis) - outputs[axis];
    const int64_t padded = std::max<int64_t>(total, 0), less = padded / 2;
    window.before[axis] = upper ? less : padded - less;
    window.after[axis] = padded - window.before[axis];
    if (total < 0 && -total >= window.stride[axis])
      node.fail(
          fmt::format("attribute output_shape: {} leaves {} outputs that no window reaches", outputs[axis], -total));
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
  if (!outputs.empty() && outputs.size() != x.size())
    node.fail("attribute output_shape: needs one entry for each spatial axis");
  if (node.failed()) return zeros;
  if (outputs.empty() && same) {
    for (size_t axis = 0; axis < x.size(); ++axis) outputs.push_back(x[axis] * window.stride[axis]);
  }
  if (!outputs.empty()) {
    fit_padding(node, x, outputs, extra, automatic == "SAME_UPPER", window);
    return outputs;
  }
  for (size_t axis = 0; axis < x.size(); ++axis) {
    outputs.push_back(window.stride[axis] * (x[axis] - 1) + extra[axis] + window.reach(axis) - window.before[axis] -
                      window.after[axis]);
    if (extra[axis] >= window.stride[axis])
      node.fail(fmt::format("attribute output_padding: {} is not smaller than the stride", extra[axis]));
    if (outputs.back() < 1) node.fail(fmt::format("attribute pads: leave {} outputs", outputs.back()));
  }
  return outputs;
}

}  // namespace

void convert_conv(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0);
  const int64_t groups = node.integer("group", 1, 1, kLargestWindow);
  const Window window = read_conv(node, extents);
  const ValueId x = node.input(0), weight = node.input(1);
  const ValueId bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (node.failed()) return;
  ops::ConvolutionOptions options{window.stride, window.dilation, pads_of(window), groups, {}};
  node.set_output(ops::convolution(node.builder(), x, weight, bias, options));
}

void convert_conv_transpose(NodeContext& node) {
  const std::vector<int64_t> extents = spatial_extents(node, 0), kernel = spatial_extents(node, 1);
  const int64_t groups = node.integer("group", 1, 1, kLargestWindow);
  if (!node.failed() && kernel.size() != extents.size())
    node.fail("input 1 (W): has another number of spatial axes than input 0");
  if (node.failed()) return;
  // The window lies on the result, whose extents follow; here it has to fit nothing yet.
  Window window =
      read_window(node, std::vector<int64_t>(extents.size(), int64_t{kLargestWindow} * kLargestWindow), kernel);
  if (node.failed()) return;
  if (window.kernel != kernel) return node.fail("attribute kernel_shape: differs from the weights");
  const std::vector<int64_t> outputs = transposed_extents(node, extents, window);
  const ValueId x = node.input(0), weight = node.input(1);
  const ValueId bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (node.failed()) return;
  ops::ConvolutionOptions options{window.stride, window.dilation, pads_of(window), groups, {}};
  for (size_t axis = 0; axis < window.rank(); ++axis) {
    const int64_t reached =
        window.stride[axis] * (extents[axis] - 1) + window.reach(axis) - window.before[axis] - window.after[axis];
    options.output_padding.push_back(outputs[axis] - reached);
  }
  node.set_output(ops::conv_transpose(node.builder(), x, weight, bias, options));
}

/// The sums of overlapping blocks [n, c * taps, places], as an image (a signal is one of height 1).
void convert_col2im(NodeContext& node) {
  std::vector<int64_t> image = node.constant_integers(1, "image_shape"),
                       block = node.constant_integers(2, "block_shape");
  if (!node.failed() && (image.empty() || image.size() > 2 || block.size() != image.size()))
    node.fail(fmt::format("inputs 1 and 2 (image_shape, block_shape): {} and {}; one or two axes are supported",
                          to_string(Shape(image)), to_string(Shape(block))));
  const ValueId columns = node.input(0);
  if (node.failed()) return;
  const auto lowest =
      std::ranges::min(image) < std::ranges::min(block) ? std::ranges::min(image) : std::ranges::min(block);
  if (lowest < 1 || std::ranges::max(image) > kLargestWindow || std::ranges::max(block) > kLargestWindow)
    return node.fail(fmt::format("inputs 1 and 2 (image_shape, block_shape): extents must be 1 to {}", kLargestWindow));
  Window w = read_window(node, image, block);
  const TensorType type = node.builder().type(columns);
  int64_t taps = 1;
  for (const int64_t extent : block) taps *= extent;
  if (!node.failed() && (type.rank() != 3 || type.shape[1] % taps != 0))
    node.fail(fmt::format("input 0 is {}; it must be [n, c * {}, places]", to_string(type), taps));
  if (node.failed()) return;
  if (image.size() == 1) {
    image.insert(image.begin(), 1);
    for (auto* of : {&w.kernel, &w.stride, &w.dilation}) of->insert(of->begin(), 1);
    for (auto* of : {&w.before, &w.after}) of->insert(of->begin(), 0);
  }
  const Shape shape{type.shape[0], type.shape[1] / taps, image[0], image[1]};
  ValueId y = ops::col2im(node.builder(), columns, shape,
                          {.kernel = w.kernel, .stride = w.stride, .padding = pads_of(w), .dilation = w.dilation});
  if (!node.failed() && block.size() == 1) y = ops::reshape(node.builder(), y, {shape[0], shape[1], shape[3]});
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
