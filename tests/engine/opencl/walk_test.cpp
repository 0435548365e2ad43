// SPDX-License-Identifier: Apache-2.0
#include "engine/opencl/walk.h"

#include <gtest/gtest.h>

namespace engine::opencl {
namespace {

/// As common.cl does it.
int64_t offset(const Walk& walk, int operand, int64_t position) {
  int64_t total = 0;
  for (int64_t axis = walk.axes - 1; axis >= 0; --axis) {
    total += position % walk.extents[axis] * walk.strides[operand][axis];
    position /= walk.extents[axis];
  }
  return total;
}

TEST(OpenclWalk, MergesWhatLiesInOneLine) {
  const auto dense = make_walk({4, 1, 5, 6}, {{30, 30, 6, 1}, {30, 7, 6, 1}});
  ASSERT_TRUE(dense);
  EXPECT_EQ(dense->axes, 1);
  EXPECT_EQ(dense->count, 120);
  EXPECT_EQ(dense->linear, 1);
  const auto turned = make_walk({4, 5}, {{5, 1}, {1, 4}});
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->axes, 2);
  EXPECT_EQ(turned->linear, 0);
}

TEST(OpenclWalk, VisitsEachElementOnce) {
  const Shape shape{3, 4, 5};
  for (const bool by_memory : {true, false}) {
    const auto walk = make_walk(shape, {{1, 3, 12}, {20, 5, 1}}, by_memory);
    ASSERT_TRUE(walk);
    std::vector<int> seen(60);
    for (int64_t i = 0; i < walk->count; ++i) {
      ++seen[static_cast<size_t>(offset(*walk, 0, i))];
      EXPECT_EQ(offset(*walk, by_memory ? 0 : 1, i), i) << "the first operand's order, or row-major order";
    }
    EXPECT_EQ(seen, std::vector<int>(60, 1));
  }
}

TEST(OpenclWalk, OfNothingAndOfTooMuch) {
  const auto one = make_walk({}, {Strides{}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->count, 1);
  EXPECT_EQ(offset(*one, 0, 0), 0);
  const Shape nine(9, 2);
  Strides apart(9);
  for (size_t i = 0; i < apart.size(); ++i) apart[i] = int64_t{3} << (2 * i);
  EXPECT_FALSE(make_walk(nine, {apart}));
}

}  // namespace
}  // namespace engine::opencl
