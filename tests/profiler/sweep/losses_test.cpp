// SPDX-License-Identifier: Apache-2.0
// Loss curves over seeds, by hand.
#include "profiler/sweep/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/sweep/curve.h"

namespace profiler {
namespace {

/// Two formats over three seeds: "good" falls to about 0.1, "bad" stays where it is.
Sweep trained() {
  Sweep sweep;
  sweep.request.workload = "half_training";
  sweep.request.axes = {{"preset", {"good", "bad"}}, {"seed", {"1", "2", "3"}}};
  for (const bool good : {true, false}) {
    for (int seed = 1; seed <= 3; ++seed) {
      SweepPoint point;
      point.outcome = PointOutcome::measured;
      for (int i = 0; i < 3; ++i) point.samples.push_back({i, 1e6, 5, 0.01, 0.0});
      for (SweepSample& sample : point.samples) {
        sample.losses = {
            {1, 2 + 0.1 * seed}, {2, good ? 1.0 + seed : 2 + 0.1 * seed}, {5, good ? 0.1 * seed : 2 + 0.1 * seed}};
      }
      point.found.compulsory_bytes = good ? 1000 : 500;
      sweep.points.push_back(point);
    }
  }
  return sweep;
}

TEST(SweepLosses, CurvesHaveARunPerSeedAndTheirMedian) {
  const std::vector<LossCurve> curves = loss_curves(trained());
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].label, "preset=good");
  ASSERT_EQ(curves[0].runs.size(), 3u);
  ASSERT_EQ(curves[0].median.size(), 3u);
  EXPECT_DOUBLE_EQ(curves[0].median[1].loss, 3) << "of 2, 3 and 4";
  EXPECT_DOUBLE_EQ(curves[0].median[2].loss, 0.2);
}

TEST(SweepLosses, TheFinalLossHasItsSpreadAndSaysWhoLearnedNothing) {
  const Sweep sweep = trained();
  EXPECT_EQ(last_common_steps(sweep), 5);
  const std::vector<LossCurve> curves = loss_curves(sweep);
  const FinalLoss good = final_loss(curves[0], 5), bad = final_loss(curves[1], 5);
  EXPECT_DOUBLE_EQ(good.median, 0.2);
  EXPECT_DOUBLE_EQ(good.least, 0.1);
  EXPECT_NEAR(good.most, 0.3, 1e-12);
  EXPECT_FALSE(good.stuck);
  EXPECT_TRUE(bad.stuck);
  const Table table = sweep_final_losses_table(sweep);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<double>(table.rows[0][8]), 1000);
  EXPECT_EQ(std::get<std::string>(table.rows[1][6]), "no");
}

TEST(SweepLosses, AreComparedAfterStepsThatAllHave) {
  Sweep sweep = trained();
  for (SweepSample& sample : sweep.points[4].samples) sample.losses.pop_back();
  EXPECT_EQ(last_common_steps(sweep), 2);
  EXPECT_DOUBLE_EQ(loss_after(sweep.points[0], 2), 2);
  EXPECT_TRUE(std::isnan(loss_after(sweep.points[4], 5)));
  for (SweepPoint& point : sweep.points) {
    for (SweepSample& sample : point.samples) sample.losses.clear();
  }
  EXPECT_EQ(last_common_steps(sweep), 0);
  EXPECT_TRUE(loss_curves(sweep).empty());
  EXPECT_TRUE(loss_sentences(sweep).empty());
}

TEST(SweepLosses, SeedsAreNoAxisOfALawAndLossesAreTheAnswer) {
  const Sweep sweep = trained();
  EXPECT_TRUE(sweep_series(sweep).empty()) << "nothing follows a law of seeds";
  EXPECT_EQ(sweep_headline(sweep), "Loss after 5 steps: 0.2 (preset=good), 2.2 (preset=bad)");
  const std::vector<std::string> said = sweep_sentences(sweep);
  EXPECT_TRUE(std::ranges::any_of(said, [](const std::string& s) {
    return s.starts_with("preset=bad: the loss is 2.2 (2.1 to 2.3 over 3 seeds)") &&
           s.find("does not fall") != std::string::npos;
  })) << said.front();
}

}  // namespace
}  // namespace profiler
