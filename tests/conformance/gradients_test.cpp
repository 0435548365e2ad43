// SPDX-License-Identifier: Apache-2.0
// Every gradient against central differences, in float64, through differentiate() and the references.
//
// Norm: per operand, |autograd - differences| / |differences| in the Euclidean norm over the operand's elements must
// stay below 1e-6. Differences are (f(x + h) - f(x - h)) / 2h with h = 1e-5: truncation and rounding are each near
// 1e-10 of it.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using test::OpExample;

constexpr double kStep = 1e-5, kTolerance = 1e-6;

/// Differentiates sum(y * r), r random, by every value of `wanted`, and compares with differences.
void check_gradients(GraphBuilder& builder, ValueId y, const std::vector<ValueId>& wanted) {
  ASSERT_FALSE(builder.failed()) << builder.finish().error().message;
  const TensorType type = builder.type(y);
  const ValueId weights =
      builder.input("r", TensorType::contiguous(type.dtype, type.shape), {Fill::Kind::normal, 0, 1});
  const ValueId loss = ops::sum(builder, ops::multiply(builder, y, weights), {});
  const std::vector<ValueId> gradients = differentiate(builder, loss, wanted);
  Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  test::HostInterpreter interpreter(std::move(*graph));

  for (size_t k = 0; k < wanted.size(); ++k) {
    SCOPED_TRACE("operand " + interpreter.graph().value(wanted[k]).name);
    const Tensor& operand = interpreter.tensor(wanted[k]);
    interpreter.run();  // again for each operand: the last difference left shifted values behind
    std::vector<double> derived(static_cast<size_t>(operand.type().elements()),
                                0.0);  // what no gradient means (floor, sign)
    if (gradients[k] != kNoValue) {
      ASSERT_EQ(interpreter.tensor(gradients[k]).shape(), operand.shape());
      derived = test::values(interpreter.tensor(gradients[k]));
    }
    double error = 0, norm = 0;
    for (size_t i = 0; i < derived.size(); ++i) {
      const auto position = static_cast<int64_t>(i);
      const double x = operand.get_flat(position);
      operand.set_flat(position, x + kStep);
      interpreter.run();
      const double above = interpreter.tensor(loss).get_flat(0);
      operand.set_flat(position, x - kStep);
      interpreter.run();
      const double below = interpreter.tensor(loss).get_flat(0);
      operand.set_flat(position, x);
      const double difference = (above - below) / (2 * kStep);
      error += (derived[i] - difference) * (derived[i] - difference);
      norm += difference * difference;
    }
    EXPECT_LE(std::sqrt(error), kTolerance * std::sqrt(norm)) << "norm " << std::sqrt(norm);
  }
}

/// The example's operand as a leaf: floating ones are parameters. Leaves are dense, in the axis order of the example.
ValueId leaf(GraphBuilder& builder, const test::Operand& operand, size_t i) {
  TensorType type = operand.type;
  type.strides = dense_strides_like(type.shape, type.strides);
  const std::string name = "operand" + std::to_string(i);
  return is_floating(type.dtype) ? builder.parameter(name, type, operand.fill)
                                 : builder.input(name, type, operand.fill);
}

class EveryGradient : public testing::TestWithParam<const Op*> {};

TEST_P(EveryGradient, AgreesWithCentralDifferences) {
  for (const OpExample& example : test::examples_of(GetParam()->name)) {
    SCOPED_TRACE(example.label);
    GraphBuilder builder;
    std::vector<ValueId> inputs, wanted;
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      inputs.push_back(leaf(builder, example.inputs[i], i));
      if (is_floating(example.inputs[i].type.dtype)) wanted.push_back(inputs.back());
    }
    if (wanted.empty()) continue;  // integers alone
    const ValueId y = builder.append(*GetParam(), inputs, example.attributes)[0];
    ASSERT_FALSE(builder.failed()) << builder.finish().error().message;
    if (!is_floating(builder.type(y).dtype)) continue;  // an example with integers
    check_gradients(builder, y, wanted);
  }
}

std::vector<const Op*> differentiable_ops() {
  std::vector<const Op*> found;
  for (const Op* op : op_catalog()) {
    if (op->gradient != nullptr) found.push_back(op);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Conformance, EveryGradient, testing::ValuesIn(differentiable_ops()),
                         [](const auto& each) { return std::string(each.param->name); });

TensorType f64(Shape shape) { return TensorType::contiguous(DType::float64, std::move(shape)); }
constexpr Fill kNormal{Fill::Kind::normal, 0, 1};

TEST(Gradients, FlowThroughViewsIntoMatrixProducts) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", f64({6, 4}), kNormal), w = builder.parameter("w", f64({3, 4}), kNormal);
  const ValueId half = ops::slice(builder, x, 0, 5, 0, -2);
  const ValueId y = ops::matmul(builder, half, ops::transpose(builder, w, 0, 1));
  check_gradients(builder, ops::reshape(builder, ops::transpose(builder, y, 0, 1), {9}), {x, w});
}

TEST(Gradients, OfValuesUsedTwiceAreAdded) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", f64({3, 3}), kNormal);
  check_gradients(builder, ops::add(builder, ops::multiply(builder, x, x), ops::matmul(builder, x, x)), {x});
}

/// A residual network in small: every op of a ResNet in one chain, flattened by a visible copy.
TEST(Gradients, OfASmallResidualNetworkAgree) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", TensorType::channels_last(DType::float64, {2, 2, 6, 6}), kNormal);
  const ValueId w1 = builder.parameter("w1", f64({4, 2, 3, 3}), kNormal),
                w2 = builder.parameter("w2", f64({4, 4, 3, 3}), kNormal);
  const ValueId scale = builder.parameter("scale", f64({4}), kNormal),
                bias = builder.parameter("bias", f64({4}), kNormal);
  const ValueId fc = builder.parameter("fc", f64({3, 16}), kNormal),
                fc_bias = builder.parameter("fc_bias", f64({3}), kNormal);
  const ValueId labels =
      builder.input("labels", TensorType::contiguous(DType::int64, {2}), {Fill::Kind::integers, 0, 3});
  ops::Conv2dOptions same;
  same.padding = {1, 1, 1, 1};
  const ValueId stem = ops::relu(builder, ops::batch_norm_training(builder, ops::conv2d(builder, x, w1, kNoValue, same),
                                                                   scale, bias, kNoValue, kNoValue));
  ValueId y = ops::add(builder, stem, ops::conv2d(builder, stem, w2, kNoValue, same));
  ops::Pool2dOptions pool;
  pool.kernel = {3, 3};
  pool.stride = {2, 2};
  y = ops::max_pool2d(builder, y, pool);
  y = ops::flatten(builder, y);
  y = ops::softmax_cross_entropy(builder, ops::linear(builder, y, fc, fc_bias), labels);
  check_gradients(builder, y, {x, w1, w2, scale, bias, fc, fc_bias});
}

TEST(Gradients, KeepTheForwardLayout) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", TensorType::channels_last(DType::float64, {2, 3, 4, 4}), kNormal);
  const ValueId w = builder.parameter("w", f64({3, 3, 1, 1}), kNormal);
  const ValueId y = ops::relu(builder, ops::conv2d(builder, x, w, kNoValue));
  const ValueId loss = ops::sum(builder, ops::flatten(builder, y), {});
  const std::vector<ValueId> wanted{x, w, y};
  const std::vector<ValueId> gradients = differentiate(builder, loss, wanted);
  ASSERT_FALSE(builder.failed());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(builder.type(gradients[i]), builder.type(wanted[i])) << i;
}

TEST(Gradients, OfATransposedWeightLieAsTheWeightDoes) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", f64({2, 4}), kNormal), w = builder.parameter("w", f64({3, 4}), kNormal);
  const ValueId loss = ops::sum(builder, ops::matmul(builder, x, ops::transpose(builder, w, 0, 1)), {});
  const std::vector<ValueId> gradients = differentiate(builder, loss, std::vector<ValueId>{w});
  EXPECT_EQ(builder.type(gradients[0]), builder.type(w));
  for (const Node& node : builder.graph().nodes()) EXPECT_NE(node.op->name, "contiguous");
}

TEST(Gradients, AreRefusedThroughOpsThatHaveNone) {
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", f64({2, 3}), kNormal);
  LayerScope layer(builder, "norm");
  const ValueId y = builder.append1(*find_op("softmax_grad"), {x, x});
  differentiate(builder, ops::sum(builder, y, {}), std::vector<ValueId>{x});
  ASSERT_TRUE(builder.failed());
  const std::string message = builder.finish().error().message;
  EXPECT_NE(message.find("softmax_grad"), std::string::npos) << message;
  EXPECT_NE(message.find("layer \"norm\""), std::string::npos) << message;
}

TEST(Gradients, ComputeNothingNobodyWants) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::channels_last(DType::float64, {1, 2, 4, 4}), kNormal);
  const ValueId w = builder.parameter("w", f64({2, 2, 3, 3}), kNormal);
  const ValueId loss = ops::sum(builder, ops::conv2d(builder, x, w, kNoValue), {});
  differentiate(builder, loss, std::vector<ValueId>{w});
  for (const Node& node : builder.graph().nodes()) EXPECT_NE(node.op->name, "conv2d_grad_input");
}

}  // namespace
