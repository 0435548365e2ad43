// SPDX-License-Identifier: Apache-2.0
// Sets of spans against counting instant by instant.
#include "profiler/analysis/base/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace profiler {
namespace {

TEST(IntervalSet, MergesWhatTouchesAndDropsWhatIsEmpty) {
  const IntervalSet set({{5, 7}, {0, 2}, {2, 3}, {6, 9}, {4, 4}, {12, 11}});
  EXPECT_EQ(set.spans(), (std::vector<Interval>{{0, 3}, {5, 9}}));
  EXPECT_EQ(set.length_ns(), 7);
  EXPECT_EQ(set.covered_ns(2, 6), 2);
  EXPECT_EQ(set.covered_ns(6, 2), 0);
  EXPECT_EQ(set.gaps(-1, 12), (std::vector<Interval>{{-1, 0}, {3, 5}, {9, 12}}));
  EXPECT_EQ(IntervalSet().length_ns(), 0);
  EXPECT_EQ(IntervalSet().gaps(1, 3), (std::vector<Interval>{{1, 3}}));
}

TEST(IntervalSet, AgreesWithCountingEachInstant) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> spans;
    std::vector<bool> in(100);
    for (int i = 0; i < 12; ++i) {
      const int64_t begin = random() % 100, end = std::min<int64_t>(100, begin + random() % 15);
      spans.push_back({begin, end});
      for (int64_t t = begin; t < end; ++t) in[t] = true;
    }
    const IntervalSet set(spans);
    const int64_t from = random() % 100, to = from + random() % (101 - from);
    const auto expected = std::count(in.begin() + from, in.begin() + to, true);
    ASSERT_EQ(set.covered_ns(from, to), expected);
    ASSERT_EQ(set.within(from, to).length_ns(), expected);
    int64_t gaps = 0;
    for (const Interval& gap : set.gaps(from, to)) gaps += gap.end_ns - gap.begin_ns;
    ASSERT_EQ(gaps, to - from - expected);
  }
}

}  // namespace
}  // namespace profiler
