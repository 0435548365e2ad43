// SPDX-License-Identifier: Apache-2.0
// Sleep is told from work; steps that are too short are not looked at.
#include "profiler/record/sleep_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace profiler {
namespace {

TEST(SleepMeter, AThreadThatSleepsIsSeen) {
  SleepMeter meter;
  for (int i = 0; i < 3; ++i) {
    meter.begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    meter.end();
  }
  EXPECT_GT(meter.ratio(), 0);
  EXPECT_LE(meter.ratio(), 1);
}

TEST(SleepMeter, WithoutAStepNothingIsKnown) {
  EXPECT_TRUE(std::isnan(SleepMeter().ratio()));
  EXPECT_FALSE(SleepMeter::looks_at(1e3));
  EXPECT_FALSE(SleepMeter::looks_at(std::nan("")));
  EXPECT_TRUE(SleepMeter::looks_at(1e6));
}

}  // namespace
}  // namespace profiler
