// SPDX-License-Identifier: Apache-2.0
// Optimisers, clipping, dropout and loss scaling made ready.
#include "engine/cuda/updates.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

/// Which operand is which; -1: none. The first is the gradient, or x.
struct Entry {
  std::string_view op;
  UpdateKind kind;
  int gradient, first, second, step, scalar, found;
};
constexpr Entry kEntries[] = {
    {"sgd", UpdateKind::sgd, 1, -1, -1, -1, -1, -1},
    {"sgd_momentum", UpdateKind::momentum, 1, 2, -1, -1, -1, -1},
    {"unscaled_sgd", UpdateKind::sgd, 1, -1, -1, -1, 2, 3},
    {"unscaled_sgd_momentum", UpdateKind::momentum, 1, 2, -1, -1, 3, 4},
    {"adam", UpdateKind::adam, 1, 2, 3, 4, -1, -1},
    {"adamw", UpdateKind::adamw, 1, 2, 3, 4, -1, -1},
    {"unscaled_adam", UpdateKind::adam, 1, 2, 3, 4, 5, 6},
    {"unscaled_adamw", UpdateKind::adamw, 1, 2, 3, 4, 5, 6},
    {"clip_by_norm", UpdateKind::clip, 0, -1, -1, -1, 1, -1},
    {"dropout", UpdateKind::dropout, 0, -1, -1, -1, 1, -1},
};

PreparedKernel prepare_update(Context& context, const PrepareRequest& request) {
  const Entry& entry = *std::ranges::find(kEntries, request.node.op->name, &Entry::op);
  const auto& inputs = request.arguments.inputs;
  const Attributes& attributes = request.node.attributes;
  const Tensor& weight = request.arguments.outputs[0];
  const auto input = [&](int position) { return position < 0 ? Data() : Data(inputs[static_cast<size_t>(position)]); };
  const auto strides = [&](int position) {
    return position < 0 ? Strides(weight.shape().size(), 0) : inputs[static_cast<size_t>(position)].strides();
  };
  Update u;
  u.kind = entry.kind;
  u.wide = weight.dtype() == DType::float64;
  u.weight = Data(weight);
  u.gradient = input(entry.gradient);
  u.first = input(entry.first);
  u.second = input(entry.second);
  u.step = input(entry.step);
  u.scalar = input(entry.scalar);
  u.found = input(entry.found);
  const Strides third = entry.kind == UpdateKind::dropout ? contiguous_strides(weight.shape()) : strides(entry.first);
  const auto walk =
      make_walk<4>(weight.shape(), {weight.strides(), strides(entry.gradient), third, strides(entry.second)});
  if (!walk) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  u.walk = *walk;
  u.rate = attributes.get_double("rate", 0);
  u.decay = attributes.get_double("weight_decay", 0);
  u.momentum = attributes.get_double("momentum", 0);
  u.beta1 = attributes.get_double("beta1", 0);
  u.beta2 = attributes.get_double("beta2", 0);
  u.epsilon = attributes.get_double("epsilon", 0);
  u.max_norm = attributes.get_double("max_norm", 0);
  u.ratio = attributes.get_double("ratio", 0.5);
  u.seed = attributes.get_int("seed", 0);
  u.nesterov = attributes.get_int("nesterov", 0) != 0;
  return launched(context, request, fmt::format("own {} (CUDA)", entry.op),
                  [u](const Launcher& launcher) { return launch(launcher, u); });
}

PreparedKernel prepare_count(Context& context, const PrepareRequest& request) {
  const Data step(request.arguments.outputs[0]);
  const Data found = request.arguments.inputs.size() > 1 ? Data(request.arguments.inputs[1]) : Data();
  return launched(context, request, "own count_step (CUDA)",
                  [step, found](const Launcher& launcher) { return launch_count(launcher, step, found); });
}

PreparedKernel prepare_scale_update(Context& context, const PrepareRequest& request) {
  const auto& outputs = request.arguments.outputs;
  const Attributes& attributes = request.node.attributes;
  ScaleUpdate u;
  u.scale = Data(outputs[0]);
  u.streak = Data(outputs[1]);
  u.found = Data(outputs[2]);
  u.skipped = Data(outputs[3]);
  u.growth_factor = attributes.get_double("growth_factor", 2);
  u.backoff_factor = attributes.get_double("backoff_factor", 0.5);
  u.growth_interval = attributes.get_int("growth_interval", 2000);
  return launched(context, request, "own loss_scale_update (CUDA)",
                  [u](const Launcher& launcher) { return launch(launcher, u); });
}

}  // namespace

std::span<const Kernel> update_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all{{"count_step", takes_any, prepare_count},
                            {"count_step_unless", takes_any, prepare_count},
                            {"loss_scale_update", takes_any, prepare_scale_update}};
    for (const Entry& entry : kEntries) all.push_back({entry.op, takes_any, prepare_update});
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
