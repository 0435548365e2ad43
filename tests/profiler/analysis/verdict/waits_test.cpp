// SPDX-License-Identifier: Apache-2.0
// Waiting as a verdict of its own: for a loader's lanes, in turn or ahead, for other tools' loaders, and asleep; and
// what it does to findings.
#include "profiler/analysis/verdict/waits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/lane_names.h"
#include "tests/support/op_lab.h"
#include "tests/support/rank_lab.h"

namespace profiler {
namespace {

using tests::OpLab;

constexpr double kStepNs = 100e6;

/// A loading op of `load_ns` and a triad at DRAM's roof that takes the rest of the step; lanes by name, each once per
/// step.
class LoadingLab : public OpLab {
 public:
  LoadingLab(double load_ns, const std::vector<std::pair<std::string, double>>& lanes, int threads = 2)
      : OpLab(threads) {
    builder().add_track({});
    const int64_t bytes = 64 * kMiB;
    loading_ = op("load_batch", {}, {tensor(1 << 16)}, 0, load_ns);
    computing_ = op("scaled_add", {tensor(bytes), tensor(bytes)}, {tensor(bytes)}, 0, kStepNs - load_ns);
    for (const auto& [name, ns] : lanes) {
      const TrackId track = builder().add_track({TrackKind::host_thread, name, std::string(kLoaderGroup)});
      // OpLab's first step takes ten times as long.
      for (int step = 0; step < 6; ++step) {
        Activity span;
        span.start_ns = static_cast<int64_t>(1000 + (10 + step) * kStepNs) + 10;
        span.duration_ns = static_cast<int64_t>(ns);
        span.track = track;
        span.op = loading_;
        span.kind = ActivityKind::range;
        span.name = builder().intern(name);
        builder().add_activity(span);
      }
    }
  }
  OpId loading() const { return loading_; }

 private:
  OpId loading_ = 0, computing_ = 0;
};

std::shared_ptr<const Analyzed> slow_reader() {
  LoadingLab lab(81e6, {{"read", 99e6}, {"decode", 5e6}, {"wait for data", 80e6}, {"copy", 1e6}});
  return analyze(lab.finish());
}

TEST(Waits, AStepThatWaitsForItsReaderIsJudgedSoFirst) {
  const auto a = slow_reader();
  EXPECT_NEAR(a->waits.ratio(), 0.8, 0.01);
  EXPECT_EQ(a->waits.what, "read");
  EXPECT_EQ(a->step.bound, Bound::waiting) << headline(a->step);
  EXPECT_TRUE(a->step.firm);
  EXPECT_NEAR(a->step.next_speedup, 5, 0.1);
  EXPECT_EQ(a->verdicts[0].bound, Bound::waiting) << headline(a->verdicts[0]);
  EXPECT_EQ(a->verdicts[1].bound, Bound::memory) << "the rest is judged as ever";
  const Summary s = summary(*a);
  EXPECT_EQ(s.limiters.front().bound, Bound::waiting);
  EXPECT_TRUE(s.sentence.starts_with("The step waits for data 80 %")) << s.sentence;
  EXPECT_NE(s.sentence.find("lane read limits"), std::string::npos) << s.sentence;
  EXPECT_NE(s.sentence.find(" of its time (median of "), std::string::npos)
      << "another statistic than the shares of ops, so it is named: " << s.sentence;
  EXPECT_NE(s.sentence.find("Of the rest: "), std::string::npos) << s.sentence;
  EXPECT_NE(s.advice.find("lane read"), std::string::npos) << s.advice;
  EXPECT_EQ(s.sentence.find("overhead"), std::string::npos) << s.sentence;
}

TEST(Waits, ItComesFirstThoughSomethingElseTakesLonger) {
  LoadingLab lab(31e6, {{"read", 99e6}, {"wait for data", 30e6}, {"copy", 1e6}});
  const auto a = analyze(lab.finish());
  EXPECT_EQ(a->step.bound, Bound::waiting);
  EXPECT_EQ(summary(*a).limiters.front().bound, Bound::waiting) << "30 % against 69 % of DRAM bandwidth";
}

TEST(Waits, AStepThatReadsItselfWaitsForItsReader) {
  LoadingLab lab(61e6, {{"read", 55e6}, {"decode", 5e6}, {"copy", 1e6}});
  lab.builder().run().arguments["overlap"] = "off";
  const auto a = analyze(lab.finish());
  EXPECT_EQ(a->step.bound, Bound::waiting);
  EXPECT_EQ(a->waits.what, "read");
  EXPECT_NEAR(a->waits.data_ns, 60e6, 1e5) << "reading and decoding; copying is the op's own work";
  const auto list = findings(*a);
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.front().rule, "input-bound");
  ASSERT_TRUE(list.front().change);
  EXPECT_EQ(list.front().change->flag(), "--set overlap=on");
}

TEST(Waits, AShortWaitIsNoVerdict) {
  LoadingLab lab(6e6, {{"read", 50e6}, {"wait for data", 5e6}, {"copy", 1e6}});
  const auto a = analyze(lab.finish());
  EXPECT_NE(a->step.bound, Bound::waiting);
  EXPECT_EQ(a->verdicts[0].bound, Bound::waiting) << "the op alone does: it is most of its time";
}

TEST(Waits, WhatComputesFasterWaitsLonger) {
  for (const RunFinding& f : findings(*slow_reader())) {
    if (f.rule != "input-bound") {
      EXPECT_LE(f.gain_ns, 1.01e6) << f.rule << ": the lane read takes 99 ms of a step of 100";
    } else {
      EXPECT_NEAR(f.gain_ns, 80e6, 1e6) << "at most: then copy and compute set the pace";
    }
  }
}

TEST(Waits, SleepOfAllThreadsIsSeenWithoutALoader) {
  OpLab lab;
  lab.op("scaled_add", {lab.tensor(1 << 20), lab.tensor(1 << 20)}, {lab.tensor(1 << 20)}, 0, 10e6);
  lab.builder().honesty().asleep_ratio = 0.6;
  const auto a = analyze(lab.finish());
  EXPECT_EQ(a->step.bound, Bound::waiting);
  EXPECT_EQ(a->step.level, "sleep");
  EXPECT_TRUE(summary(*a).sentence.starts_with("No thread of the program runs for 6")) << summary(*a).sentence;
}

TEST(Waits, UnknownSleepIsNoSleep) {
  OpLab lab;
  lab.op("scaled_add", {lab.tensor(1 << 20), lab.tensor(1 << 20)}, {lab.tensor(1 << 20)}, 0, 10e6);
  EXPECT_NE(analyze(lab.finish())->step.bound, Bound::waiting) << "asleep_ratio is NaN";
}

/// Ranks of 12 steps of 1000 us, the first two of warm-up, that fetch for `us` in each; warm-up ten times as long at
/// least.
std::shared_ptr<const Capture> fetching_ranks(uint32_t ranks, int64_t us, bool gpu) {
  tests::RankLab lab(ranks, 12, 1000, 2);
  const OpId fetch = lab.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
             inner = lab.op("DataLoader fetch"), mm = lab.op("aten::mm");
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (uint32_t step = 0; step < 12; ++step) {
      const int64_t fetching = step < 2 ? 900 : us;
      lab.host(fetch, {rank, step, 10, fetching});
      lab.host(inner, {rank, step, 10 + fetching / 2, fetching / 2});  // within the other
      lab.host(mm, {rank, step, 950, 40});
      if (gpu) lab.kernel("sgemm", {rank, step, 950, 40}, mm);
    }
  }
  return lab.finish();
}

TEST(Waits, FetchesOfSeveralRanksAreThoseOfOne) {
  for (const uint32_t ranks : {1u, 2u, 8u}) {
    for (const bool gpu : {false, true}) {
      const auto a = analyze(fetching_ranks(ranks, 50, gpu));
      EXPECT_DOUBLE_EQ(fetching_ns(*a->capture), 50'000)
          << ranks << " ranks: not their sum, not the warm-up, nested fetches once";
      EXPECT_NEAR(a->waits.ratio(), 0.05, 1e-9) << ranks;
      EXPECT_NE(a->step.bound, Bound::waiting) << ranks << " ranks: " << headline(a->step);
    }
    EXPECT_EQ(analyze(fetching_ranks(ranks, 600, false))->step.bound, Bound::waiting) << ranks;
  }
}

TEST(Waits, EachFetchingOpHasItsOwnWait) {
  const auto a = analyze(fetching_ranks(2, 600, false));
  for (const OpId op : fetching_ops(*a->capture)) {
    EXPECT_DOUBLE_EQ(a->waits.op_ns[op], a->times[op].ns.median);
    EXPECT_DOUBLE_EQ(a->waits.op_ns[op], 2 * 300'000.0) << "half of it each, of two ranks, as ops are timed";
  }
}

TEST(Waits, ARankThatFetchesNowAndThenSeldomWaits) {
  tests::RankLab lab(2, 10, 1000);
  const OpId fetch = lab.op("enumerate(DataLoader)");
  for (const uint32_t rank : {0u, 1u}) lab.host(fetch, {rank, 3, 0, 900});
  EXPECT_EQ(fetching_ns(*lab.finish()), 0) << "the median of ten steps";
}

TEST(Waits, OneStepWithoutAGpusWorkDoesNotMakeTheOthersWait) {
  tests::RankLab lab(1, 12, 1000, 2);
  const OpId fetch = lab.op("enumerate(DataLoader)"), mm = lab.op("aten::mm");
  for (uint32_t step = 0; step < 12; ++step) {
    lab.host(fetch, {0, step, 10, 600});
    if (step == 11) lab.kernel("sgemm", {0, step, 10, 1}, mm);  // idle for all but 1 us
    else lab.kernel("sgemm", {0, step, 0, 950}, mm);
  }
  const auto capture = lab.finish();
  EXPECT_NEAR(gpu_idle_step_ns(*capture), 50'000, 1) << "the median step; together they are idle for 14 %";
  EXPECT_GT(gpu_idle_ratio(*capture), 0.13);
  EXPECT_NEAR(analyze(capture)->waits.data_ns, 50'000, 1) << "the host's wait counts as far as no GPU works";
}

TEST(Waits, SleepBesideAGpuSaysNothing) {
  for (const uint32_t ranks : {1u, 2u}) {
    tests::RankLab lab(ranks, 6, 1000);
    const OpId mm = lab.op("aten::mm");
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      for (uint32_t step = 0; step < 6; ++step) lab.kernel("sgemm", {rank, step, 10, 980}, mm);
    }
    lab.builder().honesty().asleep_ratio = 0.9;  // its driver blocks
    const auto a = analyze(lab.finish());
    EXPECT_EQ(a->waits.what, "");
    EXPECT_EQ(a->waits.asleep_ns, 0);
    EXPECT_NE(a->step.bound, Bound::waiting) << headline(a->step);
  }
}

}  // namespace
}  // namespace profiler
