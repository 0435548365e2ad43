// SPDX-License-Identifier: Apache-2.0
// What the building functions append, and the layouts they give.
#include <gtest/gtest.h>

#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType nhwc(Shape shape) { return TensorType::channels_last(DType::float32, std::move(shape)); }
constexpr Fill kCounting{Fill::Kind::arange, 0, 1};

std::vector<std::string> op_names(const GraphBuilder& builder) {
  std::vector<std::string> names;
  for (const Node& node : builder.graph().nodes()) names.emplace_back(node.op->name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Building, ReshapeCopiesVisiblyWhereTheLayoutDemandsIt) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", nhwc({2, 3, 2, 2}), kCounting);
  const ValueId y = ops::flatten(builder, x);
  builder.mark_output(y);
  EXPECT_EQ(op_names(builder), (Names{"contiguous", "reshape"}));
  test::HostInterpreter interpreter(*builder.finish());
  interpreter.run();
  EXPECT_EQ(interpreter.tensor(y).shape(), (Shape{2, 12}));
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(interpreter.tensor(y).get_flat(i), static_cast<double>(i));
}

TEST(Building, FlattenOfPooledPlanesIsAView) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", nhwc({2, 64, 1, 1}), {});
  EXPECT_EQ(builder.type(ops::flatten(builder, x)), f32({2, 64}));
  EXPECT_EQ(op_names(builder), (Names{"reshape"}));
}

TEST(Building, FlattenTakesAnyAxis) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({2, 3, 4}), {});
  EXPECT_EQ(builder.type(ops::flatten(builder, x, 0)).shape, (Shape{24}));
  EXPECT_EQ(builder.type(ops::flatten(builder, x, 2)).shape, (Shape{2, 3, 4}));
  EXPECT_EQ(builder.type(ops::flatten(builder, x, 3)).shape, (Shape{2, 3, 4, 1}));
  EXPECT_FALSE(builder.failed());
}

TEST(Building, ReshapeToAnotherCountIsRefusedWithoutACopy) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", nhwc({2, 3, 2, 2}), {});
  EXPECT_EQ(ops::reshape(builder, x, {5, 5}), kNoValue);
  EXPECT_TRUE(op_names(builder).empty());
  EXPECT_NE(builder.finish().error().message.find("[reshape]"), std::string::npos);
}

TEST(Building, ContiguousOfRowMajorIsTheValueItself) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({2, 3}), {});
  EXPECT_EQ(ops::contiguous(builder, x), x);
  const ValueId turned = ops::transpose(builder, x, 0, 1);
  EXPECT_EQ(builder.type(ops::contiguous(builder, turned)), f32({3, 2}));
}

TEST(Building, TrainingNormalisationUpdatesItsRunningStatisticsInPlace) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", nhwc({2, 3, 4, 5}), {Fill::Kind::normal, 3, 1});
  const ValueId scale = builder.parameter("scale", f32({3}), {Fill::Kind::ones}),
                bias = builder.parameter("bias", f32({3}), {});
  const ValueId mean = builder.state("mean", f32({3}), {}, Role::weight);
  const ValueId variance = builder.state("variance", f32({3}), {Fill::Kind::ones}, Role::weight);
  const ValueId y = ops::batch_norm_training(builder, x, scale, bias, mean, variance);
  builder.mark_output(y);
  ASSERT_EQ(op_names(builder), (Names{"batch_norm_training", "batch_norm_running_update"}));
  EXPECT_EQ(builder.graph().nodes()[1].attributes.get_int("count", 0), 40);
  test::HostInterpreter interpreter(*builder.finish());
  interpreter.run();
  // One step moves a tenth of the way from 0 to the batch's mean, which is 3 give or take 1 / sqrt(40).
  EXPECT_NEAR(interpreter.tensor(mean).get_flat(0), 0.3, 0.06);
  interpreter.run();
  EXPECT_NEAR(interpreter.tensor(mean).get_flat(0), 0.57, 0.12);
}

TEST(Building, TrainingNormalisationWithoutStatisticsAppendsOneNode) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", nhwc({2, 3, 4, 5}), {}), scale = builder.parameter("scale", f32({3}), {});
  ops::batch_norm_training(builder, x, scale, scale, kNoValue, kNoValue);
  EXPECT_EQ(op_names(builder), (Names{"batch_norm_training"}));
}

TEST(Building, SgdWithoutBufferIsPlain) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", f32({3}), {}), g = builder.input("g", f32({3}), {}),
                m = builder.state("m", f32({3}), {});
  ops::sgd_update(builder, w, g, kNoValue, 0.1, 0, 0);
  ops::sgd_update(builder, w, g, m, 0.1, 0.9, 0);
  EXPECT_EQ(op_names(builder), (Names{"sgd", "sgd_momentum"}));
}

// ---- layouts
// ------------------------------------------------------------------------------------------------------------------

TEST(Layout, ImagesBecomeChannelsLast) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({2, 3, 8, 8}), {}), w = builder.parameter("w", f32({4, 3, 3, 3}), {});
  const ValueId s = builder.parameter("s", f32({3}), {});
  EXPECT_EQ(builder.type(ops::conv2d(builder, x, w, kNoValue)), nhwc({2, 4, 6, 6}));
  EXPECT_EQ(builder.type(ops::max_pool2d(builder, x, {})), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::average_pool2d(builder, x, {})), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::batch_norm_inference(builder, x, s, s, s, s, 1e-5)), nhwc({2, 3, 8, 8}));
  EXPECT_EQ(builder.type(ops::batch_norm_training(builder, x, s, s, kNoValue, kNoValue)), nhwc({2, 3, 8, 8}));
}

TEST(Layout, ElementwiseKeepsThatOfTheFirstOperandThatIsNotBroadcast) {
  GraphBuilder builder;
  const ValueId image = builder.input("image", nhwc({2, 3, 4, 4}), {}),
                bias = builder.parameter("bias", f32({3, 1, 1}), {});
  const ValueId rows = builder.input("rows", f32({2, 3, 4, 4}), {});
  EXPECT_EQ(builder.type(ops::add(builder, image, bias)), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::add(builder, bias, image)), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::add(builder, rows, image)), f32({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::add(builder, image, rows)), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::relu(builder, image)), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::softmax(builder, image, 1)), nhwc({2, 3, 4, 4}));
  const ValueId repeated = ops::expand(builder, bias, {2, 3, 4, 4});
  EXPECT_EQ(builder.type(ops::multiply(builder, repeated, image)), nhwc({2, 3, 4, 4}));
  EXPECT_EQ(builder.type(ops::relu(builder, repeated)), f32({2, 3, 4, 4}));
}

TEST(Layout, OfSlicedAndTransposedOperandsIsDenseInTheirAxisOrder) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({4, 6}), {});
  const ValueId view = ops::slice(builder, ops::transpose(builder, x, 0, 1), 0, 0, 6, 2);
  EXPECT_EQ(builder.type(ops::relu(builder, view)), (TensorType{DType::float32, {3, 4}, {1, 3}}));
  EXPECT_EQ(builder.type(ops::matmul(builder, view, x)), f32({3, 6}));
}

}  // namespace
