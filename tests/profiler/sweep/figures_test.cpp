// SPDX-License-Identifier: Apache-2.0
// Predictions of points whose ops wait for themselves.
#include "profiler/sweep/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/sweep/curve.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

/// 2048 f32 are 256 vectors: 128 for each of 2 threads, 2 in flight, 5000 rounds of 1.5 ns.
std::shared_ptr<const Capture> chains(tests::OpLab& lab, double each_ns) {
  lab.builder().machine().multiply_add_ns = each_ns;
  const OpId op = lab.op("multiply_add_chain", {lab.tensor(8192)}, {lab.tensor(8192)}, 2 * 2048 * 5000.0);
  lab.builder().set_attributes(op, {{"rounds", int64_t{5000}}, {"chains", int64_t{2}}});
  return lab.finish();
}

TEST(SweepFigures, AChainIsPredictedByLatencyTimesLength) {
  tests::OpLab lab;
  const SweepFigures f = predicted_figures(*chains(lab, 1.5));
  EXPECT_DOUBLE_EQ(f.step_ns, 128 / 2 * 5000 * 1.5);
  EXPECT_EQ(f.limit, "multiply-add latency");
  EXPECT_DOUBLE_EQ(f.in_a_row, 5000);
  EXPECT_DOUBLE_EQ(f.in_all, 5000.0 * 2048);
}

TEST(SweepFigures, WithoutALatencyAChainHasNoPrediction) {
  tests::OpLab lab;
  EXPECT_TRUE(std::isnan(predicted_figures(*chains(lab, 0)).step_ns)) << "its FLOPs at the peak are no prediction";
}

TEST(SweepFigures, OfOtherOpsBesideAChainNoTimeOfEachIsKnown) {
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(8192)}, {lab.tensor(8192)}, 2048);
  EXPECT_TRUE(std::isnan(predicted_figures(*chains(lab, 1)).in_a_row));
}

TEST(SweepFigures, TheTableHasTimeOfEachAndOperationsPerSecond) {
  Sweep sweep;
  sweep.request.workload = "parallel_width";
  sweep.request.axes = {{"batch", {"16"}}};
  SweepPoint point;
  point.outcome = PointOutcome::measured;
  for (int i = 0; i < 3; ++i) point.samples.push_back({i, 2000, 5, 0.01, 0.0});
  point.found.in_a_row = 1000, point.found.in_all = 16000;
  sweep.points = {point};
  const Table table = sweep_table(sweep);
  const auto cell = [&](const char* key) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].key == key) return std::get<double>(table.rows[0][c]);
    }
    return std::nan("");
  };
  EXPECT_DOUBLE_EQ(cell("each_ns"), 2);
  EXPECT_DOUBLE_EQ(cell("operations_per_s"), 8e9);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
}

}  // namespace
}  // namespace profiler
