// SPDX-License-Identifier: Apache-2.0
// Convolution, pooling and batch normalisation of images [N,C,H,W].
#include <fmt/format.h>

#include <array>

#include "engine/onnx/operators.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Far beyond any image, and small enough that sums and products of three stay in 63 bits.
constexpr int64_t kLargestWindow = 1 << 20;

struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 4> padding{0, 0, 0, 0};  ///< top, left, bottom, right
};

template <size_t N>
std::array<int64_t, N> read_array(NodeContext& node, std::string_view name,
                                  const std::array<int64_t, N>& fallback, int64_t lowest) {
  const std::vector<int64_t> given = node.integers(
      name, std::vector<int64_t>(fallback.begin(), fallback.end()), lowest, kLargestWindow);
  std::array<int64_t, N> values = fallback;
  if (given.size() == N) {
    std::copy(given.begin(), given.end(), values.begin());
  } else {
    node.fail(fmt::format("attribute {}: has {} entries, images need {}", name, given.size(), N));
  }
  return values;
}

/// What auto_pad = SAME_* adds on one axis: as much as makes ceil(extent / stride) outputs.
std::array<int64_t, 2> same_padding(int64_t extent, int64_t window, int64_t stride,
                                    bool extra_at_end) {
  const int64_t outputs = (extent + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((outputs - 1) * stride + window - extent, 0);
  const int64_t less = total / 2, more = total - less;
  return extra_at_end ? std::array{less, more} : std::array{more, less};
}

void read_padding(NodeContext& node, const Shape& x, Window& window) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  window.padding = read_array<4>(node, "pads", {0, 0, 0, 0}, 0);
  if (node.failed() || automatic == "NOTSET") return;
  if (node.has_attribute("pads"))
    return node.fail("attributes pads and auto_pad: only one may be given");
  if (automatic == "VALID") return;
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") {
    return node.fail("attribute auto_pad: must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    const auto [begin, end] =
        same_padding(x[axis + 2], reach, window.stride[axis], automatic == "SAME_UPPER");
    window.padding[axis] = begin;
    window.padding[axis + 2] = end;
  }
}

/// Reads kernel_shape, strides, dilations, pads and auto_pad and checks that the kernel fits the
/// image x.
Window read_window(NodeContext& node, const Shape& x, const std::array<int64_t, 2>& kernel) {
  Window window;
  window.kernel = read_array<2>(node, "kernel_shape", kernel, 1);
  window.stride = read_array<2>(node, "strides", {1, 1}, 1);
  window.dilation = read_array<2>(node, "dilations", {1, 1}, 1);
  read_padding(node, x, window);
  if (node.failed()) return window;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    const int64_t before = window.padding[axis], after = window.padding[axis + 2];
    if (x[axis + 2] + before + after >= reach) continue;
    node.fail(fmt::format(
        "attribute kernel_shape: reaches over {} pixels, but the image {} has {} with its pads",
        reach, to_string(x), x[axis + 2] + before + after));
  }
  return window;
}

/// The extents of an image [N,C,H,W]; fails for other ranks.
Shape image_shape(NodeContext& node) {
  const TensorType type = node.input_type(0);
  if (type.rank() == 4) return type.shape;
  node.fail(fmt::format("input 0 is {}; only images [N,C,H,W] are supported", to_string(type)));
  return {1, 1, 1, 1};
}

/// A window outside the image would have no maximum and no mean.
void check_pool(NodeContext& node, const Window& window) {
  for (size_t axis = 0; axis < 2; ++axis) {
    if (window.dilation[axis] != 1)
      node.fail("attribute dilations: only 1 is supported in pooling");
    if (window.padding[axis] < window.kernel[axis] &&
        window.padding[axis + 2] < window.kernel[axis])
      continue;
    node.fail(fmt::format("attribute pads: {} and {} must be smaller than the kernel, {}",
                          window.padding[axis], window.padding[axis + 2], window.kernel[axis]));
  }
}

ops::Pool2dOptions read_pool(NodeContext& node) {
  const Shape x = image_shape(node);
  if (!node.has_attribute("kernel_shape")) node.fail("attribute kernel_shape: is missing");
  const Window window = read_window(node, x, {1, 1});
  check_pool(node, window);
  ops::Pool2dOptions options;
  options.kernel = window.kernel;
  options.stride = window.stride;
  options.padding = window.padding;
  options.ceil_mode = node.flag("ceil_mode", false);
  return options;
}

}  // namespace

void convert_conv(NodeContext& node) {
  const Shape x_shape = image_shape(node);
  const TensorType weight_type = node.input_type(1);
  if (!node.failed() && weight_type.rank() != 4) {
    node.fail(fmt::format("input 1 (W) is {}; images need weights [M,C/group,KH,KW]",
                          to_string(weight_type)));
  }
  ops::Conv2dOptions options;
  options.groups = node.integer("group", 1, 1, kLargestWindow);
  if (node.failed()) return;
  const std::array<int64_t, 2> kernel{weight_type.shape[2], weight_type.shape[3]};
  const Window window = read_window(node, x_shape, kernel);
  if (window.kernel != kernel) {
    node.fail(fmt::format("attribute kernel_shape: {}x{} differs from the weights {}",
                          window.kernel[0], window.kernel[1], to_string(weight_type)));
  }
  options.stride = window.stride;
  options.padding = window.padding;
  options.dilation = window.dilation;
  const ValueId x = node.input(0);
  const ValueId weight = node.input(1);
  const ValueId bias = node.has_input(2) ? node.input(2) : kNoValue;
  if (!node.failed()) node.set_output(ops::conv2d(node.builder(), x, weight, bias, options));
}

void convert_max_pool(NodeContext& node) {
  const ops::Pool2dOptions options = read_pool(node);
  if (node.integer("storage_order", 0, 0, 1) != 0)
    node.fail("attribute storage_order: only 0 is supported");
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::max_pool2d(node.builder(), x, options));
}

void convert_average_pool(NodeContext& node) {
  ops::Pool2dOptions options = read_pool(node);
  options.count_include_pad = node.flag("count_include_pad", false);
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::average_pool2d(node.builder(), x, options));
}

void convert_global_average_pool(NodeContext& node) {
  image_shape(node);
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(ops::global_average_pool(node.builder(), x));
}

void convert_batch_normalization(NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-5);
  node.ignore("momentum");
  if (node.integer("training_mode", 0, 0, 1) != 0)
    node.fail("attribute training_mode: imported models run inference");
  if (node.opset() < 7 && !node.flag("is_test", false)) {
    node.fail("attribute is_test: must be 1; imported models run inference");
  }
  if (node.integer("spatial", 1, 0, 1) != 1) node.fail("attribute spatial: only 1 is supported");
  std::array<ValueId, 5> inputs{};
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = node.input(i);
  if (node.failed()) return;
  const auto [x, scale, bias, mean, variance] = inputs;
  node.set_output(
      ops::batch_norm_inference(node.builder(), x, scale, bias, mean, variance, epsilon));
}

}  // namespace engine::onnx
