// SPDX-License-Identifier: Apache-2.0
// The index arithmetic of CUDA kernels, on the host: every element is met once, at its place.
#include "engine/cuda/index.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using engine::Shape;
using engine::Strides;
using engine::cuda::make_walk;
using engine::cuda::offsets_at;
using engine::cuda::Walk;

/// All pairs of offsets that a walk meets.
std::multiset<std::pair<int64_t, int64_t>> met(const Walk<2>& walk) {
  std::multiset<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < walk.count; ++i) {
    int64_t at[2];
    offsets_at(walk, i, at);
    pairs.emplace(at[0], at[1]);
  }
  return pairs;
}

/// The same by nested loops over the logical axes.
std::multiset<std::pair<int64_t, int64_t>> wanted(const Shape& shape, const Strides& a, const Strides& b) {
  std::multiset<std::pair<int64_t, int64_t>> pairs;
  std::vector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at_a = 0, at_b = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      at_a += index[axis] * a[axis];
      at_b += index[axis] * b[axis];
    }
    pairs.emplace(at_a, at_b);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return pairs;
}

TEST(CudaIndex, AWalkMeetsEveryElementOnce) {
  const std::vector<std::tuple<Shape, Strides, Strides>> cases{
      {{}, {}, {}},
      {{7}, {1}, {1}},
      {{2, 3, 4}, {12, 4, 1}, {12, 4, 1}},
      {{2, 3, 4}, {12, 4, 1}, {1, 2, 6}},            // transposed
      {{2, 3, 4}, {12, 4, 1}, {0, 1, 0}},            // broadcast
      {{2, 3, 4}, {1, 8, 2}, {12, 4, 1}},            // written in another order
      {{4, 5}, {5, 1}, {-5, -1}},                    // backwards
      {{1, 6, 1, 2}, {99, 2, 77, 1}, {5, 3, 5, 40}},  // extents of 1 say nothing
      {{3, 0, 2}, {0, 2, 1}, {0, 2, 1}},
      {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {512, 256, 128, 64, 32, 16, 8, 4, 2, 1}, {512, 256, 128, 64, 32, 16, 8, 4, 2, 1}},
  };
  for (const auto& [shape, a, b] : cases) {
    const auto walk = make_walk<2>(shape, {a, b});
    ASSERT_TRUE(walk.has_value()) << engine::to_string(shape);
    EXPECT_EQ(met(*walk), wanted(shape, a, b)) << engine::to_string(shape);
  }
}

TEST(CudaIndex, NeighboursMergeAndLinesAreSeen) {
  const auto dense = make_walk<2>({2, 3, 4}, {Strides{12, 4, 1}, Strides{12, 4, 1}});
  EXPECT_EQ(dense->axes, 1);
  EXPECT_TRUE(dense->linear);
  const auto scalar = make_walk<2>({2, 3, 4}, {Strides{12, 4, 1}, Strides{0, 0, 0}});
  EXPECT_EQ(scalar->axes, 1);
  EXPECT_TRUE(scalar->linear);
  EXPECT_EQ(scalar->strides[1][0], 0);
  const auto channels_last = make_walk<2>({2, 3, 4, 5}, {Strides{60, 1, 15, 3}, Strides{60, 1, 15, 3}});
  EXPECT_TRUE(channels_last->linear);
  EXPECT_FALSE(make_walk<2>({4, 5}, {Strides{5, 1}, Strides{1, 4}})->linear);
  EXPECT_FALSE((make_walk<1>(Shape(9, 2), {Strides{65536, 16384, 4096, 1024, 256, 64, 16, 4, 1}}).has_value()));
}

TEST(CudaIndex, PositionsBeyond32BitsAreExact) {
  const int64_t big = int64_t{3} << 31;  // elements: 1.5 * 2^32
  const auto walk = make_walk<2>({2, 3, int64_t{1} << 30}, {Strides{int64_t{3} << 30, int64_t{1} << 30, 1}, Strides{1, 2, 6}});
  ASSERT_TRUE(walk.has_value());
  EXPECT_EQ(walk->count, big);
  EXPECT_FALSE(walk->narrow);
  int64_t at[2];
  offsets_at(*walk, big - 1, at);
  EXPECT_EQ(at[0], big - 1);
  EXPECT_EQ(at[1], 1 + 2 * 2 + 6 * ((int64_t{1} << 30) - 1));
}

TEST(CudaIndex, GridsAreWithinTheHardwaresLimits) {
  using engine::cuda::blocks_for;
  EXPECT_EQ(blocks_for(0, 256, 4, 132), 1);
  EXPECT_EQ(blocks_for(1024, 256, 4, 132), 1);
  EXPECT_EQ(blocks_for(1025, 256, 4, 132), 2);
  EXPECT_LE(blocks_for(INT64_MAX, 256, 4, 132), (int64_t{1} << 31) - 1);
  EXPECT_EQ(blocks_for(INT64_MAX, 256, 4, 0), 32);
}

TEST(CudaIndex, BroadcastStrides) {
  using engine::cuda::broadcast_strides;
  EXPECT_EQ(broadcast_strides({3, 1}, {1, 1}, {2, 3, 4}), (Strides{0, 1, 0}));
  EXPECT_EQ(broadcast_strides({}, {}, {2, 2}), (Strides{0, 0}));
}

}  // namespace
