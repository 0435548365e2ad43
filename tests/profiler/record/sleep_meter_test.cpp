// SPDX-License-Identifier: Apache-2.0
// Sleep is told from work; steps that are too short are not looked at.
#include "profiler/record/sleep_meter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <map>
#include <utility>

namespace profiler {
namespace {

using Reading = SleepMeter::Reading;

// Readings are made here: what a machine's clocks say of a real sleep depends on its kernel and on who else runs.
TEST(SleepMeter, SleepIsWhatNeitherRunsNorWaitsForAProcessor) {
  const Reading start{1000, 500, 700, 300, 400, {}};
  const auto after = [&](int64_t thread, int64_t process, int64_t queued, int64_t others_queued = 0) {
    return SleepMeter::ratio(start, {start.wall_ns + 100,
                                     start.thread_ns + thread,
                                     start.process_ns + process,
                                     start.queued_ns + queued,
                                     start.all_queued_ns + queued + others_queued,
                                     {}});
  };
  EXPECT_DOUBLE_EQ(after(0, 0, 0), 1);           // it slept
  EXPECT_DOUBLE_EQ(after(100, 100, 0), 0);       // it worked
  EXPECT_DOUBLE_EQ(after(25, 25, 0), 0.75);      // it worked, then slept
  EXPECT_DOUBLE_EQ(after(25, 25, 75), 0);        // others had the processor
  EXPECT_DOUBLE_EQ(after(10, 100, 0), 0);        // it waited for a thread of its own
  EXPECT_DOUBLE_EQ(after(10, 60, 20), 0.2);      // a thread of its own ran, or it waited for a processor
  EXPECT_DOUBLE_EQ(after(10, 30, 0, 60), 0.1);   // it slept until a thread of its own got a processor
  EXPECT_DOUBLE_EQ(after(10, 10, 0, -50), 0.9);  // a thread ended, and its account with it
  EXPECT_DOUBLE_EQ(after(50, 300, 90), 0);       // several threads, and more than the wall
  EXPECT_TRUE(std::isnan(SleepMeter::ratio(start, start)));
}

TEST(SleepMeter, AStepWaitsAsLongAsTheThreadOfItsTeamThatWaitedLongest) {
  const Reading start{1000, 500, 700, 300, 400, {{7, 50}, {8, 0}}};
  const auto after = [&](int64_t own, std::map<int, int64_t> workers, int64_t all = 0) {
    return SleepMeter::queued_ratio(
        start, {start.wall_ns + 100, 600, 900, start.queued_ns + own, start.all_queued_ns + all, std::move(workers)});
  };
  EXPECT_DOUBLE_EQ(after(0, {{7, 50}, {8, 0}}), 0);
  EXPECT_DOUBLE_EQ(after(40, {{7, 50}, {8, 0}}), 0.4);
  EXPECT_DOUBLE_EQ(after(40, {{7, 110}, {8, 10}}), 0.6) << "a worker waited longer";
  EXPECT_DOUBLE_EQ(after(0, {{7, 50}, {8, 0}, {9, 30}}), 0.3) << "it began meanwhile";
  EXPECT_DOUBLE_EQ(after(0, {{7, 50}, {8, 0}}, 90), 0) << "a loader's thread is no member of a team";
  EXPECT_DOUBLE_EQ(after(500, {}), 1);
  EXPECT_TRUE(std::isnan(SleepMeter::queued_ratio(start, start)));
  EXPECT_TRUE(std::isnan(SleepMeter().queued_ratio()));
}

TEST(SleepMeter, StepsGiveARatio) {
  SleepMeter meter;
  for (int i = 0; i < 3; ++i) {
    meter.begin();
    const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 100;
    while (std::clock() < until) {
    }
    meter.end();
  }
  EXPECT_GE(meter.ratio(), 0);
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
