// SPDX-License-Identifier: Apache-2.0
// The collector's records, its bound, and its price.
#include "profiler/record/engine_collector.h"

#include <gtest/gtest.h>

#include "profiler/record/calibration.h"

namespace profiler {
namespace {

TEST(EngineCollector, NotesOpsOfASteps) {
  EngineCollector c(3);
  c.step_begin(7, 0);
  c.op_done(4, 100, 110);
  c.op_done(5, 110, 130);
  ASSERT_EQ(c.ops().size(), 2u);
  EXPECT_EQ(c.ops()[1].op, 5u);
  EXPECT_EQ(c.ops()[1].step, 7u);
  EXPECT_EQ(c.ops()[1].begin_ticks, 110);
  EXPECT_EQ(c.ops()[1].end_ticks, 130);
  EXPECT_EQ(c.room(), 1u);
}

TEST(EngineCollector, KeepsHowManyThreadsSharedEachOp) {
  EngineCollector c(16, 2);
  c.op_begin(0);
  c.op_done(0, 0, 1);
  c.op_begin(7);
  c.op_done(7, 1, 2);  // not of those that are asked for
  ASSERT_EQ(c.threads().size(), 2u);
  EXPECT_EQ(c.threads()[0], engine::largest_team())
      << "what the calling thread does by itself is on one, if that can be seen";
  EXPECT_LE(c.threads()[0], 1);
  EXPECT_EQ(c.threads()[1], 0) << "it has not run";
  EXPECT_EQ(c.ops().size(), 2u);
}

TEST(EngineCollector, CountsWhatItDrops) {
  EngineCollector c(2);
  for (uint32_t op = 0; op < 5; ++op) c.op_done(op, 0, 1);
  EXPECT_EQ(c.ops().size(), 2u);
  EXPECT_EQ(c.dropped(), 3);
  c.clear();
  EXPECT_EQ(c.room(), 2u);
  EXPECT_EQ(c.dropped(), 3);
}

// 50 ns is the budget; it is checked tightly in tests/benchmarks. Here: no lock, no allocation, no
// system call.
TEST(EngineCollector, IsCheap) {
  const double ns = measure_ns_per_traced_op();
  EXPECT_GT(ns, 0.5);
  EXPECT_LT(ns, 300);
  EXPECT_LE(sizeof(RawOp), 24u);
}

TEST(Calibration, SpinIsRepeatable) {
  const double first = measure_spin_ns(), second = measure_spin_ns();
  EXPECT_GT(first, 1e5);  // 1.5 million dependent operations take longer than 0.1 ms
  EXPECT_NEAR(first / second, 1, 0.5);
}

}  // namespace
}  // namespace profiler
