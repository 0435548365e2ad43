// SPDX-License-Identifier: Apache-2.0
// Durations by name, nesting of ranges and queues of streams, on captures that can be counted by hand.
#include "profiler/analysis/named_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/gpu/launch_queue.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

constexpr int64_t kUs = 1000;

class Lab {
 public:
  Activity span(const char* name, int64_t from, int64_t to, TrackKind kind = TrackKind::host_thread) {
    Activity a;
    a.name = b.intern(name);
    a.track =
        b.track(kind, kind == TrackKind::stream ? "stream 7" : "main", kind == TrackKind::stream ? "GPU 0" : "Host");
    a.start_ns = from * kUs, a.duration_ns = (to - from) * kUs;
    return a;
  }
  void range(const char* name, int64_t from, int64_t to, TrackKind kind = TrackKind::host_thread) {
    Activity a = span(name, from, to, kind);
    a.kind = ActivityKind::range;
    b.add_activity(a);
  }
  void launch(const char* name, int64_t called, int64_t from, int64_t to, uint64_t correlation, uint32_t failed = 0) {
    Activity call = span("cudaLaunchKernel", called, called + 2);
    call.correlation = correlation;
    b.add_api_call(call, {.driver = false, .return_value = failed});
    Activity work = span(name, from, to, TrackKind::stream);
    work.correlation = correlation;
    b.add_kernel(work, {.place = {0, 1, 7}});
  }
  CaptureBuilder b;
};

const NamedTimes& row(const std::vector<NamedTimes>& rows, const Capture& c, std::string_view name) {
  return *std::ranges::find_if(rows, [&](const NamedTimes& t) { return c.name(t.name) == name; });
}

TEST(NamedTimes, KernelsAndCalls) {
  Lab lab;
  lab.launch("gemm", 0, 10, 20, 1);
  lab.launch("gemm", 2, 20, 50, 2, 700);
  lab.launch("gemm", 4, 50, 70, 3);
  lab.launch("relu", 6, 70, 71, 4);
  const auto c = *lab.b.finish();
  const auto kernels = kernel_times(*c);
  ASSERT_EQ(kernels.size(), 2u);
  const NamedTimes& gemm = kernels[0];
  EXPECT_EQ(gemm.count, 3);
  EXPECT_DOUBLE_EQ(gemm.total_ns, 60'000);
  EXPECT_DOUBLE_EQ(gemm.least_ns, 10'000);
  EXPECT_DOUBLE_EQ(gemm.median_ns, 20'000);
  EXPECT_DOUBLE_EQ(gemm.most_ns, 30'000);
  EXPECT_DOUBLE_EQ(gemm.deviation_ns, 10'000);
  EXPECT_TRUE(std::isnan(kernels[1].deviation_ns)) << "one alone has no spread";
  const auto calls = call_times(*c);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].count, 4);
  EXPECT_EQ(calls[0].failed, 1);
  EXPECT_DOUBLE_EQ(calls[0].median_ns, 2000);
  EXPECT_NE(to_csv(calls_table(*c)).find("cudaLaunchKernel,4,8000,"), std::string::npos) << to_csv(calls_table(*c));
}

TEST(NamedTimes, RangesWithWhatIsInsideThem) {
  Lab lab;
  lab.range("train", 0, 100);
  lab.range("forward", 10, 40);
  lab.range("layer", 12, 20);
  lab.range("layer", 22, 30);
  lab.range("backward", 50, 90);
  Activity op = lab.span("aten::mm", 55, 75);
  OpRecord record;
  record.name = record.type = lab.b.intern("aten::mm");
  op.op = lab.b.add_op(record, {});
  lab.b.add_activity(op);
  lab.range("layer", 60, 70);  // inside the op
  lab.range("forward", 12, 30, TrackKind::stream);
  const auto c = *lab.b.finish();
  const auto rows = range_times(*c);
  ASSERT_EQ(rows.size(), 5u) << "the GPU's side of a range is a row of its own";
  EXPECT_DOUBLE_EQ(row(rows, *c, "train").own_ns, 30'000);
  EXPECT_EQ(row(rows, *c, "train").depth, 0);
  EXPECT_DOUBLE_EQ(row(rows, *c, "forward").own_ns, 14'000);
  EXPECT_DOUBLE_EQ(row(rows, *c, "backward").own_ns, 20'000) << "the op takes the rest";
  const NamedTimes& layer = row(rows, *c, "layer");
  EXPECT_EQ(layer.count, 3);
  EXPECT_EQ(layer.depth, 2);
  EXPECT_EQ(c->name(layer.around), "forward") << "which holds most of them";
  EXPECT_DOUBLE_EQ(layer.own_ns, 26'000);
}

TEST(LaunchQueue, DepthAndWaits) {
  Lab lab;
  lab.launch("a", 0, 10, 20, 1);
  lab.launch("b", 2, 20, 30, 2);
  lab.launch("c", 100, 104, 110, 3);
  lab.launch("d", 200, 150, 160, 4);  // before its call
  Activity alone = lab.span("e", 300, 310, TrackKind::stream);
  lab.b.add_kernel(alone, {.place = {0, 1, 7}});
  const auto c = *lab.b.finish();
  const auto queues = launch_queues(*c);
  ASSERT_EQ(queues.size(), 1u);
  const StreamQueue& q = queues[0];
  EXPECT_EQ(q.launched, 4);
  EXPECT_EQ(q.unknown, 1);
  EXPECT_EQ(q.early, 1);
  EXPECT_EQ(q.deepest, 2);
  EXPECT_DOUBLE_EQ(q.median_wait_ns, 10'000);
  EXPECT_DOUBLE_EQ(q.most_wait_ns, 18'000);
  EXPECT_DOUBLE_EQ(q.mean_depth, (10 + 18 + 4) / 104.0);
  EXPECT_DOUBLE_EQ(q.empty_ratio, 80 / 104.0);
}

}  // namespace
}  // namespace profiler
