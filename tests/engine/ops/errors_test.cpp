// SPDX-License-Identifier: Apache-2.0
// Refusals name the op, the dimension and both values, before any data moves.
#include <gtest/gtest.h>

#include "engine/ops/ops.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Ints = std::vector<int64_t>;

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType typed(DType dtype, Shape shape) { return TensorType::contiguous(dtype, std::move(shape)); }

struct Refusal {
  std::string name, op;
  std::vector<TensorType> inputs;
  Attributes attributes;
  std::string message;  ///< the whole message
  ErrorKind kind = ErrorKind::usage;
};

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, InWords) {
  const auto result = find_op(GetParam().op)->infer(GetParam().inputs, GetParam().attributes);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, GetParam().message);
  EXPECT_EQ(result.error().kind, GetParam().kind);
}

Attributes conv(Ints stride, Ints padding, Ints dilation, int64_t groups) {
  return {{"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}};
}
Attributes pool(Ints kernel, Ints stride, Ints padding) {
  return {{"kernel", kernel}, {"stride", stride}, {"padding", padding}};
}

std::vector<Refusal> refusals() {
  const Ints ones{1, 1}, none{0, 0, 0, 0};
  const int64_t huge = int64_t{1} << 40;
  return {
      {"matmul_inner",
       "matmul",
       {f32({8, 64}), f32({32, 8})},
       {},
       "[matmul] inner dimensions differ: a has k = 64, b has k = 32"},
      {"matmul_rank", "matmul", {f32({8}), f32({8, 8})}, {}, "[matmul] a must have rank 2 or more, got rank 1 (8)"},
      {"matmul_dtypes",
       "matmul",
       {f32({8, 8}), typed(DType::float64, {8, 8})},
       {},
       "[matmul] dtypes differ: a is f32, b is f64"},
      {"matmul_overflow",
       "matmul",
       {f32({huge, 1}), f32({1, huge})},
       {},
       "[matmul] the result f32 1099511627776x1099511627776 would need 4.0 YiB, more than 63 bits can address: make "
       "the batch or the shape smaller",
       ErrorKind::refused},
      {"matmul_bool",
       "matmul",
       {typed(DType::boolean, {2, 2}), typed(DType::boolean, {2, 2})},
       {},
       "[matmul] a must be a number type, got bool"},
      {"linear_features",
       "linear",
       {f32({4, 10}), f32({3, 9})},
       {},
       "[linear] input features differ: x has 10 (4x10), weight has 9 (3x9)"},
      {"linear_bias",
       "linear",
       {f32({4, 10}), f32({3, 10}), f32({4})},
       {},
       "[linear] bias must be 3 (the output features of weight), got 4"},
      {"linear_rank",
       "linear",
       {f32({4, 5, 10}), f32({3, 10})},
       {},
       "[linear] x must have rank 2, got rank 3 (4x5x10)"},
      {"conv_channels",
       "conv2d",
       {f32({1, 3, 8, 8}), f32({4, 2, 3, 3})},
       conv(ones, none, ones, 1),
       "[conv2d] channels differ: x has C = 3 in 1 group(s) = 3 each, weight 4x2x3x3 has 2"},
      {"conv_groups_in",
       "conv2d",
       {f32({1, 3, 8, 8}), f32({4, 2, 3, 3})},
       conv(ones, none, ones, 2),
       "[conv2d] 3 input channels do not divide into 2 groups"},
      {"conv_groups_out",
       "conv2d",
       {f32({1, 4, 8, 8}), f32({3, 2, 3, 3})},
       conv(ones, none, ones, 2),
       "[conv2d] 3 output channels do not divide into 2 groups"},
      {"conv_groups_zero",
       "conv2d",
       {f32({1, 4, 8, 8}), f32({3, 2, 3, 3})},
       conv(ones, none, ones, 0),
       "[conv2d] groups is 0: must be at least 1"},
      {"conv_kernel",
       "conv2d",
       {f32({1, 1, 4, 9}), f32({1, 1, 3, 3})},
       conv(ones, {0, 0, 1, 0}, {3, 1}, 1),
       "[conv2d] kernel height 3 (dilation 3: covers 7) is larger than the padded input: 0 + 4 + 1 = 5"},
      {"conv_stride",
       "conv2d",
       {f32({1, 1, 4, 4}), f32({1, 1, 3, 3})},
       conv({1, 0}, none, ones, 1),
       "[conv2d] width stride is 0: must be at least 1"},
      {"conv_padding",
       "conv2d",
       {f32({1, 1, 4, 4}), f32({1, 1, 3, 3})},
       conv(ones, {-1, 0, 0, 0}, ones, 1),
       "[conv2d] height padding is -1 and 0: must not be negative"},
      {"conv_dilation",
       "conv2d",
       {f32({1, 1, 4, 4}), f32({1, 1, 3, 3})},
       conv(ones, none, {0, 1}, 1),
       "[conv2d] height dilation is 0: must be at least 1"},
      {"conv_rank",
       "conv2d",
       {f32({1, 1, 4}), f32({1, 1, 3, 3})},
       conv(ones, none, ones, 1),
       "[conv2d] x must have rank 4, got rank 3 (1x1x4)"},
      {"conv_bias",
       "conv2d",
       {f32({1, 1, 4, 4}), f32({2, 1, 3, 3}), f32({3})},
       conv(ones, none, ones, 1),
       "[conv2d] bias must be 2 (the output channels of weight), got 3"},
      {"conv_overflow",
       "conv2d",
       {f32({huge, 1, 4096, 4096}), f32({1, 1, 1, 1})},
       conv(ones, none, ones, 1),
       "[conv2d] the result f32 1099511627776x1x4096x4096 would need 64.0 EiB, more than 63 bits can address: make the "
       "batch or the shape smaller",
       ErrorKind::refused},
      {"conv_kernel_absurd",
       "conv2d",
       {f32({1, 1, huge, 1}), f32({1, 1, huge, 1})},
       conv(ones, none, ones, 1),
       "[conv2d] kernel height is 1099511627776: at most 1048576"},
      {"pool_padding",
       "max_pool2d",
       {f32({1, 1, 8, 8})},
       pool({2, 2}, {2, 2}, {0, 2, 0, 0}),
       "[max_pool2d] padding 2 is not smaller than the kernel's 2"},
      {"pool_kernel",
       "average_pool2d",
       {f32({1, 1, 8, 8})},
       pool({9, 2}, {2, 2}, none),
       "[average_pool2d] kernel height 9 (dilation 1: covers 9) is larger than the padded input: 0 + 8 + 0 = 8"},
      {"pool_integers",
       "average_pool2d",
       {typed(DType::int32, {1, 1, 8, 8})},
       pool({2, 2}, {2, 2}, none),
       "[average_pool2d] x must be a floating type (f64, f32, bf16, f16), got i32"},
      {"pool_plane",
       "max_pool2d",
       {f32({1, 1, 65536, 65536})},
       pool({2, 2}, {2, 2}, none),
       "[max_pool2d] planes of 65536x65536 have more elements than 32-bit indices reach"},
      {"norm_scale",
       "batch_norm_training",
       {f32({2, 3, 4, 4}), f32({4}), f32({3})},
       {},
       "[batch_norm_training] scale must be 3 (the channels of x), got 4"},
      {"norm_empty",
       "batch_norm_training",
       {f32({0, 3, 4, 4}), f32({3}), f32({3})},
       {},
       "[batch_norm_training] x 0x3x4x4 has no values to take a mean of"},
      {"add_shapes",
       "add",
       {f32({2, 3}), f32({2, 4})},
       {},
       "[add] shapes 2x3 and 2x4 do not broadcast: 3 meets 4 on the last axis but 0"},
      {"add_dtypes", "add", {f32({2}), typed(DType::int64, {2})}, {}, "[add] dtypes differ: a is f32, b is i64"},
      {"loss_batch",
       "softmax_cross_entropy",
       {f32({8, 10}), typed(DType::int64, {9})},
       {},
       "[softmax_cross_entropy] batches differ: logits have B = 8, labels have B = 9"},
      {"loss_labels",
       "softmax_cross_entropy",
       {f32({8, 10}), f32({8})},
       {},
       "[softmax_cross_entropy] labels must be i64 or i32, got f32"},
      {"loss_empty",
       "softmax_cross_entropy",
       {f32({0, 10}), typed(DType::int64, {0})},
       {},
       "[softmax_cross_entropy] logits 0x10 have no mean loss"},
      {"softmax_axis", "softmax", {f32({2, 3})}, {{"axis", int64_t{2}}}, "[softmax] axis 2 is outside of rank 2"},
      {"sum_axis", "sum", {f32({2, 3})}, {{"axes", Ints{0, -2}}}, "[sum] axis 0 is named twice"},
      {"sgd_shape", "sgd", {f32({2, 3}), f32({3, 2})}, {}, "[sgd] gradient must be 2x3 (the shape of weight), got 3x2"},
      {"grad_shape",
       "relu_grad",
       {f32({2, 3}), f32({3, 2})},
       {},
       "[relu_grad] dy must be 3x2 (the shape of y), got 2x3"},
      {"operands", "add", {f32({2, 3})}, {}, "[add] takes 2 operands (a, b), got 1"},
      {"operands_optional", "linear", {f32({2, 3})}, {}, "[linear] takes 2 to 3 operands (x, weight, bias), got 1"},
  };
}

INSTANTIATE_TEST_SUITE_P(Ops, Refuses, testing::ValuesIn(refusals()), [](const auto& each) { return each.param.name; });

TEST(Errors, NameTheLayerWhileBuilding) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({1, 3, 8, 8}), {});
  const ValueId w = builder.parameter("w", f32({4, 2, 3, 3}), {});
  {
    LayerScope stage(builder, "layer1");
    LayerScope block(builder, "conv2");
    EXPECT_EQ(ops::conv2d(builder, x, w, kNoValue), kNoValue);
  }
  const auto result = builder.finish();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "layer1.conv2: [conv2d] channels differ: x has C = 3 in 1 group(s) = 3 each, weight 4x2x3x3 has 2");
}

/// Building code goes on after an error without asking: every function returns kNoValue and the first error stays.
TEST(Errors, StayWithTheFirstWhileBuildingGoesOn) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({2, 3}), {});
  const ValueId bad = ops::matmul(builder, x, x);
  EXPECT_EQ(bad, kNoValue);
  const ValueId none = kNoValue;
  for (const ValueId value : {ops::reshape(builder, bad, {6}),
                              ops::flatten(builder, bad),
                              ops::permute(builder, bad, {1, 0}),
                              ops::transpose(builder, bad, 0, 1),
                              ops::slice(builder, bad, 0, 0, 1),
                              ops::expand(builder, bad, {2}),
                              ops::squeeze(builder, bad, 0),
                              ops::unsqueeze(builder, bad, 0),
                              ops::contiguous(builder, bad),
                              ops::add(builder, bad, x),
                              ops::scale(builder, bad, 2),
                              ops::relu(builder, bad),
                              ops::sigmoid(builder, bad),
                              ops::copy(builder, bad),
                              ops::linear(builder, bad, x, none),
                              ops::conv2d(builder, bad, x, none),
                              ops::max_pool2d(builder, bad, {}),
                              ops::average_pool2d(builder, bad, {}),
                              ops::global_average_pool(builder, bad),
                              ops::batch_norm_training(builder, bad, x, x, none, none),
                              ops::batch_norm_inference(builder, bad, x, x, x, x, 1e-5),
                              ops::sum(builder, bad, {}),
                              ops::softmax(builder, bad, 0),
                              ops::softmax_cross_entropy(builder, bad, x)}) {
    EXPECT_EQ(value, kNoValue);
  }
  ops::sgd_update(builder, bad, bad, none, 0.1, 0, 0);
  EXPECT_EQ(builder.finish().error().message, "[matmul] inner dimensions differ: a has k = 3, b has k = 2");
}

TEST(Errors, OfBuildingFunctionsWithAxes) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", f32({2, 3}), {});
  EXPECT_EQ(ops::transpose(builder, x, 0, 2), kNoValue);
  EXPECT_EQ(builder.finish().error().message, "[transpose] axis 2 is outside of rank 2");
}

}  // namespace
