// SPDX-License-Identifier: Apache-2.0
// conv2d and its gradients: extents, strides, and which of them are rows, columns and depth.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/opencl/product.h"

namespace engine::opencl {
namespace {

/// As in convolution.cl.
struct Geometry {
  int64_t m = 0, n = 0, k = 0, a_along_k = 0, b_along_k = 0;
  int64_t in_group = 0, out_group = 0, height = 0, width = 0, out_height = 0, out_width = 0, kernel_height = 0,
          kernel_width = 0;
  int64_t stride[2] = {}, dilation[2] = {}, padding[2] = {};
  int64_t x[4] = {}, w[4] = {}, y[4] = {};
  int64_t bias_column = 0, has_bias = 0;
};

/// Of an input, a weight and a result, without m, n and k.
Geometry geometry_of(const Attributes& attributes, const TensorType& x, const TensorType& w, const TensorType& y) {
  const int64_t groups = attributes.get_int("groups", 1);
  Geometry g{.in_group = x.shape[1] / groups,
             .out_group = w.shape[0] / groups,
             .height = x.shape[2],
             .width = x.shape[3],
             .out_height = y.shape[2],
             .out_width = y.shape[3],
             .kernel_height = w.shape[2],
             .kernel_width = w.shape[3]};
  const std::vector<int64_t> stride = attributes.get_ints("stride", {1, 1}),
                             dilation = attributes.get_ints("dilation", {1, 1}),
                             padding = attributes.get_ints("padding", {0, 0, 0, 0});
  std::copy_n(stride.begin(), 2, g.stride);
  std::copy_n(dilation.begin(), 2, g.dilation);
  std::copy_n(padding.begin(), 2, g.padding);
  std::copy_n(x.strides.begin(), 4, g.x);
  std::copy_n(w.strides.begin(), 4, g.w);
  std::copy_n(y.strides.begin(), 4, g.y);
  return g;
}

int64_t taps(const Geometry& g) { return g.kernel_height * g.kernel_width; }

PreparedKernel prepare(Context& context, const PrepareRequest& request, const std::string& kernel, const char* option,
                       const Geometry& g) {
  static_assert(sizeof(Geometry) % sizeof(int64_t) == 0);
  std::vector<int64_t> numbers(sizeof g / sizeof(int64_t));
  std::memcpy(numbers.data(), &g, sizeof g);
  const auto& inputs = request.arguments.inputs;
  std::vector<Result<Launch>> launches;
  launches.push_back(tile_launch(context, "convolution.cl", kernel, option, request.arguments.outputs[0], inputs[0],
                                 inputs[1], g.has_bias != 0 ? &inputs[2] : nullptr, numbers, g.m, g.n,
                                 request.node.attributes.get_int("groups", 1)));
  return launched(context, request, tile_facts("convolution"), std::move(launches));
}

PreparedKernel prepare_forward(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor& y = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, inputs[0].type(), inputs[1].type(), y.type());
  g.m = y.shape()[0] * g.out_height * g.out_width;
  g.n = g.out_group;
  g.k = taps(g) * g.in_group;
  g.a_along_k = g.x[1] == 1 ? 1 : 0;
  if (inputs.size() == 3) {
    g.has_bias = 1;
    g.bias_column = inputs[2].strides()[0];
  }
  return prepare(context, request, "convolution", "-D FORWARD", g);
}

PreparedKernel prepare_grad_input(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor& dx = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, dx.type(), inputs[1].type(), inputs[0].type());
  g.m = dx.shape()[0] * g.height * g.width;
  g.n = g.in_group;
  g.k = taps(g) * g.out_group;
  g.a_along_k = g.y[1] == 1 ? 1 : 0;
  return prepare(context, request, "convolution_grad_input", "-D GRAD_INPUT", g);
}

PreparedKernel prepare_grad_weight(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor& dw = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, inputs[1].type(), dw.type(), inputs[0].type());
  g.m = g.out_group;
  g.n = taps(g) * g.in_group;
  g.k = inputs[0].shape()[0] * g.out_height * g.out_width;
  return prepare(context, request, "convolution_grad_weight", "-D GRAD_WEIGHT", g);
}

}  // namespace

std::span<const Kernel> convolution_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", takes_reals, prepare_forward},
      {"conv2d_grad_input", takes_reals, prepare_grad_input},
      {"conv2d_grad_weight", takes_reals, prepare_grad_weight},
  };
  return kKernels;
}

}  // namespace engine::opencl
