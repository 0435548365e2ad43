// SPDX-License-Identifier: Apache-2.0
// Optimisers against arithmetic by hand, step by step, and what append_optimizer_step appends.
#include "engine/ops/training_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/ops/optimizers.h"
#include "tests/support/host_interpreter.h"

namespace engine {
namespace {

const TensorType kVector = TensorType::contiguous(DType::float64, {3});

/// loss = sum(x * w): the gradient by w is x, step after step.
struct Model {
  ValueId x, w;
  test::HostInterpreter host;
};

Model model(const OptimizerOptions& options) {
  GraphBuilder builder;
  builder.set_layer("fc");
  const ValueId x = builder.input("x", kVector, {Fill::Kind::normal, 0, 1});
  const ValueId w = builder.parameter("fc.weight", kVector, {Fill::Kind::normal, 0, 1});
  append_optimizer_step(builder, ops::sum(builder, ops::multiply(builder, x, w), {}), options);
  Result<Graph> graph = builder.finish();
  CHECK(graph.ok());
  return {x, w, test::HostInterpreter(std::move(*graph))};
}

/// torch.optim.Adam and AdamW, written out for one element.
struct ByHand {
  double w, m = 0, v = 0;

  void step(double g, int t, const OptimizerOptions& o) {
    if (o.optimizer == Optimizer::adamw) {
      w *= 1 - o.learning_rate * o.weight_decay;
    } else {
      g += o.weight_decay * w;
    }
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    const double step_size = o.learning_rate / (1 - std::pow(o.beta1, t));
    const double denominator = std::sqrt(v) / std::sqrt(1 - std::pow(o.beta2, t)) + o.epsilon;
    w -= step_size * m / denominator;
  }
};

TEST(OptimizerStep, AdamAndAdamWFollowTheFormulasForThreeSteps) {
  for (const Optimizer optimizer : {Optimizer::adam, Optimizer::adamw}) {
    SCOPED_TRACE(name(optimizer));
    OptimizerOptions options;
    options.optimizer = optimizer;
    options.learning_rate = 0.1;
    options.beta1 = 0.8;
    options.beta2 = 0.95;
    options.epsilon = 1e-3;
    options.weight_decay = 0.2;
    Model net = model(options);
    std::vector<ByHand> expected;
    for (int64_t i = 0; i < 3; ++i) expected.push_back({net.host.tensor(net.w).get_flat(i)});
    for (int t = 1; t <= 3; ++t) {
      net.host.run();
      for (int64_t i = 0; i < 3; ++i) {
        ByHand& element = expected[static_cast<size_t>(i)];
        element.step(net.host.tensor(net.x).get_flat(i), t, options);
        EXPECT_NEAR(net.host.tensor(net.w).get_flat(i), element.w, 1e-14) << "step " << t;
      }
      EXPECT_EQ(net.host.tensor(*net.host.graph().find("optimizer.step")).get_flat(0), t);
    }
    EXPECT_NEAR(net.host.tensor(*net.host.graph().find("fc.weight.v")).get_flat(1), expected[1].v, 1e-15);
  }
}

/// From w = 1 and v = 0 with gradient 2, rate 0.5, betas 0.5 and 0.75: m = 1, v = 1, both corrections give the gradient
/// back, so the first step is rate * 2 / 2.
TEST(OptimizerStep, AdamsFirstStepIsTheRate) {
  GraphBuilder builder;
  const TensorType number = TensorType::contiguous(DType::float64, {});
  const Fill one{Fill::Kind::ones};
  const ValueId w = builder.parameter("w", number, one);
  const ValueId g = ops::scale(builder, builder.input("one", number, one), 2);
  const ValueId m = builder.state("m", number, {}), v = builder.state("v", number, {});
  const ValueId step = ops::count_step(builder, builder.state("step", TensorType::contiguous(DType::int64, {}), {}));
  ops::adam_update(builder, w, g, m, v, step, {.rate = 0.5, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0});
  test::HostInterpreter host(*builder.finish());
  host.run();
  EXPECT_DOUBLE_EQ(host.tensor(w).get_flat(0), 0.5);
  EXPECT_DOUBLE_EQ(host.tensor(m).get_flat(0), 1);
  EXPECT_DOUBLE_EQ(host.tensor(v).get_flat(0), 1);
}

/// A scale that is a power of two, and no overflow: the same updates to the last bit but one, whatever the optimiser.
TEST(OptimizerStep, AScaledLossGivesTheSameWeights) {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    for (const bool nesterov : {false, true}) {
      SCOPED_TRACE(name(optimizer));
      OptimizerOptions options;
      options.optimizer = optimizer;
      options.nesterov = nesterov;
      options.learning_rate = 0.1;
      options.weight_decay = 0.2;
      options.max_gradient_norm = 0.5;
      Model plain = model(options);
      options.loss_scale = LossScaleOptions{.initial_scale = 1024, .rule = {2, 0.5, 2}};
      Model scaled = model(options);
      for (int step = 0; step < 3; ++step) {
        plain.host.run();
        scaled.host.run();
        for (int64_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(scaled.host.tensor(scaled.w).get_flat(i), plain.host.tensor(plain.w).get_flat(i), 1e-12) << step;
        }
      }
      EXPECT_EQ(scaled.host.tensor(*scaled.host.graph().find("loss_scale.scale")).get_flat(0), 2048);
      EXPECT_EQ(scaled.host.tensor(*scaled.host.graph().find("loss_scale.skipped")).get_flat(0), 0);
    }
  }
}

/// What overflows changes neither weights nor moments, and does not count as a step of Adam.
TEST(OptimizerStep, AnOverflowSkipsAdamAndItsCount) {
  OptimizerOptions options;
  options.optimizer = Optimizer::adamw;
  options.weight_decay = 0.2;
  options.loss_scale = LossScaleOptions{.initial_scale = 1024, .rule = {2, 0.5, 2000}};
  Model net = model(options);
  const auto at = [&](const char* value) { return net.host.tensor(*net.host.graph().find(value)).get_flat(1); };
  const auto count = [&](const char* value) { return net.host.tensor(*net.host.graph().find(value)).get_flat(0); };
  net.host.run();
  const double weight = at("fc.weight"), m = at("fc.weight.m"), v = at("fc.weight.v");
  net.host.tensor(net.x).set_flat(0, INFINITY);
  net.host.run();
  EXPECT_EQ(at("fc.weight"), weight);
  EXPECT_EQ(at("fc.weight.m"), m);
  EXPECT_EQ(at("fc.weight.v"), v);
  EXPECT_EQ(count("optimizer.step"), 1);
  EXPECT_EQ(count("loss_scale.skipped"), 1);
  EXPECT_EQ(count("loss_scale.scale"), 512);
  net.host.tensor(net.x).set_flat(0, 1);
  net.host.run();
  EXPECT_NE(at("fc.weight"), weight);
  EXPECT_EQ(count("optimizer.step"), 2);
}

TEST(OptimizerStep, NesterovLooksAhead) {
  OptimizerOptions options;
  options.learning_rate = 0.5;
  options.momentum = 0.25;
  options.nesterov = true;
  options.weight_decay = 0.125;
  Model net = model(options);
  double weight[3], buffer[3] = {};
  for (int64_t i = 0; i < 3; ++i) weight[i] = net.host.tensor(net.w).get_flat(i);
  for (int step = 0; step < 3; ++step) {
    net.host.run();
    for (int64_t i = 0; i < 3; ++i) {
      const double g = net.host.tensor(net.x).get_flat(i) + 0.125 * weight[i];
      buffer[i] = 0.25 * buffer[i] + g;
      weight[i] -= 0.5 * (g + 0.25 * buffer[i]);
      EXPECT_DOUBLE_EQ(net.host.tensor(net.w).get_flat(i), weight[i]) << step;
    }
  }
}

/// Two gradients (3, 0) and (0, 4): together of norm 5.
TEST(OptimizerStep, ClipsAllGradientsByOneFactor) {
  for (const double max_norm : {1.0, 4.9, 5.1}) {
    GraphBuilder builder;
    const TensorType pair = TensorType::contiguous(DType::float64, {2});
    const double a_values[] = {3, 0}, b_values[] = {0, 4};
    const ValueId a = builder.constant("a", *Tensor::from_values({2}, a_values, DType::float64));
    const ValueId b = builder.constant("b", *Tensor::from_values({2}, b_values, DType::float64));
    const std::vector<ValueId> clipped = ops::clip_grad_norm(builder, std::vector<ValueId>{a, kNoValue, b}, max_norm);
    ASSERT_FALSE(builder.failed());
    EXPECT_EQ(clipped[1], kNoValue);
    test::HostInterpreter host(*builder.finish());
    host.run();
    const double factor = std::min(1.0, max_norm / (5 + 1e-6));
    EXPECT_NEAR(host.tensor(clipped[0]).get_flat(0), 3 * factor, 1e-14);
    EXPECT_EQ(host.tensor(clipped[0]).get_flat(1), 0);
    EXPECT_NEAR(host.tensor(clipped[2]).get_flat(1), 4 * factor, 1e-14);
  }
}

TEST(OptimizerStep, ClippedTrainingMovesByTheClippedGradient) {
  OptimizerOptions options;
  options.learning_rate = 1;
  options.momentum = 0;
  options.max_gradient_norm = 1e-3;
  Model net = model(options);
  double before[3], moved = 0;
  for (int64_t i = 0; i < 3; ++i) before[i] = net.host.tensor(net.w).get_flat(i);
  net.host.run();
  for (int64_t i = 0; i < 3; ++i) moved += std::pow(net.host.tensor(net.w).get_flat(i) - before[i], 2);
  EXPECT_NEAR(std::sqrt(moved), 1e-3, 1e-8);
}

TEST(OptimizerStep, NamesItsStatesAndKeepsTheirRoles) {
  OptimizerOptions options;
  options.optimizer = Optimizer::adamw;
  const Model net = model(options);
  for (const char* state : {"optimizer.step", "fc.weight.m", "fc.weight.v"}) {
    const auto id = net.host.graph().find(state);
    ASSERT_TRUE(id.has_value()) << state;
    EXPECT_EQ(net.host.graph().value(*id).role, Role::optimizer_state);
  }
  const Node& last = net.host.graph().nodes().back();
  EXPECT_EQ(last.op->name, "adamw");
  EXPECT_EQ(last.layer, "fc");
  EXPECT_EQ(last.phase, Phase::update);
}

TEST(OptimizerNames, AreReadBack) {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    EXPECT_EQ(parse_optimizer(name(optimizer)), optimizer);
  }
  EXPECT_FALSE(parse_optimizer("rmsprop").has_value());
}

}  // namespace
}  // namespace engine
