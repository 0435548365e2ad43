// SPDX-License-Identifier: Apache-2.0
// Max, average and global average pooling and their gradients.
#include <algorithm>
#include <cstring>

#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

/// As in pooling.cl.
struct Geometry {
  int64_t count = 0, channels = 0, height = 0, width = 0, out_height = 0, out_width = 0;
  int64_t kernel_extent[2] = {}, stride[2] = {}, padding[2] = {}, padding_after[2] = {};
  int64_t x[4] = {}, y[4] = {}, indices[4] = {};
  int64_t count_include_pad = 0;
};

/// `global`: one window over the whole plane.
Geometry geometry_of(const Attributes& attributes, const TensorType& x, const TensorType& y, bool global) {
  Geometry g{.channels = x.shape[1],
             .height = x.shape[2],
             .width = x.shape[3],
             .out_height = y.shape[2],
             .out_width = y.shape[3]};
  const std::vector<int64_t> plane{x.shape[2], x.shape[3]};
  const std::vector<int64_t> kernel = global ? plane : attributes.get_ints("kernel", {}),
                             stride = global ? plane : attributes.get_ints("stride", {1, 1});
  const std::vector<int64_t> padding =
      global ? std::vector<int64_t>(4, 0) : attributes.get_ints("padding", {0, 0, 0, 0});
  std::copy_n(kernel.begin(), 2, g.kernel_extent);
  std::copy_n(stride.begin(), 2, g.stride);
  std::copy_n(padding.begin(), 2, g.padding);
  std::copy_n(padding.begin() + 2, 2, g.padding_after);
  std::copy_n(x.strides.begin(), 4, g.x);
  std::copy_n(y.strides.begin(), 4, g.y);
  g.count_include_pad = global ? 0 : attributes.get_int("count_include_pad", 0);
  return g;
}

ProgramKey program(const Tensor& tensor) { return {.file = "pooling.cl", .doubles = tensor.dtype() == DType::float64}; }

Result<Launch> finished(LaunchBuilder& builder, const Geometry& g) {
  static_assert(sizeof(Geometry) % sizeof(int64_t) == 0);
  std::vector<int64_t> numbers(sizeof g / sizeof(int64_t));
  std::memcpy(numbers.data(), &g, sizeof g);
  return builder.numbers(numbers).over(g.count);
}

bool takes_max(const Node&, const Call& call) {
  return is_real(call.inputs[0].dtype) && call.outputs[0].dtype == call.inputs[0].dtype;
}

PreparedKernel prepare_max(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0],
               &indices = request.arguments.outputs[1];
  Geometry g = geometry_of(request.node.attributes, x.type(), y.type(), false);
  g.count = y.type().elements();
  std::copy_n(indices.strides().begin(), 4, g.indices);
  LaunchBuilder builder(context, program(x), "max_pool");
  return launched(context, request, "own max_pool2d (OpenCL)",
                  finished(builder.tensor(y).tensor(indices).tensor(x), g));
}

PreparedKernel prepare_max_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &indices = request.arguments.inputs[1],
               &dx = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, dx.type(), dy.type(), false);
  g.count = dx.shape()[0] * dx.shape()[1];  // planes
  std::copy_n(indices.strides().begin(), 4, g.indices);
  LaunchBuilder builder(context, program(dx), "max_pool_grad");
  return launched(context, request, "own max_pool2d_grad (OpenCL)",
                  finished(builder.tensor(dx).tensor(dy).tensor(indices), g));
}

template <bool global>
PreparedKernel prepare_average(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, x.type(), y.type(), global);
  g.count = y.type().elements();
  LaunchBuilder builder(context, program(x), "average_pool");
  return launched(context, request, "own average_pool2d (OpenCL)", finished(builder.tensor(y).tensor(x), g));
}

template <bool global>
PreparedKernel prepare_average_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &dx = request.arguments.outputs[0];
  Geometry g = geometry_of(request.node.attributes, dx.type(), dy.type(), global);
  g.count = dx.type().elements();
  LaunchBuilder builder(context, program(dx), "average_pool_grad");
  return launched(context, request, "own average_pool2d_grad (OpenCL)", finished(builder.tensor(dx).tensor(dy), g));
}

}  // namespace

std::span<const Kernel> pooling_kernels() {
  static constexpr Kernel kKernels[] = {
      {"max_pool2d", takes_max, prepare_max},
      {"max_pool2d_grad", takes_max, prepare_max_grad},
      {"average_pool2d", takes_reals, prepare_average<false>},
      {"average_pool2d_grad", takes_reals, prepare_average_grad<false>},
      {"global_average_pool", takes_reals, prepare_average<true>},
      {"global_average_pool_grad", takes_reals, prepare_average_grad<true>},
  };
  return kKernels;
}

}  // namespace engine::opencl
