// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling by rank: one axis against sums by hand, im2col against conv2d, transposed convolution as the
// transpose.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ops/convolution_nd.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Numbers = std::vector<double>;

constexpr Fill kNormal{Fill::Kind::normal, 0, 1};

ValueId constant(GraphBuilder& builder, const char* name, Shape shape, const Numbers& numbers) {
  Result<Tensor> tensor = Tensor::from_values(std::move(shape), numbers);
  EXPECT_TRUE(tensor.ok());
  return builder.constant(name, *tensor);
}
ValueId random(GraphBuilder& builder, const char* name, Shape shape) {
  return builder.parameter(name, TensorType::contiguous(DType::float64, std::move(shape)), kNormal);
}

/// What the values of a finished graph hold.
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

TEST(ConvolutionNd, OfOneAxisIsASumOverTaps) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {1, 1, 5}, {1, 2, 3, 4, 5}), w = constant(builder, "w", {1, 1, 2}, {10, 1});
  const ValueId y =
      ops::convolution(builder, x, w, constant(builder, "b", {1}, {0.5}), {.stride = {2}, .padding = {1, 0}});
  EXPECT_EQ(builder.type(y).shape, (Shape{1, 1, 3}));
  EXPECT_EQ(evaluate(builder, {y})[0], (Numbers{1.5, 23.5, 45.5}));
}

TEST(ConvolutionNd, TransposedOfOneAxisSpreadsEachInput) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {1, 1, 3}, {1, 2, 3}), w = constant(builder, "w", {1, 1, 3}, {1, 10, 100});
  const ValueId y = ops::conv_transpose(builder, x, w, constant(builder, "b", {1}, {1}),
                                        {.stride = {2}, .padding = {1, 0}, .output_padding = {1}});
  EXPECT_EQ(evaluate(builder, {y})[0], (Numbers{11, 103, 21, 204, 31, 301, 1}));
}

/// <conv(x, w), y> = <x, conv_transpose(y, w)> for every x and y.
TEST(ConvolutionNd, TransposedIsTheTransposeOfTheConvolution) {
  for (const size_t axes : {size_t{2}, size_t{3}}) {
    GraphBuilder builder;
    Shape x_shape{2, 4}, w_shape{6, 2};
    for (size_t i = 0; i < axes; ++i) {
      x_shape.push_back(5 + static_cast<int64_t>(i));
      w_shape.push_back(3);
    }
    ops::ConvolutionOptions options{
        .stride = std::vector<int64_t>(axes, 2), .padding = std::vector<int64_t>(2 * axes, 1), .groups = 2};
    for (size_t i = 0; i < axes; ++i) options.output_padding.push_back(x_shape[2 + i] % 2 == 0 ? 1 : 0);
    const ValueId x = random(builder, "x", x_shape), w = random(builder, "w", w_shape);
    const ValueId convolved = ops::convolution(builder, x, w, kNoValue, options);
    ASSERT_FALSE(builder.failed());
    const ValueId y = random(builder, "y", builder.type(convolved).shape);
    const ValueId back = ops::conv_transpose(builder, y, w, kNoValue, options);
    ASSERT_FALSE(builder.failed()) << builder.finish().error().message;
    ASSERT_EQ(builder.type(back).shape, x_shape);
    const ValueId left = ops::sum(builder, ops::multiply(builder, convolved, y), {});
    const ValueId right = ops::sum(builder, ops::multiply(builder, x, back), {});
    const auto sums = evaluate(builder, {left, right});
    EXPECT_NEAR(sums[0][0], sums[1][0], 1e-9);
    EXPECT_NE(sums[0][0], 0);
  }
}

TEST(ConvolutionNd, AsAMatrixProductEqualsTheConvolution) {
  for (const int64_t groups : {1, 2}) {
    GraphBuilder builder;
    const ValueId x = random(builder, "x", {2, 4, 6, 7}), w = random(builder, "w", {6, 4 / groups, 3, 2}),
                  b = random(builder, "b", {6});
    const ops::ConvolutionOptions options{
        .stride = {2, 1}, .dilation = {1, 2}, .padding = {1, 0, 2, 1}, .groups = groups};
    const ValueId direct = ops::convolution(builder, x, w, b, options),
                  product = ops::conv2d_im2col(builder, x, w, b, options);
    const auto results = evaluate(builder, {direct, product});
    expect_near(results[0], results[1]);
  }
}

TEST(PoolingNd, OfOneAxis) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {1, 1, 6}, {3, 1, 4, 1, 5, 9});
  const ops::MaxPoolResult largest = ops::max_pool(builder, x, {.kernel = {2}, .stride = {2}});
  const ops::MaxPoolResult dilated = ops::max_pool(builder, x, {.kernel = {2}, .dilation = {3}});
  const ValueId average = ops::average_pool(
      builder, x, {.kernel = {3}, .stride = {3}, .padding = {1, 1}, .count_include_pad = true, .ceil_mode = true});
  const ValueId all = ops::global_max_pool(builder, x);
  const auto results = evaluate(builder, {largest.y, largest.indices, dilated.y, dilated.indices, average, all});
  EXPECT_EQ(results[0], (Numbers{3, 4, 9}));
  EXPECT_EQ(results[1], (Numbers{0, 2, 5}));
  EXPECT_EQ(results[2], (Numbers{3, 5, 9}));
  EXPECT_EQ(results[3], (Numbers{0, 4, 5}));
  expect_near(results[4], {4.0 / 3, 10.0 / 3, 9.0 / 2});
  EXPECT_EQ(results[5], (Numbers{9}));
}

TEST(PoolingNd, ByPNorms) {
  GraphBuilder builder;
  const ValueId x = constant(builder, "x", {1, 1, 4}, {3, -4, 0, 2});
  const ops::PoolOptions pairs{.kernel = {2}, .stride = {2}}, padded{.kernel = {3}, .stride = {3}, .padding = {1, 1}};
  const auto results = evaluate(builder, {ops::lp_pool(builder, x, 1, pairs), ops::lp_pool(builder, x, 2, pairs),
                                          ops::lp_pool(builder, x, 3, padded)});
  expect_near(results[0], {7, 2});
  expect_near(results[1], {5, 2});
  expect_near(results[2], {std::cbrt(27.0 + 64), 2});
}

/// Volumes of depth 1 pool as images do.
TEST(PoolingNd, OfThreeAxesContainsThatOfTwo) {
  GraphBuilder builder;
  const ValueId image = random(builder, "x", {2, 3, 6, 5}), volume = ops::unsqueeze(builder, image, 2);
  const ops::PoolOptions two{.kernel = {3, 2}, .stride = {2, 2}, .padding = {1, 0, 0, 1}},
      three{.kernel = {1, 3, 2}, .stride = {1, 2, 2}, .padding = {0, 1, 0, 0, 0, 1}};
  const auto results =
      evaluate(builder, {ops::max_pool(builder, image, two).y, ops::max_pool(builder, volume, three).y,
                         ops::average_pool(builder, image, two), ops::average_pool(builder, volume, three)});
  EXPECT_EQ(results[0], results[1]);
  expect_near(results[2], results[3]);
}

TEST(ConvolutionNd, RefusesListsOfAnotherLength) {
  GraphBuilder builder;
  const ValueId x = random(builder, "x", {1, 1, 4, 4}), w = random(builder, "w", {1, 1, 3, 3});
  ops::convolution(builder, x, w, kNoValue, {.stride = {1, 1, 1}});
  ASSERT_TRUE(builder.failed());
  const std::string message = builder.finish().error().message;
  EXPECT_NE(message.find("stride has 3 entries"), std::string::npos) << message;
}

}  // namespace
