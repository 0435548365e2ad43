// SPDX-License-Identifier: Apache-2.0
// Optimisers.
#include <algorithm>
#include <cmath>

#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

ProgramKey program(const Tensor& weight) { return {.file = "updates.cl", .doubles = weight.dtype() == DType::float64}; }

/// Weight, gradient and states, `count` operands.
std::optional<Walk> walk_of(const PrepareRequest& request, size_t count) {
  std::vector<Strides> strides;
  for (size_t i = 0; i < count; ++i) strides.push_back(request.arguments.inputs[i].strides());
  return make_walk(request.arguments.inputs[0].shape(), strides);
}

PreparedKernel prepare_sgd(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  const std::optional<Walk> walk = walk_of(request, 2);
  if (!walk) return refuse(request, kTooManyAxes);
  return launched(context, request, "own sgd (OpenCL)",
                  LaunchBuilder(context, program(inputs[0]), "sgd")
                      .tensor(inputs[0])
                      .tensor(inputs[1])
                      .real(attributes.get_double("rate", 0))
                      .real(attributes.get_double("weight_decay", 0))
                      .walk(*walk)
                      .over(walk->count));
}

PreparedKernel prepare_sgd_momentum(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  const std::optional<Walk> walk = walk_of(request, 3);
  if (!walk) return refuse(request, kTooManyAxes);
  return launched(context, request, "own sgd_momentum (OpenCL)",
                  LaunchBuilder(context, program(inputs[0]), "sgd_momentum")
                      .tensor(inputs[0])
                      .tensor(inputs[1])
                      .tensor(inputs[2])
                      .real(attributes.get_double("rate", 0))
                      .real(attributes.get_double("weight_decay", 0))
                      .real(attributes.get_double("momentum", 0))
                      .whole(attributes.get_int("nesterov", 0))
                      .walk(*walk)
                      .over(walk->count));
}

bool takes_adam(const Node&, const Call& call) {
  const DType dtype = call.inputs[0].dtype;
  const auto same = [&](const TensorType& type) { return type.dtype == dtype; };
  return is_real(dtype) && std::ranges::all_of(call.inputs.first(4), same);
}

template <bool decoupled>
PreparedKernel prepare_adam(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  const std::optional<Walk> walk = walk_of(request, 4);
  if (!walk) return refuse(request, kTooManyAxes);
  LaunchBuilder builder(context, program(inputs[0]), "adam");
  for (const Tensor& operand : inputs) builder.tensor(operand);
  for (const char* const key : {"rate", "weight_decay", "epsilon"}) builder.real(attributes.get_double(key, 0));
  for (const char* const key : {"beta1", "beta2"}) {
    const double beta = attributes.get_double(key, 0);
    builder.real(beta).real(1 - beta).real(std::log(beta));
  }
  return launched(context, request, decoupled ? "own adamw (OpenCL)" : "own adam (OpenCL)",
                  builder.whole(decoupled ? 1 : 0).walk(*walk).over(walk->count));
}

PreparedKernel prepare_count_step(Context& context, const PrepareRequest& request) {
  return launched(
      context, request, "own count_step (OpenCL)",
      LaunchBuilder(context, {.file = "updates.cl"}, "count_step").tensor(request.arguments.inputs[0]).over(1, 1));
}

}  // namespace

std::span<const Kernel> update_kernels() {
  static constexpr Kernel kKernels[] = {
      {"sgd", takes_reals, prepare_sgd},
      {"sgd_momentum", takes_reals, prepare_sgd_momentum},
      {"adam", takes_adam, prepare_adam<false>},
      {"adamw", takes_adam, prepare_adam<true>},
      {"count_step", takes_any, prepare_count_step},
  };
  return kKernels;
}

}  // namespace engine::opencl
