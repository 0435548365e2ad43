// SPDX-License-Identifier: Apache-2.0
// Builds the perceptron in one of four precisions and feeds it a new batch of digits at every step.
#include "tests/support/digit_training.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "engine/cpu/backend.h"
#include "engine/ops/loss_scaling.h"
#include "engine/ops/ops.h"
#include "engine/ops/phase_scope.h"
#include "engine/ops/casting.h"
#include "engine/ops/quantized.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/digits.h"
#include "engine/workloads/parameters.h"

namespace test {
namespace {

using namespace engine;  // NOLINT: a helper of tests of this floor

constexpr int64_t kBatch = 64;
constexpr std::array<std::string_view, 4> kPrecisions{"f32", "bf16", "f16", "i8 weights"};

struct Net {
  std::shared_ptr<const Graph> graph;
  ValueId input = kNoValue, labels = kNoValue, logits = kNoValue, loss = kNoValue;
};

/// Parameters, and what stands for each in the products.
struct Weights {
  std::vector<ValueId> kept, used;
};

ValueId linear(GraphBuilder& builder, ValueId x, int64_t out, bool rounds, DType dtype, Weights& weights) {
  const int64_t in = builder.type(x).shape[1];
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const std::string& layer = builder.layer();
  if (!rounds) {
    const ValueId weight = weight_parameter(builder, layer + ".weight", {out, in}, fill, dtype, true);
    return ops::linear(builder, x, weight, weight_parameter(builder, layer + ".bias", {out}, fill, dtype, true));
  }
  const ValueId weight = weight_parameter(builder, layer + ".weight", {out, in}, fill, dtype, true);
  const ValueId bias = weight_parameter(builder, layer + ".bias", {out}, fill, dtype, true);
  const ValueId rounded = ops::dequantize_linear(builder, ops::dynamic_quantize_linear(builder, weight));
  weights.kept.insert(weights.kept.end(), {weight, bias});
  weights.used.insert(weights.used.end(), {rounded, bias});
  return ops::linear(builder, x, rounded, bias);
}

/// The gradients of the rounded weights move the weights kept.
void append_straight_through(GraphBuilder& builder, ValueId loss, const Weights& weights, const SgdOptions& options) {
  const std::vector<ValueId> gradients = differentiate(builder, loss, weights.used);
  const PhaseScope scope(builder, Phase::update);
  for (size_t i = 0; i < gradients.size() && !builder.failed(); ++i) {
    const std::string name = builder.graph().value(weights.kept[i]).name + ".momentum";
    const ValueId buffer = builder.state(name, TensorType(builder.type(weights.kept[i])), Fill{Fill::Kind::zeros});
    ops::sgd_update(builder, weights.kept[i], gradients[i], buffer, options.learning_rate, options.momentum, options.weight_decay);
  }
}

Result<Net> build(std::string_view precision) {
  const bool rounds = precision == "i8 weights";
  const DType dtype = precision == "bf16" ? DType::bfloat16 : precision == "f16" ? DType::float16 : DType::float32;
  GraphBuilder builder;
  Net net;
  Weights weights;
  net.input = builder.input("input", TensorType::contiguous(DType::float32, {kBatch, kDigitPixels}), {});
  net.labels = builder.input("labels", TensorType::contiguous(DType::int64, {kBatch}), {});
  ValueId x = ops::cast(builder, net.input, dtype);
  for (const int64_t width : {int64_t{128}, int64_t{64}, kDigitClasses}) {
    const LayerScope layer(builder, "fc" + std::to_string(width));
    x = linear(builder, x, width, rounds, dtype, weights);
    if (width != kDigitClasses) x = ops::relu(builder, x);
  }
  net.logits = x;
  net.loss = ops::softmax_cross_entropy(builder, x, net.labels);
  const SgdOptions options{.learning_rate = 0.05, .momentum = 0.9, .weight_decay = 0};
  if (rounds) append_straight_through(builder, net.loss, weights, options);
  else if (dtype == DType::float16) append_scaled_sgd_step(builder, net.loss, options, {});
  else append_sgd_step(builder, net.loss, options);
  builder.mark_output(net.logits);
  builder.mark_output(net.loss);
  Result<Graph> graph = builder.finish();
  if (!graph) return graph.error();
  net.graph = std::make_shared<const Graph>(std::move(*graph));
  return net;
}

/// How many of the batch's logits are largest at their label.
int correct(const Tensor& logits, std::span<const int64_t> labels) {
  int count = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    int64_t best = 0;
    for (int64_t c = 1; c < kDigitClasses; ++c) {
      if (logits.get_flat(b * kDigitClasses + c) > logits.get_flat(b * kDigitClasses + best)) best = c;
    }
    count += best == labels[static_cast<size_t>(b)] ? 1 : 0;
  }
  return count;
}

}  // namespace

std::span<const std::string_view> digit_precisions() { return kPrecisions; }

Result<DigitCurve> train_on_digits(std::string_view precision, uint64_t seed, int steps, int threads) {
  const Result<Net> net = build(precision);
  if (!net) return net.error();
  const Result<std::unique_ptr<Backend>> backend = cpu::make_backend(threads);
  if (!backend) return backend.error();
  PlanOptions options;
  options.seed = seed;
  const Result<std::unique_ptr<Plan>> made = Plan::make(net->graph, **backend, options);
  if (!made) return made.error();
  Plan& plan = **made;
  const Tensor &input = plan.tensor(net->input), &labels = plan.tensor(net->labels);
  const std::span<int64_t> classes(labels.data_as<int64_t>(), kBatch);
  const int counted_from = steps - steps / 4;
  DigitCurve curve;
  double right = 0;
  for (int step = 0; step < steps; ++step) {
    draw_digits(seed, step * kBatch, {input.data_as<float>(), static_cast<size_t>(kBatch * kDigitPixels)}, classes);
    plan.run_step(static_cast<uint32_t>(step), nullptr);
    curve.losses.push_back(plan.tensor(net->loss).get_flat(0));
    if (step >= counted_from) right += correct(plan.tensor(net->logits), classes);
  }
  curve.accuracy = steps > counted_from ? right / static_cast<double>((steps - counted_from) * kBatch) : 0;
  return curve;
}

}  // namespace test
