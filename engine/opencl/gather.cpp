// SPDX-License-Identifier: Apache-2.0
// gather and its gradient.
#include <array>

#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

bool takes_gather(const Node&, const Call& call) {
  const DType indices = call.inputs[1].dtype;
  return is_real(call.inputs[0].dtype) && call.outputs[0].dtype == call.inputs[0].dtype &&
         (indices == DType::int64 || indices == DType::int32);
}

/// What both are given: `y` is the gathered tensor (or its gradient), `x` the one that slices are picked from.
struct Picking {
  Walk slices, picks;
  std::array<int64_t, 2> numbers{};
};

std::optional<Picking> picking_of(const PrepareRequest& request, const Tensor& y, const Tensor& x,
                                  const Tensor& indices) {
  int64_t axis = request.node.attributes.get_int("axis", 0);
  if (axis < 0) axis += x.type().rank();
  const auto at = static_cast<size_t>(axis), rank = indices.shape().size();
  Shape outside;
  Strides of_y, of_x;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (i == at) continue;
    outside.push_back(x.shape()[i]);
    of_x.push_back(x.strides()[i]);
    of_y.push_back(y.strides()[i < at ? i : i - 1 + rank]);
  }
  const Strides along(y.strides().begin() + axis, y.strides().begin() + axis + static_cast<std::ptrdiff_t>(rank));
  const std::optional<Walk> slices = make_walk(outside, {of_y, of_x}),
                            picks = make_walk(indices.shape(), {along, indices.strides()}, /*by_memory=*/false);
  if (!slices || !picks) return std::nullopt;
  return Picking{*slices, *picks, {x.shape()[at], x.strides()[at]}};
}

ProgramKey program(const Tensor& x, const Tensor& indices) {
  return {.file = "gather.cl",
          .doubles = x.dtype() == DType::float64,
          .options = indices.dtype() == DType::int64 ? "-D INDEX=long" : "-D INDEX=int"};
}

PreparedKernel prepare_gather(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &indices = request.arguments.inputs[1],
               &y = request.arguments.outputs[0];
  const std::optional<Picking> picking = picking_of(request, y, x, indices);
  if (!picking) return refuse(request, kTooManyAxes);
  return launched(context, request, "own gather (OpenCL)",
                  LaunchBuilder(context, program(x, indices), "gather")
                      .tensor(y)
                      .tensor(x)
                      .tensor(indices)
                      .numbers(picking->numbers)
                      .walk(picking->slices)
                      .walk(picking->picks)
                      .over(picking->slices.count * picking->picks.count));
}

PreparedKernel prepare_gather_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &indices = request.arguments.inputs[1],
               &dx = request.arguments.outputs[0];
  const std::optional<Picking> picking = picking_of(request, dy, dx, indices);
  if (!picking) return refuse(request, kTooManyAxes);
  return launched(context, request, "own gather_grad (OpenCL)",
                  LaunchBuilder(context, program(dx, indices), "gather_grad")
                      .tensor(dy)
                      .tensor(dx)
                      .tensor(indices)
                      .numbers(picking->numbers)
                      .walk(picking->slices)
                      .walk(picking->picks)
                      .over(picking->slices.count));
}

}  // namespace

std::span<const Kernel> gather_kernels() {
  static constexpr Kernel kKernels[] = {
      {"gather", takes_gather, prepare_gather},
      {"gather_grad", takes_gather, prepare_gather_grad},
  };
  return kKernels;
}

}  // namespace engine::opencl
