// SPDX-License-Identifier: Apache-2.0
// Which way is faster, on a clock that the test sets: disturbed runs do not decide, and where they would, nothing is
// settled.
#include "engine/kernels/core/shortest_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace engine::cpu {
namespace {

/// Ways that only move a clock; `turns` says who ran when.
class Machine {
 public:
  /// Run k of a way takes taken[k], the last one from then on; `preempts`: and loses the processor where it takes more
  /// than the least.
  std::function<void()> way(std::vector<int64_t> taken, bool preempts = false) {
    const int64_t least = *std::ranges::min_element(taken);
    return [this, taken = std::move(taken), preempts, least, number = ways_++, run = size_t{0}]() mutable {
      const int64_t ns = taken[std::min(run++, taken.size() - 1)];
      now_ += ns;
      if (preempts && ns > least) ++preemptions_;
      turns.push_back(number);
    };
  }
  ShortestRuns measure(const std::vector<std::function<void()>>& ways) {
    return shortest_runs(ways, {.now_ns = [this] { return now_; }, .preemptions = [this] { return preemptions_; }});
  }
  int64_t count(int number) const { return std::ranges::count(turns, number); }
  std::vector<int> turns;

 private:
  int64_t now_ = 0, preemptions_ = 0;
  int ways_ = 0;
};

TEST(ShortestRuns, TakeTurnsAndAreTheLeast) {
  Machine machine;
  const ShortestRuns runs = machine.measure({machine.way({900'000, 800'000}), machine.way({700'000}), nullptr});
  EXPECT_EQ(runs.ns[0], 800'000);
  EXPECT_EQ(runs.ns[1], 700'000);
  EXPECT_TRUE(std::isnan(runs.ns[2]));
  EXPECT_TRUE(runs.settled);
  EXPECT_EQ(machine.turns, (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(ShortestRuns, AreMoreWhereTheyAreShortAndFewerWhereTheyAreLong) {
  Machine machine;
  EXPECT_TRUE(machine.measure({machine.way({1000}), machine.way({100'000'000})}).settled);
  EXPECT_EQ(machine.count(0), 50);
  EXPECT_EQ(machine.count(1), 2);
}

// The probe of 22 Nov 2026 on a busy machine: two runs of 8 ms, a scheduler's slice, made a kernel of 0.6 ms the
// slowest for good.
TEST(ShortestRuns, OfABusyMachineGoOnUntilTwoWereLeftAlone) {
  Machine machine;
  const ShortestRuns runs = machine.measure({machine.way({8'600'000, 8'600'000, 8'500'000, 8'600'000, 8'600'000,
                                                          8'600'000, 8'600'000, 600'000, 8'600'000, 600'000},
                                                         true),
                                             machine.way({900'000})});
  EXPECT_EQ(runs.ns[0], 600'000);
  EXPECT_TRUE(runs.settled);
  EXPECT_EQ(machine.count(0), 10);
  EXPECT_EQ(machine.count(1), 5);
}

TEST(ShortestRuns, ThatNeverAgreeSettleNothing) {
  Machine machine;
  std::vector<int64_t> growing;
  for (int64_t k = 0; k < 500; ++k) growing.push_back(k == 0 ? 100'000 : 8'000'000);
  const ShortestRuns once = machine.measure({machine.way(growing), machine.way({700'000})});
  EXPECT_EQ(once.ns[0], 100'000);
  EXPECT_FALSE(once.settled);
  EXPECT_LE((machine.count(0) - 1) * 8, 110);  // a tenth of a second
  Machine slow;
  EXPECT_FALSE(slow.measure({slow.way({100'000'000, 150'000'000})}).settled);
  EXPECT_EQ(slow.count(0), 4);
  Machine busy;  // each run loses the processor but one
  std::vector<int64_t> slices{600'000};
  slices.resize(500, 8'600'000);
  EXPECT_FALSE(busy.measure({busy.way(slices, true)}).settled);
}

}  // namespace
}  // namespace engine::cpu
