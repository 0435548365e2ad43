// SPDX-License-Identifier: Apache-2.0
// Which steps a run takes, and what it concludes from their times.
#include "profiler/record/step_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace profiler {
namespace {

/// Runs a schedule to its end with steps of `ns(kind, number)`; one letter per step.
std::string play(StepSchedule& schedule, const std::function<double(StepKind, int)>& ns) {
  std::string letters;
  while (const auto kind = schedule.next()) {
    schedule.ran(*kind, ns(*kind, static_cast<int>(letters.size())));
    letters += *kind == StepKind::warmup ? 'w' : *kind == StepKind::traced ? 'T' : 'u';
    if (letters.size() > 1000) break;
  }
  return letters;
}

double constant(StepKind, int) { return 1e6; }

TEST(StepSchedule, FixedStepsInAlternatingPairs) {
  StepSchedule s({.warmup_steps = 2, .steps = 4, .measure_cost = true});
  EXPECT_EQ(play(s, constant), "wwTuuTTuuT");
}

TEST(StepSchedule, WithoutCostEveryStepIsTraced) {
  StepSchedule s({.warmup_steps = 0, .steps = 3, .measure_cost = false});
  EXPECT_EQ(play(s, constant), "TTT");
  EXPECT_TRUE(std::isnan(s.cost().ratio));
  EXPECT_TRUE(std::isnan(s.cost().noise_ratio));
}

TEST(StepSchedule, PairsEndAtTwentyFive) {
  StepSchedule s({.warmup_steps = 0, .steps = 40, .measure_cost = true});
  const std::string letters = play(s, constant);
  EXPECT_EQ(std::count(letters.begin(), letters.end(), 'T'), 40);
  EXPECT_EQ(std::count(letters.begin(), letters.end(), 'u'), 25);
}

TEST(StepSchedule, WarmWhenTwoStepsAgree) {
  StepSchedule s({.warmup_steps = -1, .steps = 1, .measure_cost = false});
  EXPECT_EQ(play(s, [](StepKind, int n) { return n == 0 ? 9e6 : n == 1 ? 2e6 : 1.95e6; }), "wwwT");
  StepSchedule never({.warmup_steps = -1, .steps = 1, .measure_cost = false});
  EXPECT_EQ(play(never, [](StepKind, int n) { return 1e6 * std::pow(2, n); }), "wwwwwT");
  StepSchedule slow({.warmup_steps = -1, .steps = 1, .measure_cost = false});
  EXPECT_EQ(play(slow, [](StepKind, int) { return 6e9; }), "wT");
}

TEST(StepSchedule, AutoEndsWhenSteady) {
  StepSchedule s({.warmup_steps = 0, .steps = 0, .measure_cost = true});
  EXPECT_EQ(play(s, constant), "TuuTTuuTTu");
  EXPECT_TRUE(s.steady());
}

TEST(StepSchedule, AutoGivesUpAtFiftyStepsOrTwentySeconds) {
  const auto wild = [](StepKind, int n) { return 1e6 * (1 + n % 7); };
  StepSchedule s({.warmup_steps = 0, .steps = 0, .measure_cost = false});
  EXPECT_EQ(play(s, wild).size(), 50u);
  EXPECT_FALSE(s.steady());
  StepSchedule slow({.warmup_steps = 0, .steps = 0, .measure_cost = true});
  EXPECT_EQ(play(slow, [](StepKind, int n) { return n % 2 == 0 ? 4e9 : 6e9; }), "TuuT");
  StepSchedule endless({.warmup_steps = 0, .steps = 0, .measure_cost = true});
  EXPECT_EQ(play(endless, [](StepKind, int) { return 60e9; }), "Tu");
}

TEST(StepSchedule, CostIsTheMedianOfPairs) {
  StepSchedule s({.warmup_steps = 0, .steps = 9, .measure_cost = true});
  // a slow drift of the machine hits both halves of a pair: 2 % stay 2 %
  play(s, [](StepKind kind, int n) { return 1e6 * (1 + n / 2 * 0.1) * (kind == StepKind::traced ? 1.02 : 1.0); });
  EXPECT_NEAR(s.cost().ratio, 0.02, 1e-12);
  EXPECT_NEAR(s.cost().noise_ratio, 0, 1e-12);
}

}  // namespace
}  // namespace profiler
