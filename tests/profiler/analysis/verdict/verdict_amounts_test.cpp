// SPDX-License-Identifier: Apache-2.0
// How firm verdicts are where more or fewer bytes may move than modelled, and what simulated misses in far steps say.
#include <gtest/gtest.h>

#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "tests/profiler/analysis/verdict/verdict_ops.h"

namespace profiler {
namespace {

TEST(VerdictAmounts, AWorkingSetOfAboutACachesSizeIsNotFirm) {
  const auto triad = [](int64_t array_bytes, double gb_per_s = 80) {
    OpLab lab;  // L3: 32 MiB, 80 GB/s
    const auto a = lab.tensor(array_bytes), b = lab.tensor(array_bytes), c = lab.tensor(array_bytes);
    lab.op("scaled_add", {a, b}, {c}, 0, 4.0 * static_cast<double>(array_bytes) / gb_per_s / 0.95, 0.001);
    return verdict_of(lab);
  };
  const Verdict small = triad(5 * OpLab::kMiB);
  EXPECT_EQ(small.level, "L3") << all(small);
  EXPECT_TRUE(small.firm) << all(small);
  EXPECT_EQ(all(small).find("More may move"), std::string::npos);
  const Verdict near = triad(10 * OpLab::kMiB);
  EXPECT_EQ(near.level, "L3") << all(near);
  EXPECT_FALSE(near.firm) << all(near);
  EXPECT_NE(all(near).find("More may move than that, as much as 41.9 MB from DRAM"), std::string::npos) << all(near);
  EXPECT_NE(all(near).find("of 32 corners"), std::string::npos) << all(near);
  // LRU holds nothing of it from step to step; what processors do may hold much, and here has.
  const Verdict beyond = triad(12 * OpLab::kMiB);
  EXPECT_EQ(beyond.level, "L3") << all(beyond);
  EXPECT_FALSE(beyond.firm) << all(beyond);
  EXPECT_NE(all(beyond).find("stayed in it and are left out"), std::string::npos) << all(beyond);
  EXPECT_NE(all(beyond).find("as much as 50.3 MB from DRAM"), std::string::npos) << all(beyond);
  const Verdict slower = triad(12 * OpLab::kMiB, 20);
  EXPECT_EQ(slower.level, "DRAM") << all(slower);
  EXPECT_FALSE(slower.firm) << all(slower);
  EXPECT_NE(all(slower).find("Less may move than that, as little as 0 B from DRAM"), std::string::npos) << all(slower);
}

TEST(VerdictAmounts, WhatIsReadOnceDoesNotStayBecauseAnotherOperandMay) {
  OpLab lab;  // L3: 32 MiB
  const auto near = lab.tensor(34 * OpLab::kMiB), far = lab.tensor(300 * OpLab::kMiB);
  lab.op("relu", {near}, {});
  const OpId both =
      lab.op("scaled_add", {near, far}, {}, 0, 334.0 * OpLab::kMiB / 20 / 2, 0.001);  // twice as fast as DRAM
  const Verdict v = verdict_of(lab, both);
  EXPECT_EQ(v.bound, Bound::inconsistent) << all(v);
}

TEST(VerdictAmounts, BetweenAProbedAndAClaimedSizeNothingIsFirm) {
  const auto triad = [](int64_t claimed) {
    OpLab lab;  // L3: 32 MiB probed
    lab.builder().machine().levels[2].specified_size_bytes = claimed;
    const int64_t array_bytes = 16 * OpLab::kMiB;
    const auto a = lab.tensor(array_bytes), b = lab.tensor(array_bytes), c = lab.tensor(array_bytes);
    lab.op("scaled_add", {a, b}, {c}, 0, 4.0 * static_cast<double>(array_bytes) / 20 / 0.95, 0.001);
    return verdict_of(lab);
  };
  EXPECT_TRUE(triad(32 * OpLab::kMiB).firm) << all(triad(32 * OpLab::kMiB));
  EXPECT_FALSE(triad(48 * OpLab::kMiB).firm) << all(triad(48 * OpLab::kMiB));
  EXPECT_TRUE(triad(128 * OpLab::kMiB).firm) << "the probe saw less than half of it: so much there is";
}

/// A product on one thread that takes 10 ms, whose simulated misses in L3 are `far` steps of 16 KiB, and a few others.
Verdict verdict_of_steps(double far, double bytes_from_l3 = 3e6) {
  OpLab lab(1);
  const OpLab::Options square{.shape = {512, 512}};
  const int64_t bytes = 512 * 512 * 4;
  lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, 1e6, 10e6);
  TrafficSource source;
  source.origin = Origin::simulated;
  source.links = {{"DRAM", "L3", 32 << 20}, {"L3", "L2", 1 << 20}, {"L2", "L1", 32768}, {"L1", "core", kUnknownBytes}};
  for (uint32_t link = 0; link < 4; ++link)
    source.records.push_back({.op = 0,
                              .link = link,
                              .read_bytes = link == 0 ? 0 : bytes_from_l3,
                              .written_bytes = 0,
                              .write_allocate_bytes = 0,
                              .error_band = 0.05});
  for (const uint32_t link : {1u, 2u}) source.strided.push_back({0, link, 16384, far});
  source.strided.push_back({0, 1, 256, 1e9});
  lab.builder().add_traffic(source);
  return verdict_of(lab);
}

TEST(VerdictAmounts, SimulatedMissesInFarStepsAreWaitedFor) {
  constexpr double latency = 25;  // of OpLab's L3
  const double parallel = VerdictRules::built_in()[Rule::parallel_misses];
  const Verdict none = verdict_of_steps(0);
  EXPECT_EQ(none.bound, Bound::overhead) << all(none);
  EXPECT_TRUE(none.firm) << "the simulation saw no far steps; those a prefetcher follows do not count: " << all(none);
  const Verdict most = verdict_of_steps(0.8 * 10e6 / latency * parallel);
  EXPECT_EQ(most.bound, Bound::latency) << all(most);
  EXPECT_EQ(most.level, "L3") << all(most);
  EXPECT_TRUE(most.firm) << all(most);
  const Verdict more = verdict_of_steps(3 * 10e6 / latency * parallel);
  EXPECT_EQ(more.bound, Bound::latency) << all(more);
  EXPECT_FALSE(more.firm) << "they cannot all have waited: " << all(more);
}

}  // namespace
}  // namespace profiler
