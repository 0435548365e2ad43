// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace engine {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Shape, CountsWithoutOverflow) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({50, 3, 24, 32}), 115'200);
  EXPECT_EQ(element_count({kMax}), kMax);
  EXPECT_EQ(element_count({int64_t{1} << 31, int64_t{1} << 31}), int64_t{1} << 62);
  EXPECT_FALSE(element_count({int64_t{1} << 32, int64_t{1} << 31}).has_value());
  EXPECT_FALSE(element_count({-1}).has_value());
  EXPECT_FALSE(element_count({0, -1}).has_value());
  // Nothing is nothing, wherever the 0 stands.
  EXPECT_EQ(element_count({kMax, kMax, 0}), 0);
  EXPECT_EQ(element_count({0, kMax, kMax}), 0);
}

TEST(Shape, DenseStrides) {
  EXPECT_EQ(contiguous_strides({50, 3, 24, 32}), (Strides{2304, 768, 32, 1}));
  EXPECT_EQ(channels_last_strides({50, 3, 24, 32}), (Strides{2304, 1, 96, 3}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
  EXPECT_EQ(channels_last_strides({2, 5}), (Strides{5, 1}));
  // Strides that pass 63 bits belong to a tensor without elements or one that is refused; they are
  // held, not wrapped.
  for (const int64_t stride : contiguous_strides({kMax, kMax, kMax, 0})) EXPECT_GT(stride, 0);
}

TEST(Shape, LayoutsAreRecognised) {
  const Shape shape{2, 3, 4, 5};
  EXPECT_TRUE(is_contiguous(shape, contiguous_strides(shape)));
  EXPECT_TRUE(is_channels_last(shape, channels_last_strides(shape)));
  EXPECT_FALSE(is_contiguous(shape, channels_last_strides(shape)));
  EXPECT_FALSE(is_channels_last(shape, contiguous_strides(shape)));
  EXPECT_TRUE(is_dense(shape, channels_last_strides(shape)));
  EXPECT_FALSE(is_dense(shape, {120, 20, 5, 1}));
  EXPECT_FALSE(is_dense(shape, {60, 20, 5, -1}));
  EXPECT_FALSE(is_dense(shape, {60, 20, 5, 0}));
  // The stride of an axis of extent 1 is never used.
  EXPECT_TRUE(is_contiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_TRUE(is_channels_last({2, 1, 4, 5}, contiguous_strides({2, 1, 4, 5})));
  EXPECT_TRUE(is_contiguous({0, 3}, {9, 9}));
}

TEST(Shape, DenseLikeKeepsTheAxisOrder) {
  const Shape shape{2, 3, 4, 5};
  EXPECT_EQ(dense_strides_like(shape, channels_last_strides(shape)), channels_last_strides(shape));
  // A sliced channels-last tensor: same order, no holes.
  EXPECT_EQ(dense_strides_like(shape, {1000, 1, 60, 6}), channels_last_strides(shape));
  // A transposed matrix stays transposed.
  EXPECT_EQ(dense_strides_like({4, 6}, {1, 4}), (Strides{1, 4}));
  EXPECT_EQ(dense_strides_like({4, 6}, {-6, 1}), (Strides{6, 1}));
}

TEST(Shape, BroadcastsTrailingDimensions) {
  EXPECT_EQ(*broadcast_shapes({4, 1, 5}, {3, 1}), (Shape{4, 3, 5}));
  EXPECT_EQ(*broadcast_shapes({}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(*broadcast_shapes({1}, {0}), (Shape{0}));
  const auto refused = broadcast_shapes({4, 3}, {4, 2});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("4x3"), std::string::npos);
  EXPECT_NE(refused.error().message.find("4x2"), std::string::npos);
}

TEST(Shape, InWords) {
  EXPECT_EQ(to_string(Shape{16, 128, 28, 28}), "16x128x28x28");
  EXPECT_EQ(to_string(Shape{}), "scalar");
}

}  // namespace
}  // namespace engine
