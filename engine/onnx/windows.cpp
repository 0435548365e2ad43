// SPDX-License-Identifier: Apache-2.0
// Windows of convolutions and pools over any number of spatial axes, as ONNX writes them.
#include "engine/onnx/windows.h"

#include <fmt/format.h>

#include <array>

namespace engine::onnx {
namespace {

/// What auto_pad = SAME_* adds on one axis: as much as makes ceil(extent / stride) outputs.
std::array<int64_t, 2> same_padding(int64_t extent, int64_t window, int64_t stride, bool extra_at_end) {
  const int64_t outputs = extent / stride + (extent % stride != 0 ? 1 : 0);
  const int64_t total = std::max<int64_t>((outputs - 1) * stride + window - extent, 0);
  const int64_t less = total / 2, more = total - less;
  return extra_at_end ? std::array{less, more} : std::array{more, less};
}

void read_padding(NodeContext& node, const std::vector<int64_t>& x, Window& window) {
  const size_t rank = window.rank();
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const std::vector<int64_t> pads = node.integers("pads", std::vector<int64_t>(2 * rank, 0), 0, kLargestWindow);
  if (pads.size() != 2 * rank)
    node.fail(fmt::format("attribute pads: has {} entries, {} spatial axes need {}", pads.size(), rank, 2 * rank));
  if (node.failed()) return;
  window.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  window.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  if (automatic == "NOTSET") return;
  if (automatic == "VALID" || automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    if (node.has_attribute("pads")) {
      // Some writers give both; zeros add nothing.
      for (const int64_t pad : pads) {
        if (pad != 0) return node.fail("attributes pads and auto_pad: only one may be given");
      }
    }
    if (automatic == "VALID") return;
  } else {
    return node.fail("attribute auto_pad: must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    const auto [begin, end] = same_padding(x[axis], window.reach(axis), window.stride[axis], automatic == "SAME_UPPER");
    window.before[axis] = begin;
    window.after[axis] = end;
  }
}

}  // namespace

std::vector<int64_t> pads_of(const Window& window) {
  std::vector<int64_t> pads = window.before;
  pads.insert(pads.end(), window.after.begin(), window.after.end());
  return pads;
}

std::vector<int64_t> spatial_extents(NodeContext& node, size_t i) {
  const TensorType type = node.input_type(i);
  if (type.rank() >= 3 && type.rank() <= 5) return {type.shape.begin() + 2, type.shape.end()};
  node.fail(fmt::format("input {} is {}; only one to three spatial axes behind batch and channels are supported", i,
                        to_string(type)));
  return {1, 1};
}

std::vector<int64_t> read_extents(NodeContext& node, std::string_view name, const std::vector<int64_t>& fallback,
                                  int64_t lowest) {
  const std::vector<int64_t> given = node.integers(name, fallback, lowest, kLargestWindow);
  if (given.size() == fallback.size()) return given;
  node.fail(fmt::format("attribute {}: has {} entries, {} spatial axes need {}", name, given.size(), fallback.size(),
                        fallback.size()));
  return fallback;
}

Window read_window(NodeContext& node, const std::vector<int64_t>& x, const std::vector<int64_t>& kernel) {
  const std::vector<int64_t> ones(x.size(), 1), zeros(x.size(), 0);
  Window window{ones, ones, ones, zeros, zeros};
  if (kernel.empty() && !node.has_attribute("kernel_shape")) node.fail("attribute kernel_shape: is missing");
  window.kernel = read_extents(node, "kernel_shape", kernel.empty() ? ones : kernel, 1);
  window.stride = read_extents(node, "strides", ones, 1);
  window.dilation = read_extents(node, "dilations", ones, 1);
  if (!node.failed()) read_padding(node, x, window);
  if (node.failed()) return window;
  for (size_t axis = 0; axis < window.rank(); ++axis) {
    const int64_t padded = x[axis] + window.before[axis] + window.after[axis];
    if (padded >= window.reach(axis)) continue;
    node.fail(fmt::format("attribute kernel_shape: reaches over {} pixels, but the image {} has {} with its pads",
                          window.reach(axis), to_string(Shape(x)), padded));
  }
  return window;
}

ops::Conv2dOptions read_conv2d(NodeContext& node, size_t x, size_t w) {
  const std::vector<int64_t> extents = spatial_extents(node, x), kernel = spatial_extents(node, w);
  ops::Conv2dOptions options;
  options.groups = node.integer("group", 1, 1, kLargestWindow);
  if (!node.failed() && (extents.size() != 2 || kernel.size() != 2)) node.fail("only images [N,C,H,W] are supported");
  if (node.failed()) return options;
  const Window window = read_window(node, extents, kernel);
  if (node.failed()) return options;
  if (window.kernel != kernel) {
    node.fail(fmt::format("attribute kernel_shape: {} differs from the weights {}", to_string(Shape(window.kernel)),
                          to_string(node.input_type(w))));
  }
  options.stride = {window.stride[0], window.stride[1]};
  options.dilation = {window.dilation[0], window.dilation[1]};
  options.padding = {window.before[0], window.before[1], window.after[0], window.after[1]};
  return options;
}

}  // namespace engine::onnx
