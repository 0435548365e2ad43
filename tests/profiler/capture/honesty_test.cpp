// SPDX-License-Identifier: Apache-2.0
// What can be said of the cost of profiling, and of the sizes of caches: one rule each.
#include <gtest/gtest.h>

#include <cmath>

#include "profiler/capture/capture.h"

namespace profiler {
namespace {

Honesty::Cost cost_of(double ratio, double noise) {
  Honesty h;
  h.cost_ratio = ratio, h.cost_noise_ratio = noise;
  return h.cost();
}

TEST(Honesty, ACostIsMeasuredOnlyBeyondItsNoise) {
  using Kind = Honesty::Cost::Kind;
  EXPECT_EQ(cost_of(0.05, 0.01).kind, Kind::measured);
  EXPECT_DOUBLE_EQ(cost_of(0.05, 0.01).ratio, 0.05);
  EXPECT_EQ(cost_of(0.017, 0.027).kind, Kind::within_noise) << "1.7 % +- 2.7 % is no cost";
  EXPECT_TRUE(std::isnan(cost_of(0.017, 0.027).ratio));
  EXPECT_DOUBLE_EQ(cost_of(0.017, 0.027).noise, 0.027);
  EXPECT_EQ(cost_of(-0.13, 0.02).kind, Kind::within_noise) << "tracing makes no step faster";
  EXPECT_DOUBLE_EQ(cost_of(-0.13, 0.02).noise, 0.13);
  EXPECT_EQ(cost_of(std::nan(""), 0.02).kind, Kind::unknown);
  EXPECT_EQ(cost_of(0.05, std::nan("")).kind, Kind::unknown);
}

TEST(Honesty, ASizeThatTheProbeTookFromTheSystemIsSpecified) {
  MemoryLevel level;
  level.specified_size_bytes = level.effective_size_bytes = 32 << 20;
  EXPECT_EQ(level.size_origin(), Origin::specified);
  level.effective_size_bytes = 24 << 20;
  EXPECT_EQ(level.size_origin(), Origin::measured);
}

TEST(RunInfo, AnEagerRunHasAPoolInsteadOfAnArena) {
  RunInfo run;
  EXPECT_FALSE(run.eager());
  run.arguments["graph"] = "eager";
  EXPECT_TRUE(run.eager());
  run.arguments["graph"] = "replay";
  EXPECT_FALSE(run.eager());
}

}  // namespace
}  // namespace profiler
