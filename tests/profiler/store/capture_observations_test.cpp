// SPDX-License-Identifier: Apache-2.0
// Counters, collectives, ranges, ops of unknown cost and the source of a foreign trace come back from a file as they
// were.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace profiler;

CaptureBuilder builder_with_observations() {
  CaptureBuilder b;
  b.run().workload = "trace.json";
  b.run().source = "PyTorch (Kineto) trace";
  const TrackId track = b.track(TrackKind::host_thread, "main", "python");
  OpRecord op;
  op.name = b.intern("aten::mm"), op.type = op.name, op.flops = std::numeric_limits<double>::quiet_NaN();
  const OpId id = b.add_op(op, {});
  b.add_activity(
      {.start_ns = 1000, .duration_ns = 50, .name = b.intern("forward"), .track = track, .kind = ActivityKind::range});
  b.add_activity(
      {.start_ns = 1000, .duration_ns = 50, .name = op.name, .op = id, .track = track, .kind = ActivityKind::op});
  b.add_counter({.name = b.intern("allocated"),
                 .group = b.intern("GPU 0"),
                 .unit = b.intern("B"),
                 .time_ns = {1040, 1010},
                 .value = {8, 1.5}});
  b.add_collective({.correlation = 9,
                    .operation = b.intern("allreduce"),
                    .element_type = b.intern("Float"),
                    .in_elements = 4,
                    .in_bytes = 16});
  return b;
}

TEST(CaptureObservations, ComeBackFromAFile) {
  tests::TemporaryFolder folder;
  const auto capture = builder_with_observations().finish();
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ((*capture)->counters().at(0).time_ns, (std::vector<int64_t>{1010, 1040}));
  EXPECT_EQ((*capture)->counters().at(0).value, (std::vector<double>{1.5, 8}));
  EXPECT_EQ((*capture)->activities().kind[0], ActivityKind::range) << "a range holds the op that starts with it";
  ASSERT_TRUE(save_capture(**capture, folder / "a.tide"));
  const auto again = open_capture(folder / "a.tide");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(tests::difference(**capture, **again), "");
  EXPECT_EQ((*again)->run().source, "PyTorch (Kineto) trace");
  EXPECT_EQ((*again)->collective_of(9)->in_bytes, 16);
  EXPECT_EQ((*again)->collective_of(8), nullptr);
}

TEST(CaptureObservations, UnknownCostStaysUnknownInTheAnswers) {
  const auto capture = builder_with_observations().finish();
  ASSERT_TRUE(capture);
  const Summary s = summary(*analyze(*capture));
  EXPECT_TRUE(std::isnan(s.flops));
  EXPECT_TRUE(std::isnan(s.compulsory_bytes));
}

TEST(CaptureObservations, ImpossibleOnesAreRefused) {
  CaptureBuilder uneven = builder_with_observations();
  uneven.add_counter({.time_ns = {1}, .value = {}});
  EXPECT_FALSE(uneven.finish());
  CaptureBuilder infinite = builder_with_observations();
  infinite.add_counter({.time_ns = {1}, .value = {INFINITY}});
  EXPECT_FALSE(infinite.finish());
  CaptureBuilder twice = builder_with_observations();
  twice.add_collective({.correlation = 9});
  EXPECT_FALSE(twice.finish());
}

}  // namespace
