// SPDX-License-Identifier: Apache-2.0
// What a GPU did and why it stood still, on captures whose figures can be counted by hand.
#include "profiler/analysis/gpu/overlap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/rank_lab.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

TEST(Overlap, TheHandMadeStepAddsUp) {
  const Overlap o = overlap(*tests::sample_gpu_capture());
  ASSERT_EQ(o.regions.size(), 2u);
  for (const GpuRegion& r : o.regions) {
    EXPECT_EQ(r.device, 0);
    EXPECT_DOUBLE_EQ(r.span_ns, 100'000);
    EXPECT_DOUBLE_EQ(r.kernel_ns, 51'000);  // 30 + 20 + 1 us
    EXPECT_DOUBLE_EQ(r.copy_ns, 27'000);    // 20 + 5 + 2 us
    EXPECT_DOUBLE_EQ(r.overlapped_ns, 0);
    EXPECT_DOUBLE_EQ(r.idle_ns, 22'000);  // 10 before, 65..70, 90..92, 95..100
    EXPECT_DOUBLE_EQ(r.idle.total(), r.idle_ns);
    EXPECT_EQ(r.kernels, 3);
    EXPECT_EQ(r.copies, 3);
    EXPECT_EQ(r.bound, GpuBound::transfer) << "27 % of the time copies run alone";
    // 0..10: the copy's call takes 7..9 and the copy starts at 10; 65..70: call 67..69, the host waits from 65 on;
    // 90..92: the memset's call 89..91 during the wait; 95..100: the wait ends at 96
    EXPECT_DOUBLE_EQ(r.idle.host_ns, 7'000 + 4'000);
    EXPECT_DOUBLE_EQ(r.idle.calls_ns, 2'000);
    EXPECT_DOUBLE_EQ(r.idle.waits_ns, 4'000 + 1'000 + 1'000);
    EXPECT_DOUBLE_EQ(r.idle.start_ns, 1'000 + 1'000 + 1'000);
  }
  EXPECT_EQ(o.launches.launches, 4);
  EXPECT_DOUBLE_EQ(o.launches.median_call_ns, 2000);
  EXPECT_DOUBLE_EQ(o.launches.median_kernel_ns, 25'000);
  EXPECT_DOUBLE_EQ(o.launches.shorter_ratio, 0);
  ASSERT_GE(o.findings.size(), 2u);
  EXPECT_EQ(o.findings[0], "The GPU computes 51 % of the time, copies without computing 27 %, and idles 22 %.");
}

/// `count` kernels of `kernel_ns`, each launched by a call of `call_ns`; the host makes a call every `every_ns`.
std::shared_ptr<const Capture> launches(int count, int64_t kernel_ns, int64_t call_ns, int64_t every_ns,
                                        bool with_calls = true) {
  CaptureBuilder b;
  const NameId call = b.intern("cudaLaunchKernel"), kernel = b.intern("tiny");
  const TrackId host = b.track(TrackKind::host_thread, "main thread", "Host"),
                stream = b.track(TrackKind::stream, "stream 7", "GPU 0");
  int64_t free_at = 0;
  for (int i = 0; i < count; ++i) {
    Activity a;
    a.correlation = static_cast<uint64_t>(i) + 1;
    a.start_ns = i * every_ns;
    a.duration_ns = call_ns;
    a.name = call;
    a.track = host;
    if (with_calls) b.add_api_call(a, {});
    a.start_ns = std::max(a.start_ns + call_ns + 500, free_at);
    a.duration_ns = kernel_ns;
    free_at = a.start_ns + kernel_ns;
    a.name = kernel;
    a.track = stream;
    b.add_kernel(a, {.place = {.device = 0, .context = 1, .stream = 7}});
  }
  return *b.finish();
}

TEST(Overlap, TinyKernelsAreLaunchBound) {
  const Overlap o = overlap(*launches(200, 1000, 4000, 5000));
  ASSERT_EQ(o.regions.size(), 1u);
  EXPECT_EQ(o.regions[0].step, kNoStep);
  EXPECT_EQ(o.regions[0].bound, GpuBound::launch);
  EXPECT_DOUBLE_EQ(o.launches.shorter_ratio, 1);
  EXPECT_DOUBLE_EQ(o.regions[0].idle.launching_ns(), o.regions[0].idle_ns);
  ASSERT_EQ(o.findings.size(), 3u);
  EXPECT_EQ(o.findings[1].find("Launch-bound"), 0u);
  EXPECT_EQ(o.findings[2].find("100 % of the kernels run for less time"), 0u) << o.findings[2];
}

TEST(Overlap, LongKernelsKeepTheGpuBusy) {
  const Overlap o = overlap(*launches(200, 10'000, 4000, 5000));
  EXPECT_EQ(o.regions[0].bound, GpuBound::busy);
  EXPECT_DOUBLE_EQ(o.regions[0].idle_ns, 0);
  EXPECT_EQ(o.findings.size(), 1u);
}

TEST(Overlap, WithoutRecordedCallsTheCauseIsUnknown) {
  const Overlap o = overlap(*launches(200, 1000, 4000, 5000, false));
  EXPECT_EQ(o.regions[0].bound, GpuBound::unknown);
  EXPECT_DOUBLE_EQ(o.regions[0].idle.unknown_ns, o.regions[0].idle_ns);
  EXPECT_EQ(o.launches.launches, 0);
  EXPECT_TRUE(std::isnan(o.launches.shorter_ratio));
}

TEST(Overlap, CopiesBesideKernelsAndOverlappingKernelsCountOnce) {
  CaptureBuilder b;
  const TrackId first = b.track(TrackKind::stream, "stream 7", "GPU 0"),
                second = b.track(TrackKind::stream, "stream 8", "GPU 0");
  const TrackId copies = b.track(TrackKind::copy_engine, "copies to device", "GPU 0");
  const auto at = [&b](int64_t from, int64_t to, TrackId track) {
    Activity a;
    a.start_ns = from;
    a.duration_ns = to - from;
    a.name = b.intern("x");
    a.track = track;
    return a;
  };
  b.add_kernel(at(0, 100, first), {.place = {0, 1, 7}});
  b.add_kernel(at(50, 150, second), {.place = {0, 1, 8}});
  b.add_copy(at(120, 200, copies), {.place = {0, 1, 9}, .kind = CopyKind::host_to_device});
  b.add_copy(at(0, 500, copies), {.place = {0, 1, 9}, .kind = CopyKind::host_to_host});  // not the GPU's
  b.add_kernel(at(0, 40, first), {.place = {1, 2, 7}});                                  // another GPU
  const Overlap o = overlap(**b.finish());
  ASSERT_EQ(o.regions.size(), 2u);
  EXPECT_DOUBLE_EQ(o.regions[0].kernel_ns, 150);
  EXPECT_DOUBLE_EQ(o.regions[0].copy_ns, 80);
  EXPECT_DOUBLE_EQ(o.regions[0].overlapped_ns, 30);
  EXPECT_DOUBLE_EQ(o.regions[0].exposed_ns(), 50);
  EXPECT_DOUBLE_EQ(o.regions[0].span_ns, 200);
  EXPECT_EQ(o.regions[1].device, 1);
  EXPECT_DOUBLE_EQ(o.regions[1].span_ns, 40);
}

TEST(Overlap, ARunOnTheProcessorHasNoRegions) {
  EXPECT_TRUE(overlap(*tests::sample_capture()).regions.empty());
  EXPECT_TRUE(overlap_table(*tests::sample_capture(), overlap(*tests::sample_capture())).rows.empty());
}

TEST(Overlap, StepsSwallowedByLateWorkAreSaid) {
  tests::RankLab lab(2, 6, 100);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint32_t step = 0; step < 6; ++step) lab.kernel("k", {rank, step, 10, 50});
  }
  lab.kernel("long", {1, 1, 20, 330});
  const Overlap o = overlap(*lab.finish());
  EXPECT_EQ(o.regions.size(), 10u);
  EXPECT_EQ(o.places.steps_without_time, 2);
  std::string said;
  for (const std::string& sentence : o.findings) said += sentence + "\n";
  EXPECT_NE(said.find("2 of 12 steps do not count."), std::string::npos) << said;
}

}  // namespace
}  // namespace profiler
