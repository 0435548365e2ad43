// SPDX-License-Identifier: Apache-2.0
// Builds the perceptron by a recipe and feeds it a new batch of digits at every step.
#include "tests/support/digit_training.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "engine/cpu/backend.h"
#include "engine/ops/casting.h"
#include "engine/ops/ops.h"
#include "engine/ops/phase_scope.h"
#include "engine/ops/quantized.h"
#include "engine/ops/training_step.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/digits.h"
#include "engine/workloads/parameters.h"

namespace test {
namespace {

using namespace engine;  // NOLINT: a helper of tests of this floor

constexpr double kLearningRate = 0.05, kMomentum = 0.9;
using Kind = DigitRecipe::Kind;
constexpr double kSmall = 1e-6;
constexpr std::array kRecipes{DigitRecipe{"f32", Kind::f32},
                              DigitRecipe{"bf16", Kind::bf16},
                              DigitRecipe{"f16, scaled", Kind::f16, true},
                              DigitRecipe{"f16, not scaled", Kind::f16},
                              DigitRecipe{"f16, small loss, scaled", Kind::f16, true, kSmall},
                              DigitRecipe{"f16, small loss, not scaled", Kind::f16, false, kSmall, false},
                              DigitRecipe{"i8 weights", Kind::i8_weights},
                              DigitRecipe{"i8 after f32", Kind::i8_after}};

struct Net {
  std::shared_ptr<const Graph> graph;
  ValueId input = kNoValue, labels = kNoValue, logits = kNoValue, loss = kNoValue;
};

/// Parameters, pairs of weight and bias, and what stands for each in the products.
struct Weights {
  std::vector<ValueId> kept, used;
};

/// The logits have no sigmoid behind them, and at four times the bound their first losses would be twenty.
double start_bound(bool before_sigmoid, int64_t in, int64_t out) {
  return before_sigmoid ? 4 * std::sqrt(6 / static_cast<double>(in + out)) : 1 / std::sqrt(static_cast<double>(in));
}

ValueId activation(GraphBuilder& builder, const DigitNet& shape, ValueId x) {
  return shape.sigmoid ? ops::sigmoid(builder, x) : ops::relu(builder, x);
}

ValueId linear(GraphBuilder& builder, bool before_sigmoid, ValueId x, int64_t out, bool rounds, DType dtype,
               Weights& weights) {
  const int64_t in = builder.type(x).shape[1];
  const double bound = start_bound(before_sigmoid, in, out);
  const Fill fill{Fill::Kind::uniform, -bound, bound};
  const std::string& layer = builder.layer();
  const ValueId weight = weight_parameter(builder, layer + ".weight", {out, in}, fill, dtype, true);
  const ValueId bias = weight_parameter(builder, layer + ".bias", {out}, fill, dtype, true);
  const ValueId rounded =
      rounds ? ops::dequantize_linear(builder, ops::dynamic_quantize_linear(builder, weight)) : weight;
  weights.kept.insert(weights.kept.end(), {weight, bias});
  weights.used.insert(weights.used.end(), {rounded, bias});
  return ops::linear(builder, x, rounded, bias);
}

/// The gradients of the rounded weights move the weights kept.
void append_straight_through(GraphBuilder& builder, ValueId loss, const Weights& weights) {
  const std::vector<ValueId> gradients = differentiate(builder, loss, weights.used);
  const PhaseScope scope(builder, Phase::update);
  for (size_t i = 0; i < gradients.size() && !builder.failed(); ++i) {
    const std::string name = builder.graph().value(weights.kept[i]).name + ".momentum";
    const ValueId buffer = builder.state(name, TensorType(builder.type(weights.kept[i])), Fill{Fill::Kind::zeros});
    ops::sgd_update(builder, weights.kept[i], gradients[i], buffer, kLearningRate, kMomentum, 0);
  }
}

/// The network of these weights in 8 bits: products of u8 by u8, summed in i32, made real and biased in f32.
ValueId quantized_logits(GraphBuilder& builder, const DigitNet& shape, ValueId x, const Weights& weights) {
  const LayerScope layer(builder, "quantized");
  for (size_t i = 0; i < weights.kept.size() && !builder.failed(); i += 2) {
    if (i != 0) x = activation(builder, shape, x);
    const ops::Quantized input = ops::dynamic_quantize_linear(builder, x);
    const ops::Quantized weight = ops::dynamic_quantize_linear(builder, ops::transpose(builder, weights.kept[i], 0, 1));
    const ValueId sums = ops::matmul_integer(builder, input.values, weight.values, input.zero_point, weight.zero_point);
    const ValueId factor = ops::multiply(builder, input.scale, weight.scale);
    x = ops::add(builder, ops::multiply(builder, ops::cast(builder, sums, DType::float32), factor),
                 weights.kept[i + 1]);
  }
  return x;
}

OptimizerOptions optimizer_of(const DigitRecipe& recipe) {
  OptimizerOptions options;
  options.learning_rate = kLearningRate / recipe.loss_weight;
  options.momentum = kMomentum;
  if (recipe.scales_loss) options.loss_scale = LossScaleOptions{};
  return options;
}

Result<Net> build(const DigitRecipe& recipe, const DigitNet& shape) {
  const std::span<const int64_t> hidden = shape.hidden;
  const bool rounds = recipe.kind == Kind::i8_weights;
  const DType dtype = recipe.kind == Kind::bf16  ? DType::bfloat16
                      : recipe.kind == Kind::f16 ? DType::float16
                                                 : DType::float32;
  GraphBuilder builder;
  Net net;
  Weights weights;
  net.input = builder.input("input", TensorType::contiguous(DType::float32, {shape.batch, kDigitPixels}), {});
  net.labels = builder.input("labels", TensorType::contiguous(DType::int64, {shape.batch}), {});
  ValueId x = ops::cast(builder, net.input, dtype);
  for (size_t i = 0; i <= hidden.size() && !builder.failed(); ++i) {
    const LayerScope layer(builder, "fc" + std::to_string(i + 1));
    x = linear(builder, shape.sigmoid && i < hidden.size(), x, i < hidden.size() ? hidden[i] : kDigitClasses, rounds,
               dtype, weights);
    if (i < hidden.size()) x = activation(builder, shape, x);
  }
  net.logits = x;
  net.loss = ops::softmax_cross_entropy(builder, x, net.labels);
  const ValueId trained = recipe.loss_weight == 1 ? net.loss : ops::scale(builder, net.loss, recipe.loss_weight);
  if (recipe.kind == Kind::i8_after) {  // before the update, as the loss of the others
    net.logits = quantized_logits(builder, shape, net.input, weights);
    net.loss = ops::softmax_cross_entropy(builder, net.logits, net.labels);
  }
  if (rounds) append_straight_through(builder, trained, weights);
  else append_optimizer_step(builder, trained, optimizer_of(recipe));
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
  for (int64_t b = 0; b < std::ssize(labels); ++b) {
    int64_t best = 0;
    for (int64_t c = 1; c < kDigitClasses; ++c) {
      if (logits.get_flat(b * kDigitClasses + c) > logits.get_flat(b * kDigitClasses + best)) best = c;
    }
    count += best == labels[static_cast<size_t>(b)] ? 1 : 0;
  }
  return count;
}

}  // namespace

std::span<const DigitRecipe> digit_recipes() { return kRecipes; }

DigitNet fcn_r() { return {.hidden = {2048, 4096, 1024}, .sigmoid = true, .batch = 1024}; }

Result<DigitCurve> train_on_digits(const DigitRecipe& recipe, const DigitNet& shape, uint64_t seed, int steps,
                                   int threads) {
  const Result<Net> net = build(recipe, shape);
  if (!net) return net.error();
  const Result<std::unique_ptr<Backend>> backend = cpu::make_backend(threads);
  if (!backend) return backend.error();
  PlanOptions options;
  options.seed = seed;
  const Result<std::unique_ptr<Plan>> made = Plan::make(net->graph, **backend, options);
  if (!made) return made.error();
  Plan& plan = **made;
  const Tensor &input = plan.tensor(net->input), &labels = plan.tensor(net->labels);
  const std::span<int64_t> classes(labels.data_as<int64_t>(), static_cast<size_t>(shape.batch));
  const int counted_from = steps - steps / 4;
  DigitCurve curve;
  double right = 0;
  for (int step = 0; step < steps; ++step) {
    draw_digits(seed, step * shape.batch, {input.data_as<float>(), static_cast<size_t>(shape.batch * kDigitPixels)},
                classes);
    plan.run_step(static_cast<uint32_t>(step), nullptr);
    curve.losses.push_back(plan.tensor(net->loss).get_flat(0));
    if (step >= counted_from) right += correct(plan.tensor(net->logits), classes);
  }
  curve.accuracy = steps > counted_from ? right / static_cast<double>((steps - counted_from) * shape.batch) : 0;
  return curve;
}

}  // namespace test
