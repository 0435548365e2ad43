// SPDX-License-Identifier: Apache-2.0
// Pooling ops made ready: windows from attributes, the global average as one window.
#include "engine/cuda/pooling.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

struct Entry {
  std::string_view op;
  PoolKind kind;
};
constexpr Entry kEntries[] = {
    {"max_pool2d", PoolKind::max},
    {"max_pool3d", PoolKind::max},
    {"max_pool2d_grad", PoolKind::max_gradient},
    {"max_pool3d_grad", PoolKind::max_gradient},
    {"max_pool2d_tangent", PoolKind::max_tangent},
    {"average_pool2d", PoolKind::average},
    {"average_pool3d", PoolKind::average},
    {"average_pool2d_grad", PoolKind::average_gradient},
    {"average_pool3d_grad", PoolKind::average_gradient},
    {"global_average_pool", PoolKind::average},
    {"global_average_pool_grad", PoolKind::average_gradient},
};

void set_strides(int64_t (&strides)[5], const Tensor& tensor) {
  const size_t spatial = tensor.shape().size() - 2, first = 3 - spatial;
  strides[0] = tensor.strides()[0];
  strides[1] = tensor.strides()[1];
  for (size_t i = 0; i < spatial; ++i) strides[2 + first + i] = tensor.strides()[2 + i];
}

PreparedKernel prepare_pool(Context& context, const PrepareRequest& request) {
  const Attributes& attributes = request.node.attributes;
  const auto &inputs = request.arguments.inputs, &outputs = request.arguments.outputs;
  Pool w;
  w.kind = std::ranges::find(kEntries, request.node.op->name, &Entry::op)->kind;
  const bool gradient = w.kind == PoolKind::max_gradient || w.kind == PoolKind::average_gradient;
  const Tensor &x = gradient ? outputs[0] : inputs[0], &y = gradient ? inputs[0] : outputs[0];
  const bool indexed = w.kind == PoolKind::max || w.kind == PoolKind::max_gradient || w.kind == PoolKind::max_tangent;
  const size_t spatial = x.shape().size() - 2, first = 3 - spatial;
  w.wide = x.dtype() == DType::float64 || !is_floating(x.dtype());
  w.x = Data(x);
  w.y = Data(y);
  set_strides(w.x_strides, x);
  set_strides(w.y_strides, y);
  if (indexed) {
    const Tensor& indices = w.kind == PoolKind::max ? outputs[1] : inputs[1];
    w.indices = Data(indices);
    set_strides(w.index_strides, indices);
  }
  w.batch = x.shape()[0];
  w.channels = x.shape()[1];
  const std::vector<int64_t> ones(spatial, 1), none(2 * spatial, 0), whole(x.shape().begin() + 2, x.shape().end());
  const auto kernel = attributes.get_ints("kernel", whole), stride = attributes.get_ints("stride", ones),
             dilation = attributes.get_ints("dilation", ones), padding = attributes.get_ints("padding", none);
  for (size_t i = 0; i < spatial; ++i) {
    w.input[first + i] = x.shape()[2 + i];
    w.output[first + i] = y.shape()[2 + i];
    w.kernel[first + i] = kernel[i];
    w.stride[first + i] = stride[i];
    w.dilation[first + i] = dilation[i];
    w.padding[first + i] = padding[i];
    w.padding_after[first + i] = padding[spatial + i];
  }
  w.count_include_pad = attributes.get_int("count_include_pad", 0) != 0;
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [w](const Launcher& launcher) { return launch(launcher, w); });
}

}  // namespace

std::span<const Kernel> pooling_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all;
    for (const Entry& entry : kEntries) all.push_back({entry.op, takes_any, prepare_pool});
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
