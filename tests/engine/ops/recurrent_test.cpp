// SPDX-License-Identifier: Apache-2.0
// A recurrent op and the same network unrolled step by step: equal results, equal gradients.
#include <gtest/gtest.h>

#include <functional>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

struct Operands {
  ValueId x, w, r, bias, h0, c0;
};
using Build = std::function<ops::RecurrentResult(GraphBuilder&, const Operands&, const ops::RecurrentOptions&)>;

/// Results and gradients of sum(y * weights + last states), as numbers.
std::vector<std::vector<double>> results(const Build& build, int64_t gates, int64_t rows,
                                         const ops::RecurrentOptions& options) {
  GraphBuilder builder;
  const int64_t directions = options.direction == "bidirectional" ? 2 : 1;
  const auto leaf = [&](const char* name, Shape shape) {
    return builder.parameter(name, TensorType::contiguous(DType::float64, std::move(shape)),
                             {Fill::Kind::normal, 0, 0.5});
  };
  const Operands in{leaf("x", {4, 3, 5}),
                    leaf("w", {directions, gates * 2, 5}),
                    leaf("r", {directions, gates * 2, 2}),
                    leaf("bias", {directions, rows * 2}),
                    leaf("h0", {directions, 3, 2}),
                    leaf("c0", {directions, 3, 2})};
  const ValueId weights = leaf("weights", {4, 3, directions * 2});
  const ops::RecurrentResult result = build(builder, in, options);
  ValueId loss = ops::add(builder, ops::sum(builder, ops::multiply(builder, result.y, weights), {}),
                          ops::sum(builder, ops::multiply(builder, result.h, in.c0), {}));
  std::vector<ValueId> read{result.y, result.h}, wanted{in.x, in.w, in.r, in.bias, in.h0};
  if (result.c != kNoValue) {
    loss = ops::add(builder, loss, ops::sum(builder, ops::multiply(builder, result.c, in.h0), {}));
    read.push_back(result.c);
    wanted.push_back(in.c0);
  }
  for (const ValueId gradient : differentiate(builder, loss, wanted)) read.push_back(gradient);
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return {};
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  std::vector<std::vector<double>> numbers;
  for (const ValueId id : read) numbers.push_back(test::values(interpreter.tensor(id)));
  return numbers;
}

void expect_equal(const Build& fused, const Build& unrolled, int64_t gates, int64_t rows,
                  ops::RecurrentOptions options) {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::string(direction) + (training ? ", training" : ", inference"));
      options.direction = direction;
      options.training = training;
      const auto one = results(fused, gates, rows, options), other = results(unrolled, gates, rows, options);
      ASSERT_EQ(one.size(), other.size());
      for (size_t k = 0; k < one.size(); ++k) {
        ASSERT_EQ(one[k].size(), other[k].size());
        for (size_t i = 0; i < one[k].size(); ++i)
          EXPECT_NEAR(one[k][i], other[k][i], 1e-12) << "value " << k << ", element " << i;
      }
    }
  }
}

TEST(Recurrent, LstmEqualsItsStepsUnrolled) {
  expect_equal([](auto& b, const Operands& in,
                  const auto& o) { return ops::lstm(b, in.x, in.w, in.r, in.bias, in.h0, in.c0, o); },
               [](auto& b, const Operands& in, const auto& o) {
                 return ops::lstm_unrolled(b, in.x, in.w, in.r, in.bias, in.h0, in.c0, o);
               },
               4, 4, {});
}

TEST(Recurrent, GruEqualsItsStepsUnrolled) {
  for (const bool before : {true, false}) {
    ops::RecurrentOptions options;
    options.linear_before_reset = before;
    expect_equal(
        [](auto& b, const Operands& in, const auto& o) { return ops::gru(b, in.x, in.w, in.r, in.bias, in.h0, o); },
        [](auto& b, const Operands& in, const auto& o) {
          return ops::gru_unrolled(b, in.x, in.w, in.r, in.bias, in.h0, o);
        },
        3, before ? 4 : 3, options);
  }
}

TEST(Recurrent, RnnEqualsItsStepsUnrolled) {
  for (const char* activation : {"tanh", "relu"}) {
    ops::RecurrentOptions options;
    options.activation = activation;
    expect_equal(
        [](auto& b, const Operands& in, const auto& o) { return ops::rnn(b, in.x, in.w, in.r, in.bias, in.h0, o); },
        [](auto& b, const Operands& in, const auto& o) {
          return ops::rnn_unrolled(b, in.x, in.w, in.r, in.bias, in.h0, o);
        },
        1, 1, options);
  }
}

TEST(Recurrent, MissingStatesAndBiasAreZeros) {
  GraphBuilder builder;
  const auto f64 = [](Shape shape) { return TensorType::contiguous(DType::float64, std::move(shape)); };
  const ValueId x = builder.input("x", f64({1, 1, 1}), {Fill::Kind::ones});
  const ValueId w = builder.parameter("w", f64({1, 1, 1}), {Fill::Kind::ones}),
                r = builder.parameter("r", f64({1, 1, 1}), {Fill::Kind::ones});
  const ops::RecurrentResult fused = ops::rnn(builder, x, w, r, kNoValue, kNoValue),
                             steps = ops::rnn_unrolled(builder, x, w, r, kNoValue, kNoValue);
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok());
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  EXPECT_NEAR(interpreter.tensor(fused.h).get_flat(0), 0.7615941559557649, 1e-15);  // tanh(1)
  EXPECT_NEAR(interpreter.tensor(steps.y).get_flat(0), 0.7615941559557649, 1e-15);
}

}  // namespace
