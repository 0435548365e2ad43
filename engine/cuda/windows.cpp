// SPDX-License-Identifier: Apache-2.0
// local_response_norm, im2col and their gradients made ready.
#include "engine/cuda/windows.h"

#include <fmt/format.h>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

PreparedKernel prepare_response(Context& context, const PrepareRequest& request) {
  const Attributes& attributes = request.node.attributes;
  ResponseNorm r;
  r.gradient = request.node.op->name == "local_response_norm_grad";
  const Tensor &x = request.arguments.inputs[r.gradient ? 1 : 0], &dy = request.arguments.inputs[0],
               &y = request.arguments.outputs[0];
  r.wide = x.dtype() == DType::float64;
  r.x = Data(x);
  r.dy = Data(dy);
  r.y = Data(y);
  Strides channel(x.shape().size(), 0);
  channel[1] = 1;
  const auto all = make_walk<4>(x.shape(), {y.strides(), x.strides(), dy.strides(), channel});
  if (!all) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  r.all = *all;
  r.channels = x.shape()[1];
  r.x_step = x.strides()[1];
  r.dy_step = dy.strides()[1];
  r.size = attributes.get_int("size", 5);
  r.alpha = attributes.get_double("alpha", 1e-4);
  r.beta = attributes.get_double("beta", 0.75);
  r.bias = attributes.get_double("bias", 1);
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [r](const Launcher& launcher) { return launch(launcher, r); });
}

PreparedKernel prepare_columns(Context& context, const PrepareRequest& request) {
  const Attributes& attributes = request.node.attributes;
  Columns c;
  c.back = request.node.op->name == "col2im";
  const Tensor& image = c.back ? request.arguments.outputs[0] : request.arguments.inputs[0];
  const Tensor& columns = c.back ? request.arguments.inputs[0] : request.arguments.outputs[0];
  c.wide = image.dtype() == DType::float64 || !is_floating(image.dtype());
  c.image = Data(image);
  c.columns = Data(columns);
  c.batch = image.shape()[0];
  c.channels = image.shape()[1];
  const auto kernel = attributes.get_ints("kernel", {}), stride = attributes.get_ints("stride", {1, 1}),
             dilation = attributes.get_ints("dilation", {1, 1}), padding = attributes.get_ints("padding", {0, 0, 0, 0});
  for (size_t i = 0; i < 2; ++i) {
    c.input[i] = image.shape()[2 + i];
    c.kernel[i] = kernel[i];
    c.stride[i] = stride[i];
    c.dilation[i] = dilation[i];
    c.padding[i] = padding[i];
    const int64_t window = dilation[i] * (kernel[i] - 1) + 1;
    c.output[i] = (c.input[i] + padding[i] + padding[2 + i] - window) / stride[i] + 1;
  }
  for (size_t i = 0; i < 4; ++i) c.image_strides[i] = image.strides()[i];
  for (size_t i = 0; i < 3; ++i) c.column_strides[i] = columns.strides()[i];
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [c](const Launcher& launcher) { return launch(launcher, c); });
}

}  // namespace

std::span<const Kernel> window_kernels() {
  static constexpr Kernel kKernels[] = {
      {"local_response_norm", takes_floats, prepare_response},
      {"local_response_norm_grad", takes_floats, prepare_response},
      {"im2col", takes_any, prepare_columns},
      {"col2im", takes_any, prepare_columns},
  };
  return kKernels;
}

}  // namespace engine::cuda
