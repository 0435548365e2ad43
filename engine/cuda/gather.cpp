// SPDX-License-Identifier: Apache-2.0
// gather, gather_grad, embedding_bag and triangle made ready.
#include "engine/cuda/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/copy.h"
#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

PreparedKernel prepare_gather(Context& context, const PrepareRequest& request) {
  Gather g;
  g.gradient = request.node.op->name == "gather_grad";
  const Tensor& table = g.gradient ? request.arguments.outputs[0] : request.arguments.inputs[0];
  const Tensor &picked = g.gradient ? request.arguments.inputs[0] : request.arguments.outputs[0],
               &indices = request.arguments.inputs[1];
  int64_t axis = request.node.attributes.get_int("axis", 0);
  if (axis < 0) axis += table.type().rank();
  const auto split = [&](const auto& list) {
    using List = std::decay_t<decltype(list)>;
    return std::pair(List(list.begin(), list.begin() + axis), List(list.begin() + axis + 1, list.end()));
  };
  const auto [outer_shape, inner_shape] = split(table.shape());
  const auto [outer_strides, inner_strides] = split(table.strides());
  const auto outer = make_logical_walk<1>(outer_shape, {outer_strides}),
             inner = make_logical_walk<1>(inner_shape, {inner_strides}),
             slices = make_logical_walk<1>(indices.shape(), {indices.strides()}),
             elements = make_logical_walk<1>(picked.shape(), {picked.strides()});
  if (!outer || !inner || !slices || !elements)
    return refuse(request, "the operands have more than 8 axes that cannot be merged");
  g.table = Data(table);
  g.picked = Data(picked);
  g.indices = Data(indices);
  g.outer = *outer;
  g.inner = *inner;
  g.slices = *slices;
  g.elements = *elements;
  g.extent = table.shape()[static_cast<size_t>(axis)];
  g.axis_stride = table.strides()[static_cast<size_t>(axis)];
  const DType dtype = table.dtype();
  g.arithmetic = dtype == DType::float64 ? Arithmetic::float64
                 : is_floating(dtype)    ? Arithmetic::float32
                                         : Arithmetic::whole;
  const std::optional<StridedFill> zeros = plan_fill(table, 0);
  if (!zeros) return refuse(request, "the result has more than 8 axes that cannot be merged");
  return launched(context, request, fmt::format("own {} (CUDA)", request.node.op->name),
                  [g, zeros = *zeros](const Launcher& launcher) {
                    const cudaError_t code = g.gradient ? launch(launcher, zeros) : cudaSuccess;
                    return code != cudaSuccess ? code : launch(launcher, g);
                  });
}

PreparedKernel prepare_bag(Context& context, const PrepareRequest& request) {
  const Tensor &weight = request.arguments.inputs[0], &indices = request.arguments.inputs[1],
               &y = request.arguments.outputs[0];
  EmbeddingBag e;
  e.wide = weight.dtype() == DType::float64;
  e.mean = request.node.attributes.get_string("mode", "sum") == "mean";
  e.weight = Data(weight);
  e.indices = Data(indices);
  e.y = Data(y);
  e.rows = weight.shape()[0];
  e.width = weight.shape()[1];
  e.bags = indices.shape()[0];
  e.length = indices.shape()[1];
  for (size_t i = 0; i < 2; ++i) {
    e.weight_strides[i] = weight.strides()[i];
    e.index_strides[i] = indices.strides()[i];
    e.y_strides[i] = y.strides()[i];
  }
  return launched(context, request, "own embedding_bag (CUDA)",
                  [e](const Launcher& launcher) { return launch(launcher, e); });
}

PreparedKernel prepare_triangle(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto elements = make_logical_walk<2>(x.shape(), {x.strides(), y.strides()});
  if (!elements) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  Triangle t;
  t.x = Data(x);
  t.y = Data(y);
  t.elements = *elements;
  t.rows = x.shape().end()[-2];
  t.columns = x.shape().back();
  t.k = std::clamp(request.node.attributes.get_int("k", 0), -t.rows, t.columns);
  t.upper = request.node.attributes.get_int("upper", 1) != 0;
  return launched(context, request, "own triangle (CUDA)",
                  [t](const Launcher& launcher) { return launch(launcher, t); });
}

}  // namespace

std::span<const Kernel> gather_kernels() {
  static constexpr Kernel kKernels[] = {
      {"gather", takes_any, prepare_gather},
      {"gather_grad", takes_any, prepare_gather},
      {"embedding_bag", takes_any, prepare_bag},
      {"triangle", takes_any, prepare_triangle},
  };
  return kKernels;
}

}  // namespace engine::cuda
