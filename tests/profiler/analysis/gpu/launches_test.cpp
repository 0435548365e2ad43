// SPDX-License-Identifier: Apache-2.0
// Launches by op: every kernel of the capture in one row, with its grid, block and threads.
#include "profiler/analysis/gpu/launches.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/duration_quantiles.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

TEST(Launches, AddUpToAllKernelsAndCountThreads) {
  const auto capture = tests::sample_gpu_capture();
  const std::vector<LaunchRow> rows = launch_rows(*capture);
  int64_t launches = 0;
  for (const LaunchRow& row : rows) launches += row.launches;
  EXPECT_EQ(launches, static_cast<int64_t>(capture->gpu().kernels.size()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op, 0U);
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_DOUBLE_EQ(rows[0].total_ns, 2 * 30'000);
  for (const LaunchRow& row : rows) {
    const bool known = row.grid[0] >= 0 && row.block[0] >= 0;
    EXPECT_EQ(known, !std::isnan(row.threads()));
  }
}

TEST(Launches, MultiplyGridAndBlockAndLeaveUnknownOnesUnknown) {
  LaunchRow row;
  EXPECT_TRUE(std::isnan(row.blocks()));
  EXPECT_EQ(extent_words(row.grid), "");
  row.grid = {564, 1, 1};
  EXPECT_DOUBLE_EQ(row.blocks(), 564);
  EXPECT_TRUE(std::isnan(row.threads()));
  row.block = {128, 2, 1};
  EXPECT_DOUBLE_EQ(row.threads(), 564 * 256);
  EXPECT_EQ(extent_words(row.block), "128 x 2 x 1");
}

TEST(Quantiles, AscendAndCountTheTimedRuns) {
  const Table table = quantiles_table(*tests::sample_gpu_capture());
  ASSERT_FALSE(table.rows.empty());
  for (const auto& row : table.rows) {
    for (size_t i = 4; i < row.size(); ++i) EXPECT_LE(std::get<double>(row[i - 1]), std::get<double>(row[i]));
  }
}

}  // namespace
}  // namespace profiler
