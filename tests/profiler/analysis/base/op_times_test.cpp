// SPDX-License-Identifier: Apache-2.0
// Which steps count towards an op's time.
#include <gtest/gtest.h>

#include "profiler/analysis/base/op_times.h"
#include "profiler/capture/capture.h"
#include "tests/support/op_lab.h"
#include "tests/support/rank_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

TEST(OpTimes, WarmUpAndUntracedStepsDoNotCount) {
  tests::OpLab lab;  // the warm-up step takes ten times as long
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 0, 1000, 0.1);
  const auto times = op_times(*lab.finish());
  EXPECT_EQ(times[0].ns.samples, 5);
  EXPECT_DOUBLE_EQ(times[0].ns.median, 1000);
  EXPECT_DOUBLE_EQ(times[0].ns.mad, 50) << "900, 950, 1000, 1050, 1100";
}

TEST(OpTimes, SampleCaptureMedians) {
  const auto times = op_times(*tests::sample_capture());
  for (OpId op = 0; op < tests::SampleOps::count; ++op) {
    if (op == tests::SampleOps::flatten) continue;
    EXPECT_EQ(times[op].ns.samples, 3);
    std::vector<double> expected;
    for (const uint32_t step : {1u, 2u, 4u}) expected.push_back(static_cast<double>(tests::sample_op_ns(op, step)));
    EXPECT_DOUBLE_EQ(times[op].ns.median, median(expected));
  }
  EXPECT_EQ(times[tests::SampleOps::flatten].ns.samples, 0);
}

TEST(OpTimes, PiecesOfOneStepAddUp) {
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 0, 1000);
  for (const uint32_t step : {2u, 3u, 4u, 5u, 6u}) {
    Activity a;  // a second piece of op 0 in each traced step, long after
    a.start_ns = 1000000000 + step;
    a.duration_ns = 500;
    a.op = 0;
    a.step = step;
    lab.builder().add_activity(a);
  }
  const auto capture = lab.finish();
  const auto times = op_times(*capture);
  EXPECT_EQ(times[0].ns.samples, 5);
  EXPECT_DOUBLE_EQ(times[0].ns.median, 1500);
}

TEST(OpTimes, CaptureWithoutStepsKeepsWhatThereIs) {
  CaptureBuilder b;
  OpRecord op;
  op.name = op.type = op.kernel = b.intern("relu");
  b.add_op(op, {});
  Activity a;
  a.duration_ns = 700;
  a.op = 0;
  a.step = kNoStep;
  b.add_track({});
  b.add_activity(a);
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_DOUBLE_EQ(op_times(**capture)[0].ns.median, 700);
}

TEST(OpTimes, AnOpOfOneStepInTwentyHasAnIntervalAroundItsMean) {
  for (const uint32_t ranks : {1u, 2u}) {
    tests::RankLab lab(ranks, 20, 2000);
    const OpId rare = lab.op("rare"), usual = lab.op("usual");
    lab.host(rare, {ranks - 1, 7, 0, 1000});
    for (uint32_t step = 0; step < 20; ++step) lab.host(usual, {0, step, 1100, step % 2 == 0 ? 90 : 110});
    const auto times = op_times(*lab.finish());
    EXPECT_DOUBLE_EQ(times[rare].ns.median, 50'000);
    EXPECT_EQ(times[rare].ns.low, 0);
    EXPECT_NEAR(times[rare].ns.high, 50'000 + 2.093 * 50'000, 100) << "t(19) x 50 us";
    EXPECT_DOUBLE_EQ(times[rare].ns.mad, 50'000);
    EXPECT_DOUBLE_EQ(times[usual].ns.median, 100'000);
    EXPECT_LT(times[usual].ns.low, 100'000);
    EXPECT_GT(times[usual].ns.low, 95'000);
    EXPECT_LT(times[usual].ns.high, 105'000);
    EXPECT_DOUBLE_EQ(times[usual].ns.mad, 10'000);
  }
}

}  // namespace
}  // namespace profiler
