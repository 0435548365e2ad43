// SPDX-License-Identifier: Apache-2.0
// A part of a capture's time as a capture of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/capture/capture_builder.h"
#include "profiler/capture/timed_steps.h"
#include "tests/support/rank_lab.h"

namespace profiler {
namespace {

using tests::RankLab;

struct Lanes {
  CaptureBuilder b;
  TrackId host = b.track(TrackKind::host_thread, "main", "Host"), stream = b.track(TrackKind::stream, "7", "GPU 0");
  Activity at(int64_t begin, int64_t end, TrackId track, const char* name, uint64_t correlation = 0) {
    Activity a;
    a.start_ns = begin, a.duration_ns = end - begin;
    a.name = b.intern(name), a.track = track, a.correlation = correlation;
    a.kind = ActivityKind::range;
    return a;
  }
};

/// "name begin end" of each activity, in order.
std::string told(const Capture& c) {
  std::string text;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    const Activity a = c.activities().row(i);
    text += std::string(c.name(a.name)) + " " + std::to_string(a.start_ns) + " " +
            std::to_string(a.start_ns + a.duration_ns) + "\n";
  }
  return text;
}

TEST(Cut, WhatCrossesAnEndStaysInPartAndLaunchesStayWhole) {
  Lanes l;
  l.b.add_activity(l.at(0, 1000, l.host, "all"));
  l.b.add_api_call(l.at(10, 20, l.host, "launch before", 1), {});
  l.b.add_api_call(l.at(30, 40, l.host, "launch of what is cut", 2), {});
  l.b.add_kernel(l.at(50, 150, l.stream, "begun before", 2), {.place = {0, 1, 7}});
  l.b.add_kernel(l.at(150, 260, l.stream, "kept", 1), {.place = {0, 1, 7}, .grid = {3, 1, 1}});
  l.b.add_copy(l.at(190, 210, l.stream, "copy"), {.kind = CopyKind::host_to_device, .bytes = 76});
  l.b.add_kernel(l.at(200, 300, l.stream, "too late"), {.place = {0, 1, 7}});
  l.b.add_activity(l.at(180, 240, l.host, "over the end"));
  l.b.add_activity(l.at(300, 340, l.host, "behind"));
  CounterSeries series{.time_ns = {0, 60, 120, 180, 240}, .value = {1, 2, 3, 4, 5}};
  l.b.add_counter(series);
  const auto whole = *l.b.finish();
  const auto part = CaptureBuilder::cut(*whole, 100, 200);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(told(**part),
            "launch before 10 20\nlaunch of what is cut 30 40\nall 100 200\nbegun before 100 150\nkept 150 200\n"
            "over the end 180 200\ncopy 190 200\n");
  ASSERT_EQ((*part)->gpu().kernels.size(), 2u);
  EXPECT_EQ((*part)->gpu().kernels[1].grid[0], 3);
  ASSERT_NE((*part)->kernel_of(4), nullptr) << "records follow their activities";
  ASSERT_NE((*part)->copy_of(6), nullptr);
  EXPECT_EQ((*part)->copy_of(6)->bytes, 38) << "half of it lies inside";
  EXPECT_EQ((*part)->begin_ns(), 100) << "calls before the part do not move its begin";
  EXPECT_EQ((*part)->counters()[0].value, (std::vector<double>{2, 3, 4})) << "the value before holds until the first";
  EXPECT_EQ((*part)->counters()[0].time_ns.front(), 100);
  ASSERT_FALSE((*part)->honesty().notes.empty());
  EXPECT_EQ((*part)->honesty().notes.back().find("Range: only 100 ns to 200 ns"), 0u)
      << (*part)->honesty().notes.back();
}

TEST(Cut, StepsThatItCutsCountInNothing) {
  RankLab lab(2, 6, 100);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint32_t step = 0; step < 6; ++step) lab.kernel("k", {rank, step, 10, 50});
  }
  const auto whole = lab.finish();
  const auto windows = step_windows(*whole);
  // From within step 1 of the first rank to the end of its step 4.
  const int64_t begin = (windows[1].begin_ns + windows[1].end_ns) / 2, end = windows[4].end_ns;
  const auto part = CaptureBuilder::cut(*whole, begin, end);
  ASSERT_TRUE(part) << part.error().message;
  size_t first = 0;
  for (const StepWindow& w : timed_step_windows(**part)) {
    EXPECT_GE(w.begin_ns, begin);
    EXPECT_LE(w.end_ns, end);
    first += w.rank == 0 ? 1 : 0;
  }
  EXPECT_EQ(first, 3u) << "steps 2, 3 and 4";
  const auto within = CaptureBuilder::cut(*whole, windows[2].begin_ns + 1, windows[2].end_ns - 1);
  ASSERT_TRUE(within) << within.error().message;
  const std::vector<StepWindow> one = timed_step_windows(**within);
  ASSERT_EQ(one.size(), 2u) << "no whole step: the part is one, of each rank";
  EXPECT_EQ(one[0].begin_ns, windows[2].begin_ns + 1);
  EXPECT_EQ(one[0].duration_ns(), windows[2].duration_ns() - 2);
  EXPECT_FALSE((*within)->gpu().kernels.empty());
}

/// A GPU that is always busy, far behind its host, is so in each part of the time.
TEST(Cut, LateWorkOfAGpuLeavesNoGapsBehind) {
  RankLab lab(1, 6, 100);
  const OpId op = lab.op("mm");
  for (uint32_t step = 0; step < 6; ++step) lab.kernel("k", {0, step, 1000 * step + 50 - 100 * step, 1000}, op);
  const auto whole = lab.finish();
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{2'050'000, 4'050'000}, {1'500'000, 4'050'000}}) {
    const auto part = CaptureBuilder::cut(*whole, begin, end);
    ASSERT_TRUE(part) << part.error().message;
    const std::vector<double> steps = timed_steps_ns(**part);
    ASSERT_EQ(steps.size(), 2u);
    for (const double ns : steps) EXPECT_DOUBLE_EQ(ns, 1'000'000);
  }
  const auto within = CaptureBuilder::cut(*whole, 1'200'000, 1'900'000);
  ASSERT_TRUE(within) << within.error().message;
  ASSERT_EQ((*within)->gpu().kernels.size(), 1u) << "it began before and ends behind";
  EXPECT_EQ((*within)->activities().duration_ns[(*within)->gpu().kernels[0].activity], 700'000);
}

/// FLOPs follow the calls: rates of a part are those of the whole.
TEST(Cut, RatesStayAsTheyWere) {
  Lanes l;
  l.b.run().source = "PyTorch";
  OpRecord record;
  record.name = record.type = record.kernel = l.b.intern("mm");
  record.flops = 10e9;  // ten calls in all
  TensorRecord tensor;
  tensor.name = l.b.intern("x");
  tensor.shape = {1000}, tensor.strides = {1};
  tensor.size_bytes = 4000;
  const TensorId x = l.b.add_tensor(tensor);
  const OpId op = l.b.add_op(record, {{.tensor = x, .read_bytes = 40'000}});
  for (int i = 0; i < 10; ++i) {
    Activity a = l.at(100 * i, 100 * i + 80, l.stream, "gemm");
    a.op = op;
    l.b.add_kernel(a, {.place = {0, 1, 7}});
  }
  const auto whole = *l.b.finish();
  for (const auto& [begin, end, calls] :
       {std::tuple{100, 200, 1.0}, {100, 400, 3.0}, {140, 300, 1.5}, {190, 195, 0.0}}) {
    const auto part = CaptureBuilder::cut(*whole, begin, end);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_DOUBLE_EQ((*part)->ops()[0].flops, calls * 1e9) << begin << ":" << end;
    EXPECT_EQ((*part)->operands()[0].read_bytes, std::llround(calls * 4000)) << begin << ":" << end;
  }
  EXPECT_FALSE(CaptureBuilder::cut(*whole, 5000, 6000));
}

/// A step counts where it lies inside in all ranks.
TEST(Cut, RanksThatAreApartCountTheSameSteps) {
  CaptureBuilder b;
  b.run().source = "PyTorch";
  std::vector<TrackId> streams;
  for (int64_t r = 0; r < 2; ++r) {
    const TrackId stream = b.track(TrackKind::stream, "7", r == 0 ? "rank 0 GPU 0" : "rank 1 GPU 0");
    std::vector<StepRecord> steps;
    for (uint32_t s = 0; s < 5; ++s) steps.push_back({s, s * 1000 + r * 400, 1000});
    if (r == 0) {
      for (const StepRecord& step : steps) b.add_step(step);
    }
    b.add_rank({b.intern(r == 0 ? "rank 0" : "rank 1"), steps, {stream}});
    streams.push_back(stream);
  }
  const auto whole = *b.finish();
  const auto part = CaptureBuilder::cut(*whole, 2000, 4100);  // steps 2 and 3 of rank 0, step 2 of rank 1
  ASSERT_TRUE(part) << part.error().message;
  std::vector<uint32_t> indices;
  for (const StepWindow& w : timed_step_windows(**part)) indices.push_back(w.host.index);
  EXPECT_EQ(indices, (std::vector<uint32_t>{2, 2}));
}

}  // namespace
}  // namespace profiler
