// SPDX-License-Identifier: Apache-2.0
// Noise is scatter: a load without scatter is none, scatter without a load is.
#include "profiler/capture/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "profiler/base/foreign_load.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

/// A run of five timed steps from 1 - jitter to 1 + jitter of 1 ms.
std::shared_ptr<const Capture> run_of(double jitter, double load) {
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 16, 1e6, jitter);
  lab.builder().honesty().foreign_load_ratio = load;
  return lab.finish();
}

TEST(Noise, TheScatterOfTheStepsDecidesAndNotTheLoad) {
  EXPECT_FALSE(noisy(*run_of(0.01, 0.9))) << "a load that did nothing";
  EXPECT_TRUE(noisy(*run_of(0.3, 0.0))) << "scatter from whatever else";
  EXPECT_FALSE(noisy(spread(std::vector<double>{100}))) << "of one step no scatter is known";
  EXPECT_FALSE(noisy(spread(std::vector<double>{})));
  EXPECT_FALSE(noisy(spread(std::vector<double>{100, 125})));
  EXPECT_TRUE(noisy(spread(std::vector<double>{100, 126})));
}

TEST(Noise, WaitingForProcessorsThatOthersHoldDisturbsAndNeitherWaitingNorLoadAlone) {
  const double unknown = std::numeric_limits<double>::quiet_NaN(), more = std::nextafter(kQueued, 1.0),
               busy = std::nextafter(kBusyLoad, 1.0);
  EXPECT_DOUBLE_EQ(1 / (1 - kQueued), kNoisyFactor) << "what waiting makes of a step at the threshold";
  EXPECT_TRUE(queued(more, busy));
  EXPECT_FALSE(queued(kQueued, 0.96)) << "at the threshold";
  EXPECT_FALSE(queued(0, 0.96)) << "a load on processors that the program did not want";
  EXPECT_FALSE(queued(0.9, kBusyLoad)) << "threads of a large team wait for each other";
  EXPECT_FALSE(queued(unknown, 0.96));
  EXPECT_FALSE(queued(0.9, unknown));
  const auto run = [](double jitter, double waited, double load) {
    tests::OpLab lab;
    lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 16, 1e6, jitter);
    lab.builder().honesty().foreign_load_ratio = load;
    lab.builder().honesty().queued_ratio = waited;
    return lab.finish();
  };
  EXPECT_FALSE(disturbed(*run(0.01, 0.01, 0.96)));
  EXPECT_TRUE(disturbed(*run(0.01, 0.48, 0.96))) << "all steps alike: no scatter tells";
  EXPECT_FALSE(noisy(*run(0.01, 0.48, 0.96)));
  EXPECT_TRUE(disturbed(*run(0.3, 0, 0)));
  EXPECT_EQ(queued_words(*run(0.01, 0.48, 0.96)),
            "Threads waited 48 % of a step for processors that other programs held, so it took longer than the program "
            "needs.");
  EXPECT_EQ(queued_words(*run(0.01, 0.48, 0.05)), "");
}

TEST(Noise, ALoadShortensTheTimeOfAnIdleMachineFromTheThresholdOn) {
  EXPECT_EQ(idle_time_ratio(kBusyLoad), 1);
  EXPECT_DOUBLE_EQ(idle_time_ratio(0.4), 0.6);
  EXPECT_EQ(idle_time_ratio(1.2), 0) << "more than all, by a clock that ticks apart";
  EXPECT_EQ(idle_time_ratio(std::numeric_limits<double>::quiet_NaN()), 1);
}

TEST(Noise, OfAProcessIsThatOfItsLowerQuartile) {
  EXPECT_TRUE(std::isnan(process_noise(std::vector<double>{100})));
  std::vector<double> steps(40, 100.0);
  EXPECT_EQ(process_noise(steps), 0);
  for (size_t i = 0; i < 16; ++i)
    steps[i] = 2000;  // waits for a slice, in 40 % of the steps: the lower quartile does not know
  EXPECT_EQ(process_noise(steps), 0);
  for (size_t i = 0; i < 30; ++i) steps[i] = 2000;  // 75 %: it may be either
  EXPECT_NEAR(process_noise(steps), 3 * std::log(20.0) / 3.92, 1e-12);
  EXPECT_EQ(process_noise(std::vector<double>{100, 100, 100, 100, 9000}), 0) << "the slowest of five";
  EXPECT_GT(process_noise(std::vector<double>{100, 100, 100, 8000, 9000}), 1) << "two of five are no accident";
  EXPECT_NEAR(process_noise(std::vector<double>{100, 110}), 3 * std::log(1.1) / 3.92, 1e-12)
      << "all that is known of two";
}

TEST(Noise, OneSentenceOnLoad) {
  EXPECT_EQ(background_load_words(0.05), "");
  EXPECT_EQ(background_load_words(kBusyLoad), "");
  EXPECT_EQ(background_load_words(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(background_load_words(0.46), "Background load: 46 % of the processors.");
  EXPECT_EQ(background_load_words(std::vector<double>{0.2, 0.01, 0.46}),
            "Background load: 20 to 46 % of the processors beside 2 of 3 processes.");
  EXPECT_EQ(background_load_words(std::vector<double>{}), "");
}

}  // namespace
}  // namespace profiler
