// SPDX-License-Identifier: Apache-2.0
// A part of a capture's time as a capture of its own.
#include <gtest/gtest.h>

#include <string>

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

TEST(Cut, WorkOfGpusStaysWholeWhereItBeginsAndSpansOfTheHostStayInPart) {
  Lanes l;
  l.b.add_activity(l.at(0, 1000, l.host, "all"));
  l.b.add_api_call(l.at(10, 20, l.host, "launch before", 1), {});
  l.b.add_api_call(l.at(30, 40, l.host, "launch of what is gone", 2), {});
  l.b.add_kernel(l.at(50, 150, l.stream, "begun before", 2), {.place = {0, 1, 7}});
  l.b.add_kernel(l.at(150, 260, l.stream, "kept", 1), {.place = {0, 1, 7}, .grid = {3, 1, 1}});
  l.b.add_copy(l.at(190, 210, l.stream, "copy"), {.kind = CopyKind::host_to_device, .bytes = 77});
  l.b.add_kernel(l.at(200, 300, l.stream, "too late"), {.place = {0, 1, 7}});
  l.b.add_activity(l.at(180, 240, l.host, "over the end"));
  l.b.add_activity(l.at(300, 340, l.host, "behind"));
  CounterSeries series{.time_ns = {0, 60, 120, 180, 240}, .value = {1, 2, 3, 4, 5}};
  l.b.add_counter(series);
  const auto whole = *l.b.finish();
  const auto part = CaptureBuilder::cut(*whole, 100, 200);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(told(**part), "launch before 10 20\nall 100 200\nkept 150 260\nover the end 180 200\ncopy 190 210\n");
  ASSERT_EQ((*part)->gpu().kernels.size(), 1u);
  EXPECT_EQ((*part)->gpu().kernels[0].grid[0], 3);
  ASSERT_NE((*part)->kernel_of(2), nullptr) << "records follow their activities";
  ASSERT_NE((*part)->copy_of(4), nullptr);
  EXPECT_EQ((*part)->copy_of(4)->bytes, 77);
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

}  // namespace
}  // namespace profiler
