// SPDX-License-Identifier: Apache-2.0
// Layer, root-mean-square and batch normalisation and their gradients.
#include <fmt/format.h>

#include <algorithm>

#include "engine/opencl/kernels.h"
#include "engine/opencl/lines.h"

namespace engine::opencl {
namespace {

ProgramKey program(const Tensor& x) { return {.file = "norms.cl", .doubles = x.dtype() == DType::float64}; }

/// A layer norm's lines are the axes from "axis" on.
std::vector<bool> layer_axes(const PrepareRequest& request, const Shape& shape) {
  int64_t axis = request.node.attributes.get_int("axis", -1);
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  std::vector<bool> along(shape.size(), false);
  std::fill(along.begin() + static_cast<std::ptrdiff_t>(axis), along.end(), true);
  return along;
}

/// A batch norm's lines are all axes but the channels.
std::vector<bool> channel_axes(const Shape& shape) {
  std::vector<bool> along(shape.size(), true);
  along[1] = false;
  return along;
}

/// Strides, by the axes of x, of a tensor that has the axes which `is_along` marks, the channel of a batch norm, or
/// those of a layer norm's statistics.
Strides of_last_axes(const Tensor& tensor, size_t rank) {
  Strides strides(rank, 0);
  std::ranges::copy(tensor.strides(), strides.end() - static_cast<std::ptrdiff_t>(tensor.strides().size()));
  return strides;
}
Strides of_channels(const Tensor& tensor, size_t rank) {
  Strides strides(rank, 0);
  strides[1] = tensor.strides()[0];
  return strides;
}
/// Extents of 1 where the lines lie: those strides are never used.
Strides of_statistic(const Tensor& tensor) { return tensor.strides(); }

enum class Kind : uint8_t { layer, rms, batch };

std::string_view name(Kind kind) {
  return kind == Kind::layer ? "layer_norm" : kind == Kind::rms ? "rms_norm" : "batch_norm";
}

template <Kind kind>
PreparedKernel prepare_forward(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const auto& outputs = request.arguments.outputs;
  const Tensor &x = inputs[0], &y = outputs[0], &scale = inputs[1];
  const bool centred = kind != Kind::rms, has_bias = inputs.size() > 2;
  const Tensor &bias = has_bias ? inputs[2] : scale, &inverse = outputs.back(), &mean = outputs[centred ? 1 : 0];
  const size_t rank = x.shape().size();
  const auto parameter = [&](const Tensor& t) {
    return kind == Kind::batch ? of_channels(t, rank) : of_last_axes(t, rank);
  };
  const auto statistic = [&](const Tensor& t) { return kind == Kind::batch ? of_channels(t, rank) : of_statistic(t); };
  const std::optional<Lines> lines =
      make_lines(x.shape(), kind == Kind::batch ? channel_axes(x.shape()) : layer_axes(request, x.shape()),
                 {x.strides(), y.strides(), parameter(scale), parameter(bias), statistic(centred ? mean : inverse),
                  statistic(inverse)});
  if (!lines) return refuse(request, kTooManyAxes);
  return launched(context, request, fmt::format("own {} (OpenCL)", name(kind)),
                  LaunchBuilder(context, program(x), "normalise")
                      .tensor(x)
                      .tensor(y)
                      .tensor(scale)
                      .tensor(bias)
                      .tensor(mean)
                      .tensor(inverse)
                      .whole(centred ? 1 : 0)
                      .whole(has_bias ? 1 : 0)
                      .real(request.node.attributes.get_double("epsilon", 1e-5))
                      .walk(lines->lines)
                      .walk(lines->along)
                      .groups(lines->lines.count, 1, 1, kGroup));
}

template <Kind kind>
PreparedKernel prepare_grad(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const auto& outputs = request.arguments.outputs;
  const bool centred = kind != Kind::rms, per_line = kind == Kind::batch;
  const Tensor &dy = inputs[0], &x = inputs[1], &scale = inputs.back(), &inverse = inputs[centred ? 3 : 2],
               &mean = inputs[2], &dx = outputs[0], &dscale = outputs[1], &dbias = outputs[centred ? 2 : 1];
  const size_t rank = x.shape().size();
  const auto statistic = [&](const Tensor& t) { return per_line ? of_channels(t, rank) : of_statistic(t); };
  const std::optional<Lines> lines = make_lines(
      x.shape(), per_line ? channel_axes(x.shape()) : layer_axes(request, x.shape()),
      {dy.strides(), x.strides(), dx.strides(), per_line ? of_channels(scale, rank) : of_last_axes(scale, rank),
       statistic(mean), statistic(inverse)});
  if (!lines) return refuse(request, kTooManyAxes);
  std::vector<Result<Launch>> launches;
  launches.push_back(LaunchBuilder(context, program(x), "normalise_grad")
                         .tensor(dy)
                         .tensor(x)
                         .tensor(dx)
                         .tensor(scale)
                         .tensor(mean)
                         .tensor(inverse)
                         .tensor(dscale)
                         .tensor(dbias)
                         .whole(centred ? 1 : 0)
                         .whole(per_line ? 1 : 0)
                         .walk(lines->lines)
                         .walk(lines->along)
                         .groups(lines->lines.count, 1, 1, kGroup));
  if (!per_line) {
    launches.push_back(LaunchBuilder(context, program(x), "parameter_grad")
                           .tensor(dy)
                           .tensor(x)
                           .tensor(mean)
                           .tensor(inverse)
                           .tensor(dscale)
                           .tensor(dbias)
                           .whole(centred ? 1 : 0)
                           .walk(lines->lines)
                           .walk(lines->along)
                           .groups(lines->along.count, 1, 1, kGroup));
  }
  return launched(context, request, {.name = fmt::format("own {}_grad (OpenCL)", name(kind))}, std::move(launches));
}

PreparedKernel prepare_inference(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor &x = inputs[0], &y = request.arguments.outputs[0];
  const size_t rank = x.shape().size();
  const std::optional<Walk> walk =
      make_walk(x.shape(), {x.strides(), y.strides(), of_channels(inputs[1], rank), of_channels(inputs[2], rank),
                            of_channels(inputs[3], rank), of_channels(inputs[4], rank)});
  if (!walk) return refuse(request, kTooManyAxes);
  return launched(context, request, "own batch_norm_inference (OpenCL)",
                  LaunchBuilder(context, program(x), "batch_norm_inference")
                      .tensor(x)
                      .tensor(y)
                      .tensor(inputs[1])
                      .tensor(inputs[2])
                      .tensor(inputs[3])
                      .tensor(inputs[4])
                      .real(request.node.attributes.get_double("epsilon", 1e-5))
                      .walk(*walk)
                      .over(walk->count));
}

PreparedKernel prepare_running_update(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  const auto count = static_cast<double>(attributes.get_int("count", 1));
  const std::optional<Walk> walk = make_walk(
      inputs[0].shape(), {inputs[0].strides(), inputs[1].strides(), inputs[2].strides(), inputs[3].strides()});
  if (!walk) return refuse(request, kTooManyAxes);
  return launched(context, request, "own batch_norm_running_update (OpenCL)",
                  LaunchBuilder(context, program(inputs[0]), "running_update")
                      .tensor(inputs[0])
                      .tensor(inputs[1])
                      .tensor(inputs[2])
                      .tensor(inputs[3])
                      .real(attributes.get_double("epsilon", 1e-5))
                      .real(attributes.get_double("momentum", 0.1))
                      .real(count > 1 ? count / (count - 1) : 1)
                      .walk(*walk)
                      .over(walk->count));
}

}  // namespace

std::span<const Kernel> norm_kernels() {
  static constexpr Kernel kKernels[] = {
      {"layer_norm", takes_reals, prepare_forward<Kind::layer>},
      {"layer_norm_grad", takes_reals, prepare_grad<Kind::layer>},
      {"rms_norm", takes_reals, prepare_forward<Kind::rms>},
      {"rms_norm_grad", takes_reals, prepare_grad<Kind::rms>},
      {"batch_norm_training", takes_reals, prepare_forward<Kind::batch>},
      {"batch_norm_grad", takes_reals, prepare_grad<Kind::batch>},
      {"batch_norm_inference", takes_reals, prepare_inference},
      {"batch_norm_running_update", takes_reals, prepare_running_update},
  };
  return kKernels;
}

}  // namespace engine::opencl
