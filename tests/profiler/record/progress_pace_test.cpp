// SPDX-License-Identifier: Apache-2.0
// What of a recording's progress is passed on, and when.
#include "profiler/record/progress_pace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace profiler {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class ProgressPaceTest : public ::testing::Test {
 protected:
  void report(const char* stage, int64_t now_ns, double fraction = 0.5) {
    pace.report({.stage = stage, .fraction = fraction}, now_ns);
  }
  std::vector<RecordProgress> passed;
  ProgressPace pace{[this](const RecordProgress& p) { passed.push_back(p); }};
};

TEST_F(ProgressPaceTest, ShortStepsArePassedOnTogetherAtABoundedRate) {
  constexpr int64_t kStepNs = 1000;
  constexpr int kSteps = 100'000;
  int64_t now = 0;
  for (int i = 0; i < kSteps; ++i) {
    report("recording", now);
    now += kStepNs;
    pace.ended(i == 777 ? 5e6 : 1000 + i % 10, kNone, false);
  }
  report("writing", now);
  EXPECT_LE(passed.size(), static_cast<size_t>(now / ProgressPace::kEveryNs) + 3);
  int steps = 0;
  double shortest = kNone, longest = kNone;
  for (const RecordProgress& p : passed) {
    steps += p.recent_steps;
    shortest = std::fmin(shortest, p.shortest_ns);
    longest = std::fmax(longest, p.longest_ns);
  }
  EXPECT_EQ(steps, kSteps) << "none is left out or counted twice";
  EXPECT_EQ(shortest, 1000);
  EXPECT_EQ(longest, 5e6);
}

TEST_F(ProgressPaceTest, LongStepsArePassedOnOneByOne) {
  for (int i = 0; i < 5; ++i) {
    report("recording", i * 2 * ProgressPace::kEveryNs);
    pace.ended(2.0 * ProgressPace::kEveryNs, 2.0 - 0.1 * i, false);
  }
  ASSERT_EQ(passed.size(), 5U);
  EXPECT_EQ(passed[0].recent_steps, 0);
  EXPECT_TRUE(std::isnan(passed[0].last_step_ns));
  for (int i = 1; i < 5; ++i) {
    EXPECT_EQ(passed[static_cast<size_t>(i)].recent_steps, 1);
    EXPECT_DOUBLE_EQ(passed[static_cast<size_t>(i)].loss, 2.0 - 0.1 * (i - 1));
  }
}

TEST_F(ProgressPaceTest, ANewStageThePlanAndTheEndDoNotWait) {
  report("planning", 0);
  report("planning", 1);
  pace.report({.stage = "planning", .planned = PlannedStep{.ops = 3}}, 2);
  report("recording", 3);
  report("recording", 4);
  report("writing", 5);
  report("writing", 6, 1);
  ASSERT_EQ(passed.size(), 5U);
  EXPECT_EQ(passed[1].planned->ops, 3);
  EXPECT_FALSE(passed[2].planned.has_value());
  EXPECT_EQ(passed[4].fraction, 1);
}

TEST_F(ProgressPaceTest, AFailedTrainingStaysFailed) {
  report("recording", 0);
  pace.ended(10, kNone, true);
  pace.ended(10, 1.5, false);
  report("writing", 1);
  EXPECT_TRUE(passed.back().loss_failed);
  report("closing", 2);
  EXPECT_TRUE(passed.back().loss_failed);
  EXPECT_EQ(passed.back().last_step_ns, 10) << "the last step's time stays known";
  EXPECT_EQ(passed.back().recent_steps, 0);
}

}  // namespace
}  // namespace profiler
