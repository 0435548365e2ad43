// SPDX-License-Identifier: Apache-2.0
// Windows of convolutions and pools over any number of spatial axes, as ONNX writes them.
#pragma once

#include <string_view>
#include <vector>

#include "engine/onnx/node_context.h"
#include "engine/ops/ops.h"

namespace engine::onnx {

/// Far beyond any image, and small enough that sums and products of three stay in 63 bits.
inline constexpr int64_t kLargestWindow = 1 << 20;

/// One entry per spatial axis each.
struct Window {
  std::vector<int64_t> kernel, stride, dilation, before, after;
  size_t rank() const { return kernel.size(); }
  /// What the kernel spans on an axis.
  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
};

/// Before each axis, then after each.
std::vector<int64_t> pads_of(const Window& window);
/// The extents of input i behind batch and channels: one to three; fails otherwise.
std::vector<int64_t> spatial_extents(NodeContext& node, size_t i);
/// An attribute with one entry per spatial axis.
std::vector<int64_t> read_extents(NodeContext& node, std::string_view name, const std::vector<int64_t>& fallback,
                                  int64_t lowest);
/// Reads kernel_shape, strides, dilations, pads and auto_pad and checks that the kernel fits the extents `x` (of an
/// image, a signal or a volume). `kernel`: what it is without the attribute; empty: it must be there.
Window read_window(NodeContext& node, const std::vector<int64_t>& x, const std::vector<int64_t>& kernel);
/// The options of a convolution whose image is input x and whose weights are input w.
ops::Conv2dOptions read_conv2d(NodeContext& node, size_t x, size_t w);

}  // namespace engine::onnx
