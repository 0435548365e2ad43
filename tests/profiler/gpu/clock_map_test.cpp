// SPDX-License-Identifier: Apache-2.0
// Conversion of a tracer's clock: drift is followed, steps are counted, brackets choose the narrowest.
#include "profiler/gpu/clock_map.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace profiler {
namespace {

constexpr int64_t kTick = 150'000'000, kEpoch = 1'790'000'000'000'000'000;

TEST(ClockMap, OnePairIsAnOffset) {
  ClockMap map;
  EXPECT_TRUE(map.empty());
  map.add({.tracer_ns = kEpoch, .steady_ns = 5000, .width_ns = 40});
  EXPECT_EQ(map.to_steady(kEpoch + 123), 5123);
  EXPECT_EQ(map.to_steady(kEpoch - 123), 4877);
  EXPECT_EQ(map.error_ns(), 40);
}

TEST(ClockMap, FollowsDriftWithinANanosecond) {
  // the wall clock runs 50 ppm fast, as before NTP has slewed it
  ClockMap map;
  const auto wall = [](int64_t steady) { return kEpoch + steady + steady / 20000; };
  for (int64_t i = 0; i <= 100; ++i) map.add({wall(i * kTick), i * kTick, 60});
  for (int64_t steady = kTick / 3; steady < 100 * kTick; steady += 77'777'777) {
    ASSERT_LE(std::llabs(map.to_steady(wall(steady)) - steady), 1) << steady;
  }
  EXPECT_EQ(map.steps(), 0);
}

TEST(ClockMap, StepsAreCountedAndStayLocal) {
  ClockMap map;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t jump = i >= 10 ? 3'000'000'000 : 0;  // somebody set the clock 3 s ahead
    map.add({kEpoch + i * kTick + jump, i * kTick, 60});
  }
  EXPECT_EQ(map.steps(), 1);
  EXPECT_EQ(map.to_steady(kEpoch + 5 * kTick + 7), 5 * kTick + 7);
  EXPECT_EQ(map.to_steady(kEpoch + 15 * kTick + 3'000'000'007), 15 * kTick + 7);
  // right before and right after the step the nearer pair is the right one
  EXPECT_EQ(map.to_steady(kEpoch + 9 * kTick + 1000), 9 * kTick + 1000);
  EXPECT_EQ(map.to_steady(kEpoch + 10 * kTick + 3'000'000'000 - 1000), 10 * kTick - 1000);
}

TEST(ClockMap, AStepBackDoesNotBreakOrder) {
  ClockMap map;
  for (int64_t i = 0; i < 4; ++i) map.add({kEpoch + i * kTick - (i >= 2 ? 10 * kTick : 0), i * kTick, 60});
  EXPECT_EQ(map.steps(), 1);
  EXPECT_EQ(map.to_steady(kEpoch + 3 * kTick - 10 * kTick + 5), 3 * kTick + 5);
  map.add({kEpoch, 3 * kTick, 60});  // not later than the last: left out
  EXPECT_EQ(map.to_steady(kEpoch + 3 * kTick - 10 * kTick + 5), 3 * kTick + 5);
}

TEST(ClockMap, TheNarrowestBracketWins) {
  int64_t steady = 0;
  const int64_t costs[] = {900, 900, 20, 20, 500, 500};  // of the reads, pair by pair
  int call = 0;
  const ClockPair pair = bracket_clock([&] { return steady += costs[call++]; }, [&] { return steady + 1000; }, 3);
  EXPECT_EQ(pair.width_ns, 20);
  EXPECT_EQ(pair.tracer_ns - 1000, 1820);
  EXPECT_EQ(pair.steady_ns, 1830);
}

}  // namespace
}  // namespace profiler
