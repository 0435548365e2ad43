// SPDX-License-Identifier: Apache-2.0
// Losses against figures by hand, against the fused cross entropy, and their gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ops/autograd.h"
#include "engine/ops/losses.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Numbers = std::vector<double>;
using ops::Reduction;

ValueId constant(GraphBuilder& builder, const char* name, Shape shape, const Numbers& numbers,
                 DType dtype = DType::float64) {
  Result<Tensor> tensor = Tensor::from_values(std::move(shape), numbers, dtype);
  EXPECT_TRUE(tensor.ok());
  return builder.constant(name, *tensor);
}

std::vector<Numbers> evaluate(GraphBuilder& builder, const std::vector<ValueId>& wanted) {
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return std::vector<Numbers>(wanted.size());
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  std::vector<Numbers> result;
  for (const ValueId id : wanted) result.push_back(test::values(interpreter.tensor(id)));
  return result;
}

void expect_near(const Numbers& a, const Numbers& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << "element " << i;
}

TEST(Losses, OfDifferences) {
  GraphBuilder builder;
  const ValueId y = constant(builder, "y", {2, 2}, {1, 2, 3, 4}), t = constant(builder, "t", {2, 2}, {1.5, 0, 3, 7});
  const auto results = evaluate(
      builder, {ops::mse_loss(builder, y, t), ops::mse_loss(builder, y, t, Reduction::none),
                ops::l1_loss(builder, y, t, Reduction::sum), ops::huber_loss(builder, y, t, 2, Reduction::none)});
  expect_near(results[0], {(0.25 + 4 + 0 + 9) / 4});
  expect_near(results[1], {0.25, 4, 0, 9});
  expect_near(results[2], {5.5});
  expect_near(results[3], {0.125, 2, 0, 2 * (3 - 1)});
}

TEST(Losses, BinaryCrossEntropyDoesNotOverflow) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {4}, {0, 2, -1000, 1000}), t = constant(builder, "t", {4}, {1, 0.25, 0, 0});
  const ValueId weight = constant(builder, "w", {4}, {1, 2, 1, 1});
  const auto results =
      evaluate(builder, {ops::binary_cross_entropy_with_logits(builder, x, t, weight, Reduction::none)});
  expect_near(results[0], {std::log(2.0), 2 * (std::log(1 + std::exp(2.0)) - 0.5), 0, 1000});
}

TEST(Losses, NllIgnoresAndWeighs) {
  GraphBuilder builder;
  // [N, C, d] = [1, 3, 4]
  const ValueId x = constant(builder, "x", {1, 3, 4}, {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12});
  const ValueId target = constant(builder, "t", {1, 4}, {2, 0, -1, 1}, DType::int64),
                weight = constant(builder, "w", {3}, {1, 10, 100});
  ops::NllOptions options{.reduction = Reduction::none, .ignore_index = -1};
  const ValueId each = ops::nll_loss(builder, x, target, weight, options);
  options.reduction = Reduction::mean;
  const ValueId mean = ops::nll_loss(builder, x, target, weight, options),
                plain = ops::nll_loss(builder, x, target, kNoValue, options);
  const auto results = evaluate(builder, {each, mean, plain});
  expect_near(results[0], {900, 2, 0, 80});
  expect_near(results[1], {982.0 / 111});
  expect_near(results[2], {(9.0 + 2 + 8) / 3});
}

TEST(Losses, ATargetThatIsNoClassShows) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {2, 2}, {-1, -2, -3, -4}),
                target = constant(builder, "t", {2}, {1, 5}, DType::int64);
  const auto results = evaluate(builder, {ops::nll_loss(builder, x, target, kNoValue, {.reduction = Reduction::none})});
  EXPECT_EQ(results[0][0], 2);
  EXPECT_TRUE(std::isnan(results[0][1]));
}

TEST(Losses, CrossEntropyEqualsTheFusedOpForwardsAndBackwards) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", TensorType::contiguous(DType::float64, {5, 7}), {Fill::Kind::normal, 0, 2});
  const ValueId target = builder.input("t", TensorType::contiguous(DType::int64, {5}), {Fill::Kind::integers, 0, 7});
  const ValueId composed = ops::softmax_cross_entropy_loss(builder, x, target).loss,
                fused = ops::softmax_cross_entropy(builder, x, target);
  const std::vector<ValueId> wanted{x};
  const ValueId dcomposed = differentiate(builder, composed, wanted)[0],
                dfused = differentiate(builder, fused, wanted)[0];
  const auto results = evaluate(builder, {composed, fused, dcomposed, dfused});
  expect_near(results[0], results[1]);
  expect_near(results[2], results[3]);
}

TEST(Losses, RefuseShapesThatDiffer) {
  GraphBuilder builder;
  const ValueId y = constant(builder, "y", {2, 1}, {1, 2}), t = constant(builder, "t", {2}, {1, 2});
  ops::mse_loss(builder, y, t);
  ASSERT_TRUE(builder.failed());
  const std::string message = builder.finish().error().message;
  EXPECT_NE(message.find("2x1"), std::string::npos) << message;
}

}  // namespace
