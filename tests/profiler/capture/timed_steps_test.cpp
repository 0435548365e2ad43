// SPDX-License-Identifier: Apache-2.0
// Windows of steps: behind late GPU work, rank by rank, and none without a time.
#include "profiler/capture/timed_steps.h"

#include <gtest/gtest.h>

#include "profiler/capture/noise.h"
#include "tests/support/rank_lab.h"

namespace profiler {
namespace {

using tests::RankLab;

TEST(TimedSteps, AStepSwallowedByTheLateWorkOfAnotherDoesNotCount) {
  RankLab lab(2, 6, 100);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint32_t step = 0; step < 6; ++step) lab.kernel("k", {rank, step, 10, 50});
  }
  lab.kernel("long", {1, 1, 20, 330});  // until 450: steps 2 and 3 of rank 1 are over by then
  const auto c = lab.finish();
  const TimedSteps timed = timed_steps(*c);
  EXPECT_EQ(timed.without_time, 2);
  EXPECT_EQ(timed.windows.size(), 10u);
  const std::vector<double> ns = timed_steps_ns(*c);
  ASSERT_EQ(ns.size(), 10u);
  for (const double step : ns) EXPECT_GT(step, 0);
  EXPECT_EQ(step_windows(*c).size(), 12u) << "they are still there to be seen";
  for (const StepWindow& w : timed.windows) {
    if (w.rank == 0) {
      EXPECT_EQ(w.duration_ns(), 100'000) << "step " << w.host.index << ": other ranks do not matter";
    }
  }
}

TEST(TimedSteps, AMarkWithoutALengthIsNoTimeOfAStep) {
  for (const uint32_t ranks : {1u, 2u}) {
    const auto c = RankLab(ranks, 4, 0).finish();
    EXPECT_TRUE(timed_steps_ns(*c).empty());
    EXPECT_EQ(timed_steps(*c).without_time, 4 * ranks);
    EXPECT_FALSE(noisy(*c));
    EXPECT_EQ(measured_step_windows(*c).size(), 4 * ranks) << "there are no others";
  }
}

TEST(TimedSteps, WarmUpIsNotCountedAsLeftOut) {
  const TimedSteps timed = timed_steps(*RankLab(2, 5, 100, 2).finish());
  EXPECT_EQ(timed.windows.size(), 6u);
  EXPECT_EQ(timed.without_time, 0);
}

}  // namespace
}  // namespace profiler
