// SPDX-License-Identifier: Apache-2.0
// Launches by op: every kernel of the capture in one row, with its grid, block and threads.
#include "profiler/analysis/gpu/launches.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Launches, OfOneOpAreItsRowsOfAll) {
  const auto capture = tests::sample_gpu_capture();
  const std::vector<LaunchRow> all = launch_rows(*capture);
  for (const OpId op : {OpId{0}, OpId{1}}) {
    const std::vector<LaunchRow> own = launch_rows(*capture, op);
    ASSERT_EQ(own.size(), 1u);
    EXPECT_EQ(own[0].op, op);
    EXPECT_EQ(own[0].launches, all[op].launches);
    EXPECT_EQ(own[0].total_ns, all[op].total_ns);
  }
  EXPECT_TRUE(launch_rows(*capture, 7).empty());
}

/// One op that took 1 to 100 us in the timed steps, and 1 s in the warm-up and in an untraced step.
CaptureBuilder hundred_runs() {
  CaptureBuilder b;
  OpRecord op;
  op.name = b.intern("relu1"), op.type = b.intern("relu");
  b.add_op(op, {});
  const TrackId track = b.track(TrackKind::host_thread, "main", "Host");
  for (uint32_t step = 0; step < 102; ++step) {
    const bool warmup = step == 0, untraced = step == 101;
    const int64_t ns = warmup || untraced ? 1'000'000'000 : 1000 * int64_t{101 - step};  // the longest first
    b.add_step({.index = step,
                .start_ns = step * int64_t{2'000'000'000},
                .duration_ns = ns,
                .traced = !untraced,
                .warmup = warmup});
    b.add_activity({.start_ns = step * int64_t{2'000'000'000},
                    .duration_ns = ns,
                    .name = op.name,
                    .op = 0,
                    .step = step,
                    .track = track,
                    .kind = ActivityKind::op});
  }
  return b;
}

TEST(Quantiles, OfAHundredRunsByHand) {
  const auto capture = *hundred_runs().finish();
  const Table table = quantiles_table(*capture);
  ASSERT_EQ(table.rows.size(), 1u);
  const auto number = [&](const char* key) {
    const auto at = std::ranges::find(table.columns, key, &Column::key);
    return at == table.columns.end() ? -1
                                     : std::get<double>(table.rows[0][static_cast<size_t>(at - table.columns.begin())]);
  };
  EXPECT_EQ(number("count"), 100);
  EXPECT_NEAR(number("p50_ns"), 50'500, 1e-6);
  EXPECT_NEAR(number("p99_ns"), 99'010, 1e-6);
  EXPECT_NEAR(number("p1_ns"), 1'990, 1e-6);
  EXPECT_EQ(number("longest_ns"), 100'000);
  EXPECT_EQ(quantiles_sentences(*capture).size(), 2u);
}

TEST(Quantiles, OpsFollowOneAnotherOnOneDeviceAlone) {
  EXPECT_TRUE(quantiles_sentences(*tests::sample_gpu_capture()).empty());
  CaptureBuilder b = hundred_runs();
  TensorRecord t;
  t.name = b.intern("t"), t.shape = {1}, t.strides = {1}, t.size_bytes = 4;
  OpRecord copy;
  copy.name = b.intern("copy"), copy.type = b.intern("to_device");
  const TensorId x = b.add_tensor(t), y = b.add_tensor(t);
  const OpId op = b.add_op(copy, {{.tensor = x}, {.tensor = y, .output = true}});
  b.set_attributes(op, {{"to", std::string("sim:0")}});
  EXPECT_TRUE(quantiles_sentences(**b.finish()).empty());
}

}  // namespace
}  // namespace profiler
