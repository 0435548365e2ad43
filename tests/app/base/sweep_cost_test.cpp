// SPDX-License-Identifier: Apache-2.0
// The cost of a sweep by hand: steps, processes and start-up of each point, at both ends of the base.
#include "app/base/sweep_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/base/sweep_child.h"

namespace app {
namespace {

SweepCost two_points() {
  SweepCost cost;
  cost.points = 3, cost.least_samples = 3, cost.most_samples = 10;
  // 50 steps of 1 ms in 0.25 s: 0.2 s beside them, as predicted; 5 steps of 0.4 s in 2.4 s: 0.4 s, twice as predicted
  cost.base = {{"batch=1", 50, 1e6, 1e6, 0.25}, {"batch=512", 5, 4e8, 2e8, 2.4}};
  return cost;
}

TEST(SweepCost, IsStepsTimesProcessesTimesPoints) {
  const std::vector<double> predicted{1e6, 1e7, 2e8};
  EXPECT_EQ(steps_for(1e6), 50);
  EXPECT_EQ(steps_for(1e7), 50);
  EXPECT_EQ(steps_for(2e8), 5);
  SweepCost cost = two_points();
  estimate(cost, predicted);
  const double steps_s = 50 * 1e-3 + 50 * 1e-2 + 5 * 0.2;
  EXPECT_NEAR(cost.low_s, 3 * (3 * 0.2 + steps_s), 1e-9);
  EXPECT_NEAR(cost.high_s, 10 * (3 * 0.4 + 2 * steps_s), 1e-9);
  EXPECT_NEAR(cost.likely_s, 3 * (3 * 0.3 + std::sqrt(2) * steps_s), 1e-9);
  const std::string words = sweep_cost_words(cost);
  EXPECT_NE(words.find("3 points, 3 to 10 processes each."), std::string::npos) << words;
  EXPECT_NE(words.find("batch=512: 5 steps of 400 ms (2 times the prediction)"), std::string::npos) << words;
}

/// Nobody waits for a point of minutes to hear what a sweep takes.
TEST(SweepCost, IsBasedOnPointsThatEndSoon) {
  using Places = std::vector<size_t>;
  EXPECT_EQ(base_places({5e6, 1e6, 9e6}, 0), (Places{1, 2}));
  EXPECT_EQ(base_places({5e6, 1e6, 100e9}, 0), (Places{1, 0}));  // 100 s a step
  EXPECT_EQ(base_places({200e9, 100e9}, 1), (Places{1}));        // the quickest in any case
  EXPECT_EQ(base_places({1e6, 2e9}, 4), (Places{0, 1}));
  EXPECT_EQ(base_places({1e6, 2e9}, 6), (Places{0}));
}

TEST(SweepCost, TakesTheStepsThatAreAskedFor) {
  SweepCost cost = two_points();
  cost.steps = 200;
  estimate(cost, {1e6, 2e8});
  EXPECT_NEAR(cost.low_s, 3 * (2 * 0.2 + 200 * (1e-3 + 0.2)), 1e-9);
}

TEST(SweepCost, IsUnknownWithoutPredictions) {
  SweepCost cost = two_points();
  estimate(cost, {1e6, std::numeric_limits<double>::quiet_NaN(), 1});
  EXPECT_TRUE(std::isnan(cost.likely_s));
  EXPECT_NE(sweep_cost_words(cost).find("roofs of this machine are unknown"), std::string::npos);
  SweepCost none;
  none.out_of_memory = 2;
  estimate(none, {});
  EXPECT_NE(sweep_cost_words(none).find("no point fits into memory"), std::string::npos);
}

}  // namespace
}  // namespace app
