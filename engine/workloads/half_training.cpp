// SPDX-License-Identifier: Apache-2.0
// half_training: a small network whose gradients are too small for f16, trained with and without loss scaling, or with
// weights rounded to 8-bit integers.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/casting.h"
#include "engine/ops/loss_scaling.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/ops/reduce.h"
#include "engine/ops/straight_through.h"
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

using Rounded = std::vector<StraightThrough>;

/// The weight [out, in] as the nearest i8 numbers, with a scale per output that just holds its largest one, made real
/// again.
ValueId rounded_to_i8(GraphBuilder& builder, ValueId weight) {
  const ValueId largest = ops::reduce_max(builder, ops::absolute(builder, weight), {1});
  const double zero = 0;
  auto zero_point = Tensor::from_values({}, {&zero, 1}, DType::int8);
  if (!zero_point) return builder.fail(zero_point.error());
  ops::Quantized integers;
  integers.scale = ops::scale(builder, largest, 1.0 / 127);
  integers.zero_point = builder.constant(builder.layer() + ".zero_point", *std::move(zero_point));
  integers.values = ops::quantize_linear(builder, weight, integers.scale, integers.zero_point, 0);
  return ops::dequantize_linear(builder, integers, 0);
}

/// LayerBuilder::linear() by a rounded weight, in the network's type; the weight itself stays f32.
ValueId rounded_linear(LayerBuilder& net, ValueId x, int64_t outputs, Rounded& rounded) {
  GraphBuilder& builder = net.graph();
  if (builder.failed()) return kNoValue;
  const int64_t in = builder.type(x).shape.back();
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const ValueId weight =
      builder.parameter(builder.layer() + ".weight", TensorType::contiguous(DType::float32, {outputs, in}), fill);
  const ValueId bias = net.weight("bias", {outputs}, fill);
  if (builder.failed()) return kNoValue;
  rounded.push_back({weight, rounded_to_i8(builder, weight)});
  return ops::linear(builder, x, ops::cast(builder, rounded.back().rounded, net.dtype()), bias);
}

void build_half_training(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, dtype_argument(arguments), true);
  const int64_t batch = integer_argument(arguments, "batch");
  const double loss_weight = real_argument(arguments, "loss_weight");
  const bool rounds = text_argument(arguments, "weights") == "i8";
  Rounded rounded;
  ValueId x =
      builder.input("input", TensorType::contiguous(net.dtype(), {batch, kInputs}), Fill{Fill::Kind::uniform, -1, 1});
  for (const int layer_number : {1, 2, 3}) {
    const LayerScope layer(builder, fmt::format("fc{}", layer_number));
    const int64_t outputs = layer_number == 3 ? kClasses : kHidden;
    x = rounds ? rounded_linear(net, x, outputs, rounded) : net.linear(x, "", outputs);
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
  append_straight_through_step(builder, weighted, options, rounded);
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
      "scaling. Weights of 8 bits are rounded from f32 in each step, and gradients pass straight through.";
  workload.parameters = {
      batch_parameter(64),
      dtype_parameter({"f16", "bf16", "f32"}),
      choice_parameter("scaling", "Loss scaling",
                       "dynamic: the scale grows after steps without overflow and shrinks with "
                       "each one, which is skipped; static: "
                       "it stays as it is; none: no scale.",
                       {"dynamic", "static", "none"}),
      choice_parameter("weights", "Weights",
                       "dtype: in the number format. i8: rounded to 8-bit integers in each step, with a scale per "
                       "output. An f32 copy learns by the gradient of the rounded weights (straight through).",
                       {"dtype", "i8"}),
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
  workload.presets = {{"f32", "f32", {{"dtype", "f32"}, {"scaling", "none"}}},
                      {"bf16", "bf16", {{"dtype", "bf16"}, {"scaling", "none"}}},
                      {"f16", "f16 without loss scaling", {{"dtype", "f16"}, {"scaling", "none"}}},
                      {"f16-scaled", "f16 with dynamic loss scaling", {{"dtype", "f16"}, {"scaling", "dynamic"}}},
                      {"i8-weights",
                       "f32 with weights rounded to 8-bit integers",
                       {{"dtype", "f32"}, {"scaling", "none"}, {"weights", "i8"}}}};
  workload.small = {{"batch", "4"}};
  workload.build = build_half_training;
  return workload;
}

}  // namespace engine
