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

TEST(Overlap, AHostThatDoesOtherWorkBeforeItLaunchesIsHostBound) {
  const Overlap o = overlap(*launches(200, 1000, 1000, 20'000));
  EXPECT_EQ(o.regions[0].bound, GpuBound::host);
  EXPECT_GT(o.regions[0].idle.host_ns, 0.8 * o.regions[0].idle_ns);
  ASSERT_GE(o.findings.size(), 2u);
  EXPECT_EQ(o.findings[1].find("Host-bound: "), 0u) << o.findings[1];
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

/// Two kernels of one stream with a gap between them, and what the host did: one call, and one more for the second.
struct Gap {
  const char* call = "";
  Interval called{}, launched{};
  bool copies = false;  ///< the first call is for a copy that ends in it
  int64_t begin_ns = 100'000, end_ns = 900'000;
};
IdleCauses causes_of(const Gap& gap) {
  CaptureBuilder b;
  const TrackId host = b.track(TrackKind::host_thread, "main thread", "Host"),
                stream = b.track(TrackKind::stream, "stream 7", "GPU 0"),
                beside = b.track(TrackKind::stream, "stream 8", "GPU 1");
  const auto at = [&b](Interval span, TrackId track, const char* name, uint64_t correlation) {
    Activity a;
    a.start_ns = span.begin_ns, a.duration_ns = span.end_ns - span.begin_ns;
    a.name = b.intern(name), a.track = track, a.correlation = correlation;
    return a;
  };
  b.add_kernel(at({0, gap.begin_ns}, stream, "k", 0), {.place = {0, 1, 7}});
  b.add_api_call(at(gap.called, host, gap.call, 5), {});
  if (gap.copies)
    b.add_copy(at({gap.called.begin_ns + 1000, gap.called.end_ns - 1000}, beside, "copy", 5),
               {.place = {1, 2, 8}, .kind = CopyKind::host_to_device});
  b.add_api_call(at(gap.launched, host, "cudaLaunchKernel", 6), {});
  b.add_kernel(at({gap.end_ns, gap.end_ns + 100'000}, stream, "k", 6), {.place = {0, 1, 7}});
  const Overlap o = overlap(**b.finish());
  EXPECT_DOUBLE_EQ(o.regions.front().idle.total(), o.regions.front().idle_ns);
  return o.regions.front().idle;
}

TEST(Overlap, TheHostWaitsInCallsNamedSoAndInCopies) {
  const Interval called{200'000, 800'000}, launched{850'000, 880'000};
  EXPECT_DOUBLE_EQ(causes_of({"cudaMalloc", called, launched}).calls_ns, 630'000);
  EXPECT_DOUBLE_EQ(causes_of({"hipDeviceSynchronize", called, launched}).waits_ns, 600'000);
  EXPECT_DOUBLE_EQ(causes_of({"cuStreamSynchronize", called, launched}).calls_ns, 30'000);
  EXPECT_DOUBLE_EQ(causes_of({"cudaMemcpyAsync", called, launched, true}).waits_ns, 0) << "it goes on alone";
  const IdleCauses copied = causes_of({"hipMemcpyWithStream", called, launched, true});
  EXPECT_DOUBLE_EQ(copied.waits_ns, 598'000) << "while the copy ran on the other GPU";
  EXPECT_DOUBLE_EQ(copied.calls_ns, 2'000 + 30'000);
  EXPECT_DOUBLE_EQ(copied.start_ns, 20'000);
}

/// A stream that waits for another's event is no wait of the host.
TEST(Overlap, StreamsThatWaitForEachOtherAreNoHost) {
  for (const SyncKind kind : {SyncKind::stream_wait_event, SyncKind::stream}) {
    CaptureBuilder b;
    const TrackId host = b.track(TrackKind::host_thread, "main thread", "Host"),
                  stream = b.track(TrackKind::stream, "stream 7", "GPU 0");
    const auto at = [&b](int64_t from, int64_t to, TrackId track, uint64_t id) {
      Activity a;
      a.start_ns = from, a.duration_ns = to - from, a.track = track, a.name = b.intern("x"), a.correlation = id;
      return a;
    };
    b.add_kernel(at(0, 100'000, stream, 0), {.place = {0, 1, 7}});
    b.add_synchronization(at(100'000, 400'000, stream, 0), {.place = {0, 1, 7}, .kind = kind});
    b.add_api_call(at(480'000, 490'000, host, 5), {});
    b.add_kernel(at(500'000, 600'000, stream, 5), {.place = {0, 1, 7}});
    const IdleCauses idle = overlap(**b.finish()).regions.front().idle;
    EXPECT_DOUBLE_EQ(idle.waits_ns, kind == SyncKind::stream ? 300'000 : 0);
  }
}

/// What a watchdog waits for is no cause where another thread launches late.
TEST(Overlap, OtherThreadsAreNoCauseOfALateLaunch) {
  CaptureBuilder b;
  const TrackId launcher = b.track(TrackKind::host_thread, "main thread", "Host"),
                watchdog = b.track(TrackKind::host_thread, "watchdog", "Host"),
                stream = b.track(TrackKind::stream, "stream 7", "GPU 0");
  const auto at = [&b](int64_t from, int64_t to, TrackId track, const char* name, uint64_t id) {
    Activity a;
    a.start_ns = from, a.duration_ns = to - from, a.track = track, a.name = b.intern(name), a.correlation = id;
    return a;
  };
  b.add_kernel(at(0, 100'000, stream, "k", 0), {.place = {0, 1, 7}});
  b.add_api_call(at(0, 1'000'000, watchdog, "cudaEventSynchronize", 0), {});
  b.add_api_call(at(880'000, 890'000, launcher, "cudaLaunchKernel", 5), {});
  b.add_kernel(at(900'000, 950'000, stream, "k", 5), {.place = {0, 1, 7}});
  const IdleCauses idle = overlap(**b.finish()).regions.front().idle;
  EXPECT_DOUBLE_EQ(idle.waits_ns, 0);
  EXPECT_DOUBLE_EQ(idle.host_ns, 780'000);
}

TEST(Overlap, WorkThatStartsTooLateWasHeld) {
  const Interval none{90'000, 91'000};
  EXPECT_DOUBLE_EQ(causes_of({"x", none, {100'000, 801'000}}).start_ns, 99'000);
  const IdleCauses late = causes_of({"x", none, {100'000, 110'000}});
  EXPECT_DOUBLE_EQ(late.held_ns, 790'000);
  EXPECT_DOUBLE_EQ(late.calls_ns, 10'000);
  EXPECT_DOUBLE_EQ(causes_of({"x", none, {80'000, 85'000}}).held_ns, 800'000) << "launched before the gap";
  EXPECT_DOUBLE_EQ(causes_of({"x", none, {80'000, 85'000}, false, 100'000, 104'000}).queued_ns, 4'000);
}

TEST(Overlap, HostsOfOtherRanksAreNoCause) {
  tests::RankLab lab(2, 1, 100);
  for (uint32_t rank = 0; rank < 2; ++rank) lab.kernel("k", {rank, 0, 0, 50});
  lab.call("cudaMalloc", {1, 0, 60, 30});
  const Overlap o = overlap(*lab.finish());
  ASSERT_EQ(o.regions.size(), 2u);
  EXPECT_DOUBLE_EQ(o.regions[0].idle.calls_ns, 0);
  EXPECT_DOUBLE_EQ(o.regions[0].idle.host_ns, 50'000);
  EXPECT_DOUBLE_EQ(o.regions[1].idle.calls_ns, 30'000);
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
