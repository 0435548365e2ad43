// SPDX-License-Identifier: Apache-2.0
// References against values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor tensor(Shape shape, Doubles values, DType dtype = DType::float64) {
  const Result<Tensor> made = Tensor::from_values(std::move(shape), values, dtype);
  CHECK(made.ok());
  return *made;
}

std::vector<Doubles> run(std::string_view op, const std::vector<Tensor>& inputs, const Attributes& attributes = {}) {
  std::vector<Doubles> outputs;
  for (const Tensor& output : test::run_reference(*find_op(op), inputs, attributes))
    outputs.push_back(test::values(output));
  return outputs;
}

void expect_near(const Doubles& actual, const Doubles& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << "element " << i;
}

Doubles counting(int64_t count) {
  Doubles values;
  for (int64_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return values;
}

// ---- convolution
// --------------------------------------------------------------------------------------------------------------

const Attributes kPlain{
    {"stride", Ints{1, 1}}, {"padding", Ints{0, 0, 0, 0}}, {"dilation", Ints{1, 1}}, {"groups", int64_t{1}}};

TEST(Conv2d, TwoByTwoKernelWithBias) {
  expect_near(run("conv2d", {tensor({1, 1, 3, 3}, counting(9)), tensor({1, 1, 2, 2}, {1, 2, 3, 4}), tensor({1}, {0.5})},
                  kPlain)[0],
              {37.5, 47.5, 67.5, 77.5});
}

TEST(Conv2d, StrideTwoWithPadding) {
  const Attributes attributes{{"stride", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}};
  expect_near(run("conv2d", {tensor({1, 1, 3, 3}, counting(9)), tensor({1, 1, 3, 3}, Doubles(9, 1))}, attributes)[0],
              {12, 16, 24, 28});
}

TEST(Conv2d, DilationSkipsInputs) {
  expect_near(run("conv2d", {tensor({1, 1, 3, 3}, counting(9)), tensor({1, 1, 2, 2}, Doubles(4, 1))},
                  {{"dilation", Ints{2, 2}}})[0],
              {20});
}

TEST(Conv2d, GroupsDoNotMix) {
  expect_near(
      run("conv2d", {tensor({1, 2, 1, 1}, {3, 5}), tensor({2, 1, 1, 1}, {10, 100})}, {{"groups", int64_t{2}}})[0],
      {30, 500});
}

TEST(Conv2d, SumsOverChannels) {
  expect_near(run("conv2d", {tensor({1, 2, 1, 2}, {1, 2, 10, 20}), tensor({2, 2, 1, 1}, {1, 1, 1, -1})}, kPlain)[0],
              {11, 22, -9, -18});
}

TEST(Conv2d, GradientByInput) {
  Attributes attributes = kPlain;
  attributes.set("input_shape", Ints{1, 1, 3, 3});
  attributes.set("input_strides", Ints{9, 9, 3, 1});
  expect_near(run("conv2d_grad_input", {tensor({1, 1, 2, 2}, Doubles(4, 1)), tensor({1, 1, 2, 2}, {1, 2, 3, 4})},
                  attributes)[0],
              {1, 3, 2, 4, 10, 6, 3, 7, 4});
}

TEST(Conv2d, GradientByWeight) {
  Attributes attributes = kPlain;
  attributes.set("weight_shape", Ints{1, 1, 2, 2});
  attributes.set("weight_strides", Ints{4, 4, 2, 1});
  expect_near(run("conv2d_grad_weight", {tensor({1, 1, 2, 2}, Doubles(4, 1)), tensor({1, 1, 3, 3}, counting(9))},
                  attributes)[0],
              {12, 16, 24, 28});
}

// ---- pooling
// ------------------------------------------------------------------------------------------------------------------

Attributes pooling(Ints kernel, Ints stride, Ints padding, int64_t ceil = 0, int64_t include = 0) {
  return {{"kernel", kernel},
          {"stride", stride},
          {"padding", padding},
          {"ceil_mode", ceil},
          {"count_include_pad", include}};
}

TEST(MaxPool2d, ValuesAndWhereTheyStood) {
  const auto outputs = run("max_pool2d", {tensor({1, 1, 4, 4}, counting(16))}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0}));
  expect_near(outputs[0], {6, 8, 14, 16});
  expect_near(outputs[1], {5, 7, 13, 15});
}

TEST(MaxPool2d, PaddingIsNoZero) {
  expect_near(run("max_pool2d", {tensor({1, 1, 1, 1}, {-3})}, pooling({3, 3}, {1, 1}, {1, 1, 1, 1}))[0], {-3});
}

TEST(MaxPool2d, FirstOfEqualsAndNanWins) {
  const auto outputs =
      run("max_pool2d", {tensor({1, 2, 1, 3}, {2, 2, 1, 5, kNan, 7})}, pooling({1, 3}, {1, 1}, {0, 0, 0, 0}));
  EXPECT_EQ(outputs[0][0], 2);
  EXPECT_TRUE(std::isnan(outputs[0][1]));
  expect_near(outputs[1], {0, 1});
}

TEST(MaxPool2d, CeilModeAddsTheLastPartialWindow) {
  expect_near(run("max_pool2d", {tensor({1, 1, 1, 5}, counting(5))}, pooling({1, 2}, {1, 2}, {0, 0, 0, 0}, 1))[0],
              {2, 4, 5});
  expect_near(run("max_pool2d", {tensor({1, 1, 1, 5}, counting(5))}, pooling({1, 2}, {1, 2}, {0, 0, 0, 0}, 0))[0],
              {2, 4});
}

TEST(MaxPool2d, GradientAddsWhereWindowsShareTheirMaximum) {
  Attributes attributes = pooling({1, 2}, {1, 1}, {0, 0, 0, 0});
  attributes.set("input_shape", Ints{1, 1, 1, 3});
  attributes.set("input_strides", Ints{3, 3, 3, 1});
  const Tensor indices = tensor({1, 1, 1, 2}, {1, 1}, DType::int32);
  expect_near(run("max_pool2d_grad", {tensor({1, 1, 1, 2}, {10, 5}), indices}, attributes)[0], {0, 15, 0});
}

TEST(AveragePool2d, PaddingCountsOnlyWhenAsked) {
  const Tensor x = tensor({1, 1, 2, 2}, {1, 2, 3, 4});
  expect_near(run("average_pool2d", {x}, pooling({2, 2}, {1, 1}, {1, 1, 1, 1}, 0, 0))[0],
              {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4});
  expect_near(run("average_pool2d", {x}, pooling({2, 2}, {1, 1}, {1, 1, 1, 1}, 0, 1))[0],
              {0.25, 0.75, 0.5, 1, 2.5, 1.5, 0.75, 1.75, 1});
}

TEST(AveragePool2d, BeyondThePaddingNothingCounts) {
  // ceil mode: the last window covers input 5 and one place that is neither input nor padding.
  expect_near(
      run("average_pool2d", {tensor({1, 1, 1, 5}, counting(5))}, pooling({1, 2}, {1, 2}, {0, 0, 0, 0}, 1, 1))[0],
      {1.5, 3.5, 5});
}

TEST(GlobalAveragePool, MeanOfEachPlaneAndItsGradient) {
  expect_near(run("global_average_pool", {tensor({1, 2, 2, 2}, counting(8))})[0], {2.5, 6.5});
  const Attributes attributes{{"input_shape", Ints{1, 2, 1, 2}}, {"input_strides", Ints{4, 2, 2, 1}}};
  expect_near(run("global_average_pool_grad", {tensor({1, 2, 1, 1}, {8, 2})}, attributes)[0], {4, 4, 1, 1});
}

// ---- batch normalisation
// --------------------------------------------------------------------------------------------------------

TEST(BatchNorm, TrainingNormalisesWithTheBatch) {
  // mean 2.5, variance 1.25; with epsilon 0.75 the divisor is sqrt(2).
  const auto outputs = run("batch_norm_training", {tensor({4, 1}, counting(4)), tensor({1}, {2}), tensor({1}, {1})},
                           {{"epsilon", 0.75}});
  const double root = std::sqrt(2.0);
  expect_near(outputs[0], {1 - 1.5 * root, 1 - 0.5 * root, 1 + 0.5 * root, 1 + 1.5 * root});
  expect_near(outputs[1], {2.5});
  expect_near(outputs[2], {1 / root});
}

TEST(BatchNorm, RunningStatisticsTakeTheUnbiasedVariance) {
  const auto outputs = run("batch_norm_running_update",
                           {tensor({1}, {0}), tensor({1}, {1}), tensor({1}, {2.5}), tensor({1}, {1 / std::sqrt(2.0)})},
                           {{"epsilon", 0.75}, {"momentum", 0.1}, {"count", int64_t{4}}});
  expect_near(outputs[0], {0.25});
  expect_near(outputs[1], {0.9 + 0.1 * 1.25 * 4 / 3});
}

TEST(BatchNorm, Gradient) {
  const auto outputs = run("batch_norm_grad", {tensor({4, 1}, {1, 0, 0, 2}), tensor({4, 1}, {-1, -1, 1, 1}),
                                               tensor({1}, {0}), tensor({1}, {1}), tensor({1}, {3})});
  expect_near(outputs[0], {1.5, -1.5, -3, 3});
  expect_near(outputs[1], {1});
  expect_near(outputs[2], {3});
}

TEST(BatchNorm, Inference) {
  expect_near(run("batch_norm_inference",
                  {tensor({1, 2}, {5, 0}), tensor({2}, {10, 1}), tensor({2}, {0.5, 0}), tensor({2}, {1, 2}),
                   tensor({2}, {3, 0})},
                  {{"epsilon", 1.0}})[0],
              {20.5, -2});
}

// ---- loss, softmax, optimiser
// -------------------------------------------------------------------------------------------------

TEST(SoftmaxCrossEntropy, LossProbabilitiesAndGradient) {
  const Tensor logits = tensor({2, 2}, {0, 0, std::log(3.0), 0}), labels = tensor({2}, {0, 1}, DType::int64);
  const auto outputs = run("softmax_cross_entropy", {logits, labels});
  expect_near(outputs[0], {1.5 * std::log(2.0)});
  expect_near(outputs[1], {0.5, 0.5, 0.75, 0.25});
  expect_near(run("softmax_cross_entropy_grad", {tensor({}, {1}), tensor({2, 2}, outputs[1]), labels})[0],
              {-0.25, 0.25, 0.375, -0.375});
}

TEST(SoftmaxCrossEntropy, HugeLogitsDoNotOverflow) {
  const auto outputs = run("softmax_cross_entropy", {tensor({1, 2}, {1000, -1000}), tensor({1}, {1}, DType::int32)});
  expect_near(outputs[0], {2000});
  expect_near(outputs[1], {1, 0});
}

TEST(SoftmaxCrossEntropy, LabelOutsideOfTheClassesIsSeen) {
  for (const double label : {-1.0, 2.0}) {
    const Tensor labels = tensor({2}, {label, 0}, DType::int64);
    EXPECT_TRUE(std::isnan(run("softmax_cross_entropy", {tensor({2, 2}, {1, 2, 3, 4}), labels})[0][0]));
    const Doubles gradient =
        run("softmax_cross_entropy_grad", {tensor({}, {1}), tensor({2, 2}, Doubles(4, 0.5)), labels})[0];
    EXPECT_TRUE(std::isnan(gradient[0]) && std::isnan(gradient[1]));
    EXPECT_FALSE(std::isnan(gradient[2]) || std::isnan(gradient[3]));
  }
}

TEST(Softmax, AlongEitherAxis) {
  const Tensor x = tensor({2, 2}, {0, std::log(3.0), std::log(4.0), std::log(6.0)});
  expect_near(run("softmax", {x}, {{"axis", int64_t{1}}})[0], {0.25, 0.75, 0.4, 0.6});
  expect_near(run("softmax", {x}, {{"axis", int64_t{0}}})[0], {0.2, 1.0 / 3, 0.8, 2.0 / 3});
}

TEST(Sgd, WithAndWithoutMomentum) {
  expect_near(run("sgd", {tensor({1}, {1}), tensor({1}, {0.5})}, {{"rate", 0.01}, {"weight_decay", 0.1}})[0], {0.994});
  const auto outputs = run("sgd_momentum", {tensor({1}, {1}), tensor({1}, {0.5}), tensor({1}, {2})},
                           {{"rate", 0.01}, {"momentum", 0.9}, {"weight_decay", 0.1}});
  expect_near(outputs[0], {0.976});
  expect_near(outputs[1], {2.4});
}

// ---- elementwise, matrix products, movement
// -----------------------------------------------------------------------------------

TEST(Elementwise, Values) {
  const Tensor a = tensor({2}, {1, 2}), b = tensor({2, 1}, {10, 20});
  expect_near(run("add", {a, b})[0], {11, 12, 21, 22});
  expect_near(run("subtract", {a, b})[0], {-9, -8, -19, -18});
  expect_near(run("multiply", {a, b})[0], {10, 20, 20, 40});
  expect_near(run("scaled_add", {a, b}, {{"factor", 0.5}})[0], {6, 7, 11, 12});
  expect_near(run("scale", {a}, {{"factor", 3.0}, {"shift", -1.0}})[0], {2, 5});
  expect_near(run("sigmoid", {tensor({2}, {0, std::log(3.0)})})[0], {0.5, 0.75});
  expect_near(run("sigmoid_grad", {tensor({1}, {2}), tensor({1}, {0.75})})[0], {0.375});
}

TEST(Elementwise, ReluKeepsNanAndItsGradientStopsAtZero) {
  const Doubles y = run("relu", {tensor({3}, {-1, 2, kNan})})[0];
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 2);
  EXPECT_TRUE(std::isnan(y[2]));
  expect_near(run("relu_grad", {tensor({3}, {5, 6, 7}), tensor({3}, {0, 2, 0})})[0], {0, 6, 0});
}

TEST(Elementwise, IntegersWrapAround) {
  expect_near(run("add", {tensor({2}, {250, 3}, DType::uint8), tensor({2}, {10, 4}, DType::uint8)})[0], {4, 7});
  expect_near(run("subtract", {tensor({1}, {-100}, DType::int8), tensor({1}, {100}, DType::int8)})[0], {56});
}

TEST(Matmul, Values) {
  expect_near(run("matmul", {tensor({2, 2}, {1, 2, 3, 4}), tensor({2, 2}, {5, 6, 7, 8})})[0], {19, 22, 43, 50});
  expect_near(run("matmul", {tensor({1, 2}, {3, 4}, DType::int32), tensor({2, 1}, {5, 6}, DType::int32)})[0], {39});
  expect_near(run("matmul", {tensor({2, 1, 2}, {1, 2, 3, 4}), tensor({2, 1}, {1, 10})})[0], {21, 43});
  expect_near(run("matmul", {tensor({2, 0}, {}), tensor({0, 1}, {})})[0], {0, 0});
}

TEST(Linear, MultipliesByTheTransposedWeight) {
  expect_near(run("linear", {tensor({1, 2}, {1, 2}), tensor({3, 2}, {1, 0, 0, 1, 1, 1}), tensor({3}, {10, 20, 30})})[0],
              {11, 22, 33});
}

TEST(Sum, OverAxes) {
  const Tensor x = tensor({2, 3}, counting(6));
  expect_near(run("sum", {x}, {{"axes", Ints{0}}})[0], {5, 7, 9});
  expect_near(run("sum", {x}, {{"axes", Ints{-1}}})[0], {6, 15});
  expect_near(run("sum", {x}, {{"axes", Ints{}}})[0], {21});
}

TEST(SliceGrad, PutsTheGradientBackAmidZeros) {
  const Attributes attributes{{"axis", int64_t{0}},  {"start", int64_t{3}},    {"end", int64_t{0}},
                              {"step", int64_t{-2}}, {"input_shape", Ints{4}}, {"input_strides", Ints{1}}};
  expect_near(run("slice_grad", {tensor({2}, {7, 8})}, attributes)[0], {0, 8, 0, 7});
}

TEST(Copies, KeepEveryBit) {
  const auto large = tensor({1}, {0}, DType::int64);
  large.data_as<int64_t>()[0] = (int64_t{1} << 62) + 1;  // no double has this value
  for (const char* op : {"copy", "contiguous"}) {
    const std::vector<Tensor> outputs = test::run_reference(*find_op(op), {large});
    EXPECT_EQ(outputs[0].data_as<int64_t>()[0], (int64_t{1} << 62) + 1) << op;
  }
}

}  // namespace
