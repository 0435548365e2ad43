// SPDX-License-Identifier: Apache-2.0
// Interleaved rounds, and when a point has enough.
#include "profiler/sweep/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace profiler {
namespace {

Sweep three_points() {
  Sweep sweep;
  sweep.request.axes = {{"batch", {"1", "2", "4"}}};
  sweep.request.least_samples = 2;
  sweep.request.most_samples = 4;
  sweep.points.resize(3);
  return sweep;
}

void add(SweepPoint& point, double ns, double load = 0) {
  point.samples.push_back({static_cast<int>(point.samples.size()), ns, 5, load, 0});
}

TEST(SweepSchedule, VisitsForthAndBack) {
  Sweep sweep = three_points();
  std::vector<size_t> order;
  while (const auto next = next_point(sweep)) {
    order.push_back(*next);
    add(sweep.points[*next], 100);
  }
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 2, 1, 0}));
  EXPECT_DOUBLE_EQ(fraction_done(sweep), 1);
}

TEST(SweepSchedule, NoisyPointsGetMore) {
  Sweep sweep = three_points();
  for (SweepPoint& point : sweep.points) add(point, 100), add(point, 100);
  sweep.points[1].samples[1].step_ns = 120;
  EXPECT_EQ(next_point(sweep), std::optional<size_t>(1));
  add(sweep.points[1], 110);
  EXPECT_EQ(next_point(sweep), std::optional<size_t>(1));
  add(sweep.points[1], 110);
  EXPECT_EQ(next_point(sweep), std::nullopt) << "four are the most allowed";
  EXPECT_NEAR(sample_noise(sweep.points[1], 2), std::sqrt(200.0 / 3 / 4) / 110, 1e-12);
}

TEST(SweepSchedule, ALoadIsNoReasonForMoreProcessesAndScatterIs) {
  Sweep sweep = three_points();
  add(sweep.points[0], 100, 0.9), add(sweep.points[0], 100.5, 0.9);
  EXPECT_FALSE(is_noisy(sweep.points[0], 2));
  EXPECT_TRUE(enough_samples(sweep.request, sweep.points[0])) << "0.4 % of scatter, whatever ran beside them";
  EXPECT_DOUBLE_EQ(sample_spread(sweep.points[0], 2).median, 100.25);
  add(sweep.points[1], 100), add(sweep.points[1], 300);
  EXPECT_TRUE(is_noisy(sweep.points[1], 2));
  EXPECT_FALSE(enough_samples(sweep.request, sweep.points[1])) << "a quiet machine does not make it right";
  add(sweep.points[2], 100, 0.9);
  EXPECT_FALSE(is_noisy(sweep.points[2], 2)) << "of one process no scatter is known";
}

TEST(SweepSchedule, ProcessesOfAnotherClockRateOrThatThrottledAreLeftOut) {
  Sweep sweep = three_points();
  for (SweepPoint& point : sweep.points) add(point, 100), add(point, 100), add(point, 100);
  for (SweepPoint& point : sweep.points) {
    for (SweepSample& sample : point.samples) sample.spin_ns = 50;
  }
  sweep.points[0].samples[1].spin_ns = 60;  // a clock 17 % slower: not the machine that the others measured
  sweep.points[0].samples[1].step_ns = 120;
  sweep.points[2].samples[0].throttle_events = 3;
  sweep.points[2].samples[1].throttle_events = 0;
  compare_clocks(sweep);
  EXPECT_NEAR(sweep.points[0].samples[1].clock_off_ratio, 0.2, 1e-12);
  EXPECT_TRUE(sweep.points[0].samples[1].unsteady_clock());
  EXPECT_FALSE(sweep.points[0].samples[0].unsteady_clock());
  EXPECT_DOUBLE_EQ(sample_spread(sweep.points[0], 2).high, 100) << "left out where enough others are";
  EXPECT_TRUE(sweep.points[2].samples[0].unsteady_clock());
  EXPECT_FALSE(sweep.points[2].samples[1].unsteady_clock());
  EXPECT_EQ(counted_samples(sweep.points[2], 2).size(), 2u);
  EXPECT_EQ(counted_samples(sweep.points[2], 3).size(), 3u) << "too few are left";
}

TEST(SweepSchedule, EnergyIsThatOfTheSamplesThatCount) {
  Sweep sweep = three_points();
  SweepPoint& point = sweep.points[0];
  add(point, 100), add(point, 100), add(point, 300);
  point.samples[2].throttle_events = 1;
  EXPECT_TRUE(std::isnan(step_energy_j(point, 2))) << "no counter";
  point.samples[0].step_energy_j = 2;
  point.samples[1].step_energy_j = 3;
  point.samples[2].step_energy_j = 100;
  EXPECT_DOUBLE_EQ(step_energy_j(point, 2), 2.5);
}

TEST(SweepSchedule, RefusedPointsAreDone) {
  Sweep sweep = three_points();
  sweep.points[0].outcome = PointOutcome::out_of_memory;
  sweep.points[1].outcome = PointOutcome::failed;
  EXPECT_EQ(next_point(sweep), std::optional<size_t>(2));
}

TEST(SweepSchedule, UnknownNoiseOfOneSampleEndsWhereOneIsAskedFor) {
  Sweep sweep = three_points();
  sweep.request.least_samples = 1;
  add(sweep.points[0], 100);
  EXPECT_TRUE(std::isnan(sample_noise(sweep.points[0], 1)));
  EXPECT_TRUE(enough_samples(sweep.request, sweep.points[0]));
}

TEST(SweepSchedule, CachesAreSimulatedOnceOfEveryMeasuredPointWhereThatIsAsked) {
  Sweep sweep = three_points();
  for (SweepPoint& point : sweep.points) add(point, 100), add(point, 100), point.outcome = PointOutcome::measured;
  sweep.points[1].outcome = PointOutcome::failed;
  EXPECT_EQ(next_simulation(sweep), std::nullopt) << "nobody asked";
  sweep.request.fixed = {"--mode", "inference", "--collect", "ops,simulate"};
  EXPECT_EQ(next_simulation(sweep), std::optional<size_t>(0));
  EXPECT_LT(fraction_done(sweep), 1);
  sweep.points[0].simulation = "Simulated.";
  EXPECT_EQ(next_simulation(sweep), std::optional<size_t>(2)) << "of a point that failed there is nothing";
  sweep.points[2].simulation = "Not simulated: its accesses are unknown.";
  EXPECT_EQ(next_simulation(sweep), std::nullopt) << "why not is an answer, too";
  EXPECT_DOUBLE_EQ(fraction_done(sweep), 1);
  sweep.request.fixed = {"--collect", "ops,simulated"};
  EXPECT_FALSE(sweep.request.simulates()) << "a word, not a part of one";
}

}  // namespace
}  // namespace profiler
