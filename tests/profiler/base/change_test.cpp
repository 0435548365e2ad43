// SPDX-License-Identifier: Apache-2.0
// What a change is called when it is there, and when it is not: simulated processes with the noise measured on a busy
// machine.
#include "profiler/base/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace profiler {
namespace {

/// Processes of one program whose times spread by `noise`; of 100, `disturbed` take a fifth longer.
std::vector<double> processes(std::mt19937& random, int count, double ns, double noise, double disturbed = 0) {
  std::normal_distribution<double> spread(0, noise);
  std::bernoulli_distribution outlier(disturbed);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(ns * std::exp(spread(random)) * (outlier(random) ? 1.2 : 1));
  return times;
}

struct Counts {
  int same = 0, faster = 0, slower = 0, unsure = 0;
  void add(ChangeClass c) {
    ++(c == ChangeClass::same ? same : c == ChangeClass::faster ? faster : c == ChangeClass::slower ? slower : unsure);
  }
};

Counts trials(int count, int repeats, double noise, double disturbed, double factor) {
  std::mt19937 random(7);
  Counts counts;
  for (int i = 0; i < count; ++i) {
    const auto before = processes(random, repeats, 1e6, noise, disturbed);
    const auto after = processes(random, repeats, 1e6 * factor, noise, disturbed);
    counts.add(judge_change(before, after).verdict);
  }
  return counts;
}

TEST(Change, NothingIsCalledWhereNothingChanged) {
  for (const double noise : {0.001, 0.01, 0.02, 0.05, 0.2}) {
    for (const double disturbed : {0.0, 0.1}) {
      for (const int repeats : {1, 2, 3, 5, 10}) {
        if (repeats == 1 && (noise > 0.05 || disturbed > 0)) continue;  // beyond what is assumed of single processes
        const Counts c = trials(2000, repeats, noise, disturbed, 1);
        EXPECT_LE(c.faster + c.slower, 20) << noise << " " << disturbed << " " << repeats;
      }
    }
  }
}

TEST(Change, AgainstItselfIsTheSameOnceThereAreEnough) {
  const Counts c = trials(1000, 12, 0.02, 0, 1);
  EXPECT_GE(c.same, 990);
  EXPECT_EQ(c.same + c.unsure + c.faster + c.slower, 1000);
}

/// One process of ten met something that doubled its time: the plain interval is useless, the answer is not.
TEST(Change, ADisturbedProcessHidesNoSameAndMakesNoCall) {
  std::mt19937 random(5);
  Counts same, slower;
  for (int i = 0; i < 1000; ++i) {
    auto before = processes(random, 10, 1e6, 0.01);
    const auto after = processes(random, 10, 1e6, 0.01), worse = processes(random, 10, 1.08e6, 0.01);
    before[0] *= 2;
    const Change change = judge_change(before, after);
    EXPECT_TRUE(change.verdict != ChangeClass::same || change.left_out > 0);
    same.add(change.verdict);
    slower.add(judge_change(before, worse).verdict);
  }
  EXPECT_GE(same.same, 980);
  EXPECT_EQ(same.faster + same.slower, 0);
  EXPECT_EQ(slower.same, 0) << "8 % are not hidden by it either";
}

TEST(Change, FivePercentIsFound) {
  EXPECT_GE(trials(1000, 10, 0.02, 0, 1.05).slower, 950);
  EXPECT_GE(trials(1000, 10, 0.02, 0, 1 / 1.05).faster, 950);
  EXPECT_EQ(trials(1000, 10, 0.02, 0, 1.05).faster, 0);
  EXPECT_GE(trials(1000, 5, 0.01, 0, 1.05).slower, 950);
}

TEST(Change, OneProcessEachIsUnsureOfSmallChanges) {
  const std::vector<double> before{100}, slightly{106}, much{200};
  const Change small = judge_change(before, slightly), large = judge_change(before, much);
  EXPECT_EQ(small.verdict, ChangeClass::unsure);
  EXPECT_TRUE(small.noise_assumed);
  EXPECT_EQ(large.verdict, ChangeClass::slower);
  EXPECT_NEAR(large.ratio, 2, 1e-12);
  EXPECT_LT(large.low, 2);
  EXPECT_GT(large.high, 2);
}

TEST(Change, TheIntervalHoldsTheTruthNineteenTimesOfTwenty) {
  std::mt19937 random(11);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Change c = judge_change(processes(random, 8, 1, 0.03), processes(random, 8, 1.1, 0.03));
    inside += c.low <= 1.1 && 1.1 <= c.high;
  }
  EXPECT_NEAR(inside / 2000.0, 0.95, 0.03);
}

TEST(Change, PairsCancelWhatDrifts) {
  std::mt19937 random(3);
  std::vector<double> before, after;
  for (int i = 0; i < 10; ++i) {  // the machine loses 30 % meanwhile
    const double drift = 1 + 0.03 * i;
    before.push_back(100 * drift * processes(random, 1, 1, 0.01)[0]);
    after.push_back(105 * drift * processes(random, 1, 1, 0.01)[0]);
  }
  EXPECT_EQ(judge_pairs(before, after).verdict, ChangeClass::slower);
  EXPECT_EQ(judge_change(before, after).verdict, ChangeClass::unsure);
}

TEST(Change, UnknownTimesAreLeftOut) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> none{unknown, -1, 0}, some{100, unknown, 101}, pair{unknown, 100, 100};
  EXPECT_TRUE(std::isnan(judge_change(none, some).ratio));
  EXPECT_EQ(judge_change(none, some).verdict, ChangeClass::unsure);
  EXPECT_EQ(judge_change(some, some).before, 2);
  EXPECT_EQ(judge_pairs(some, pair).before, 1);
  EXPECT_TRUE(std::isnan(judge_pairs(some, none).low));
}

TEST(Change, AProcessIsItsLowerQuartile) {
  const std::vector<double> steps{10, 12, 11, 500, 13};
  EXPECT_DOUBLE_EQ(process_time_ns(steps), 11);
  EXPECT_TRUE(std::isnan(process_time_ns({})));
}

TEST(Change, AreNamed) {
  EXPECT_EQ(name(ChangeClass::same), "SAME");
  EXPECT_EQ(name(ChangeClass::unsure), "UNSURE");
  EXPECT_EQ(name(ChangeClass::faster), "FASTER");
  EXPECT_EQ(name(ChangeClass::slower), "SLOWER");
}

}  // namespace
}  // namespace profiler
