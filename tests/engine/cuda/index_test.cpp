// SPDX-License-Identifier: Apache-2.0
// The index arithmetic of CUDA kernels, on the host: every element is met once, at its place.
#include "engine/cuda/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using engine::Shape;
using engine::Strides;
using engine::cuda::by_lanes;
using engine::cuda::divided;
using engine::cuda::LaneWalk;
using engine::cuda::make_walk;
using engine::cuda::offsets_at;
using engine::cuda::set_division;
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
      {{2, 3, 4}, {12, 4, 1}, {1, 2, 6}},             // transposed
      {{2, 3, 4}, {12, 4, 1}, {0, 1, 0}},             // broadcast
      {{2, 3, 4}, {1, 8, 2}, {12, 4, 1}},             // written in another order
      {{4, 5}, {5, 1}, {-5, -1}},                     // backwards
      {{1, 6, 1, 2}, {99, 2, 77, 1}, {5, 3, 5, 40}},  // extents of 1 say nothing
      {{3, 0, 2}, {0, 2, 1}, {0, 2, 1}},
      {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
       {512, 256, 128, 64, 32, 16, 8, 4, 2, 1},
       {512, 256, 128, 64, 32, 16, 8, 4, 2, 1}},
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
  const auto walk =
      make_walk<2>({2, 3, int64_t{1} << 30}, {Strides{int64_t{3} << 30, int64_t{1} << 30, 1}, Strides{1, 2, 6}});
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

TEST(CudaIndex, DivisionsByMultiplicationAreExact) {
  constexpr uint32_t kEnd = uint32_t{1} << 31;
  for (const uint32_t extent :
       {1u, 2u, 3u, 5u, 7u, 10u, 64u, 641u, 1000u, 65'535u, 65'537u, 1'000'003u, kEnd - 1, kEnd}) {
    uint32_t factor = 0;
    uint8_t shift = 0;
    set_division(extent, factor, shift);
    for (uint64_t multiple = 0; multiple < kEnd;
         multiple += std::max<uint64_t>(extent, kEnd / 1000 / extent * extent)) {
      for (const int64_t beside : {-1, 0, 1}) {
        const int64_t position = static_cast<int64_t>(multiple) + beside;
        if (position < 0 || position >= int64_t{kEnd}) continue;
        ASSERT_EQ(divided(static_cast<uint32_t>(position), factor, shift), static_cast<uint32_t>(position) / extent)
            << position << " / " << extent;
      }
    }
  }
}

TEST(CudaIndex, LanesMeetEveryElementOnceOrAreRefused) {
  struct Case {
    Shape shape;
    Strides a, b;
    bool taken;
  };
  const std::vector<Case> cases{
      {{8, 12}, {12, 1}, {12, 1}, true},
      {{11}, {1}, {1}, true},  // one line: the last step is cut short
      {{5, 12}, {12, 1}, {0, 1}, true},
      {{5, 12}, {12, 1}, {1, 0}, true},  // a row, or a number of each row
      {{5, 10}, {10, 1}, {0, 1}, false},
      {{5, 12}, {12, 1}, {14, 1}, false},  // rows end, or begin, within a step
      {{12, 8}, {8, 1}, {1, 12}, false},
      {{5, 12}, {24, 2}, {12, 1}, false},  // not dense along the last axis
      {{2, 3, 8}, {24, 8, 1}, {0, 8, 1}, true},
      {{4}, {0}, {1}, false},
  };
  for (const Case& c : cases) {
    const auto walk = make_walk<2>(c.shape, {c.a, c.b});
    ASSERT_TRUE(walk);
    const std::optional<LaneWalk<2>> by = by_lanes(*walk, 4);
    ASSERT_EQ(by.has_value(), c.taken) << c.shape.size() << " axes, " << c.shape.back();
    if (!by) continue;
    std::multiset<std::pair<int64_t, int64_t>> pairs;
    for (int64_t i = 0; i < by->walk.count; ++i) {
      int64_t at[2];
      offsets_at(by->walk, i, at);
      for (int64_t k = 0; k < 4 && (by->walk.axes > 1 || i * 4 + k < by->elements); ++k) {
        pairs.emplace(at[0] + k, at[1] + (by->beside[1] ? k : 0));
      }
    }
    EXPECT_EQ(pairs, met(*walk));
  }
}

}  // namespace
