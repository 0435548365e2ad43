// SPDX-License-Identifier: Apache-2.0
// half_training: a small network whose gradients are too small for f16, trained with and without loss scaling.
#include <fmt/format.h>

#include "engine/ops/loss_scaling.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr int64_t kInputs = 64, kHidden = 128, kClasses = 10;

LossScaleOptions scaling_of(const Arguments& arguments) {
  LossScaleOptions options;
  options.initial_scale = real_argument(arguments, "initial_scale");
  options.rule.growth_interval =
      text_argument(arguments, "scaling") == "static" ? 0 : integer_argument(arguments, "growth_interval");
  return options;
}

void build_half_training(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, dtype_argument(arguments), true);
  const int64_t batch = integer_argument(arguments, "batch");
  const double loss_weight = real_argument(arguments, "loss_weight");
  ValueId x =
      builder.input("input", TensorType::contiguous(net.dtype(), {batch, kInputs}), Fill{Fill::Kind::uniform, -1, 1});
  for (const int layer_number : {1, 2, 3}) {
    const LayerScope layer(builder, fmt::format("fc{}", layer_number));
    x = net.linear(x, "", layer_number == 3 ? kClasses : kHidden);
    if (layer_number < 3) x = ops::relu(builder, x);
  }
  ValueId loss = kNoValue, weighted = kNoValue;
  {
    const LayerScope layer(builder, "loss");
    const ValueId labels = builder.input("labels", TensorType::contiguous(DType::int64, {batch}),
                                         Fill{Fill::Kind::integers, 0, static_cast<double>(kClasses)});
    loss = ops::softmax_cross_entropy(builder, x, labels);
    builder.mark_output(loss);
    weighted = ops::scale(builder, loss, loss_weight);
  }
  OptimizerOptions options = optimizer_arguments(arguments);
  // So that the weight changes the size of the gradients alone: SGD's steps are proportional to them, Adam's are not.
  if (options.optimizer == Optimizer::sgd) options.learning_rate /= loss_weight;
  else options.epsilon *= loss_weight;
  if (text_argument(arguments, "scaling") != "none") options.loss_scale = scaling_of(arguments);
  append_optimizer_step(builder, weighted, options);
}

}  // namespace

Workload half_training_workload() {
  Workload workload;
  workload.name = "half_training";
  workload.title = "Training in 16 bits";
  workload.description =
      "A three-layer network with a loss of small weight. Its gradients are below 6e-8, the "
      "smallest f16 number, so "
      "f16 learns nothing unless the loss is scaled. bf16 has the exponents of f32 and needs no "
      "scaling.";
  workload.parameters = {
      batch_parameter(64),
      dtype_parameter({"f16", "bf16", "f32"}),
      choice_parameter("scaling", "Loss scaling",
                       "dynamic: the scale grows after steps without overflow and shrinks with "
                       "each one, which is skipped; static: "
                       "it stays as it is; none: no scale.",
                       {"dynamic", "static", "none"}),
      real_parameter("initial_scale", "Initial scale",
                     "Factor of the loss in the first step (PyTorch starts with 65536).", "65536", 1e-6, 1e30),
      integer_parameter("growth_interval", "Growth interval",
                        "Steps without overflow after which a dynamic scale doubles.", 2000, "steps", 1, 1e9),
      real_parameter("loss_weight", "Loss weight",
                     "Factor of the loss, as of one among several losses. Its effect on the update "
                     "is undone (SGD: "
                     "learning rate divided by it; Adam: epsilon multiplied by it).",
                     "0.000001", 1e-12, 1)};
  for (Parameter& parameter : optimizer_parameters("0.1", "0.9")) workload.parameters.push_back(std::move(parameter));
  workload.small = {{"batch", "4"}};
  workload.build = build_half_training;
  return workload;
}

}  // namespace engine
