// SPDX-License-Identifier: Apache-2.0
// Forward, backward and update together: a small residual network learns a batch by heart.
#include <gtest/gtest.h>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }

struct Network {
  Graph graph;
  ValueId loss, running_mean;
};

/// Two 3x3 convolutions with a shortcut, pooling and a linear layer, on 8 random 6x6 images of 3 classes.
Network small_residual_network(const SgdOptions& options) {
  GraphBuilder builder;
  const ValueId x =
      builder.input("x", TensorType::channels_last(DType::float32, {8, 2, 6, 6}), {Fill::Kind::normal, 0, 1});
  const ValueId labels =
      builder.input("labels", TensorType::contiguous(DType::int64, {8}), {Fill::Kind::integers, 0, 3});
  const auto weight = [&](const char* name, Shape shape, double deviation) {
    return builder.parameter(name, f32(std::move(shape)), {Fill::Kind::normal, 0, deviation});
  };
  const ValueId scale = builder.parameter("scale", f32({8}), {Fill::Kind::ones}),
                bias = builder.parameter("bias", f32({8}), {});
  const ValueId mean = builder.state("mean", f32({8}), {}, Role::weight);
  const ValueId variance = builder.state("variance", f32({8}), {Fill::Kind::ones}, Role::weight);
  ops::Conv2dOptions same;
  same.padding = {1, 1, 1, 1};
  ValueId y = ops::conv2d(builder, x, weight("conv1", {8, 2, 3, 3}, 0.3), kNoValue, same);
  y = ops::relu(builder, ops::batch_norm_training(builder, y, scale, bias, mean, variance));
  y = ops::relu(builder,
                ops::add(builder, y, ops::conv2d(builder, y, weight("conv2", {8, 8, 3, 3}, 0.1), kNoValue, same)));
  y = ops::flatten(builder, ops::max_pool2d(builder, y, {}));
  y = ops::linear(builder, y, weight("fc", {3, 72}, 0.1), builder.parameter("fc_bias", f32({3}), {}));
  const ValueId loss = ops::softmax_cross_entropy(builder, y, labels);
  append_sgd_step(builder, loss, options);
  builder.mark_output(loss);
  Result<Graph> graph = builder.finish();
  CHECK(graph.ok());
  return {std::move(*graph), loss, mean};
}

void expect_to_learn(const SgdOptions& options) {
  Network network = small_residual_network(options);
  test::HostInterpreter interpreter(std::move(network.graph));
  interpreter.run();
  const double first = interpreter.tensor(network.loss).get_flat(0);
  EXPECT_GT(first, 0.5);
  for (int step = 0; step < 30; ++step) interpreter.run();
  EXPECT_LT(interpreter.tensor(network.loss).get_flat(0), 0.1 * first);
  EXPECT_NE(interpreter.tensor(network.running_mean).get_flat(0), 0);
}

TEST(Training, WithMomentumLearnsABatchByHeart) {
  expect_to_learn({.learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-4});
}

TEST(Training, WithPlainDescentLearnsABatchByHeart) {
  expect_to_learn({.learning_rate = 0.2, .momentum = 0, .weight_decay = 0});
}

}  // namespace
