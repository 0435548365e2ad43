// SPDX-License-Identifier: Apache-2.0
// Which products of several matrices with one are one product of all their rows.
#include "engine/kernels/gemm/joined_rows_rule.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }

TEST(JoinedRows, LeadingAxesBecomeRows) {
  const auto joined = joined_rows(false, f32({1, 3, 5, 8}), f32({8, 6}), f32({1, 3, 5, 6}));
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(joined->a, f32({15, 8}));
  EXPECT_EQ(joined->b, f32({8, 6}));
  EXPECT_EQ(joined->c, f32({15, 6}));
  const auto ones = joined_rows(false, f32({37, 1, 8}), f32({1, 8, 6}), f32({37, 1, 6}));
  ASSERT_TRUE(ones.has_value()) << "leading axes of 1 are no batch";
  EXPECT_EQ(ones->b.shape, (Shape{8, 6}));
  EXPECT_TRUE(joined_rows(true, f32({2, 3, 8}), f32({6, 8}), f32({2, 3, 6})).has_value());
  const auto one = joined_rows(false, f32({1, 5, 8}), f32({8, 6}), f32({1, 5, 6}));
  ASSERT_TRUE(one.has_value()) << "a batch of 1";
  EXPECT_EQ(one->a, f32({5, 8}));
}

TEST(JoinedRows, WhatIsNoSuchProductStays) {
  EXPECT_FALSE(joined_rows(false, f32({5, 8}), f32({8, 6}), f32({5, 6})).has_value()) << "one matrix";
  EXPECT_FALSE(joined_rows(false, f32({3, 5, 8}), f32({3, 8, 6}), f32({3, 5, 6})).has_value()) << "each has its own";
  EXPECT_FALSE(joined_rows(false, f32({1, 5, 8}), f32({3, 8, 6}), f32({3, 5, 6})).has_value()) << "one times several";
  EXPECT_FALSE(joined_rows(false, f32({0, 5, 8}), f32({8, 6}), f32({0, 5, 6})).has_value());
  TensorType apart = f32({3, 5, 8});
  apart.strides = {100, 8, 1};  // rows of a slice: no even distance
  EXPECT_FALSE(joined_rows(false, apart, f32({8, 6}), f32({3, 5, 6})).has_value());
  apart.strides = {80, 16, 1};  // every second row of twice as many: even
  const auto even = joined_rows(false, apart, f32({8, 6}), f32({3, 5, 6}));
  ASSERT_TRUE(even.has_value());
  EXPECT_EQ(even->a.strides, (Strides{16, 1}));
}

}  // namespace
}  // namespace engine
