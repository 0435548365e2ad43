// SPDX-License-Identifier: Apache-2.0
// Ranges of time: names, stacks and durations, on captures whose figures can be counted by hand.
#include "profiler/analysis/range.h"

#include <gtest/gtest.h>

#include <random>

#include "profiler/analysis/gpu/overlap.h"
#include "profiler/capture/capture_builder.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

constexpr int64_t kUs = 1000, kStart = 1000 * kUs;  // of the GPU sample

const NamedTime* named(const Capture& c, const RangeProfile& p, ActivityKind kind, std::string_view name) {
  for (const NamedTime& n : p.names) {
    if (n.kind == kind && c.name(n.name) == name) return &n;
  }
  return nullptr;
}

/// "GPU 0 / stream 7;forward;fc/matmul" -> its node; null: not there.
const StackNode* at_path(const RangeProfile& p, const std::vector<std::string>& path) {
  uint32_t node = 0;
  for (const std::string& name : path) {
    uint32_t found = 0;
    for (uint32_t i = node + 1; i < p.stacks.size() && found == 0; ++i) {
      if (p.stacks[i].parent == node && p.stacks[i].name == name) found = i;
    }
    if (found == 0) return nullptr;
    node = found;
  }
  return &p.stacks[node];
}

TEST(RangeProfile, CountsOnlyWhatLiesInside) {
  const auto c = tests::sample_gpu_capture();
  // 20..50 us of step 0: half of the input's copy, two thirds of the first kernel
  const RangeProfile p = range_profile(*c, kStart + 20 * kUs, kStart + 50 * kUs);
  const NamedTime* gemm = named(*c, p, ActivityKind::kernel, "void gemm<float, 128>(float const*, float*)");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->time_ns, 20 * kUs);
  EXPECT_EQ(gemm->count, 1);
  EXPECT_EQ(named(*c, p, ActivityKind::kernel, "void relu<float>(float*)"), nullptr);
  ASSERT_EQ(p.copies.size(), 1u);
  EXPECT_EQ(p.copies[0].kind, CopyKind::host_to_device);
  EXPECT_EQ(p.copies[0].time_ns, 10 * kUs);
  EXPECT_DOUBLE_EQ(p.copies[0].bytes, 0.5 * (1 << 20));
}

TEST(RangeProfile, StacksAddUpToTheNames) {
  for (const auto& c : {tests::sample_capture(), tests::sample_gpu_capture()}) {
    const int64_t third = (c->end_ns() - c->begin_ns()) / 3;
    for (const auto& [begin, end] :
         {std::pair(c->begin_ns(), c->end_ns()), std::pair(c->begin_ns() + third, c->end_ns() - third)}) {
      const RangeProfile p = range_profile(*c, begin, end);
      int64_t of_names = 0, self = 0, count = 0;
      for (const NamedTime& n : p.names) of_names += n.time_ns, count += n.count;
      EXPECT_EQ(count, p.activities);
      bool nested = false;
      for (size_t i = 1; i < p.stacks.size(); ++i) {
        const StackNode& n = p.stacks[i];
        ASSERT_LT(n.parent, i);
        EXPECT_EQ(n.depth, p.stacks[n.parent].depth + 1);
        EXPECT_LE(n.total_ns, p.stacks[n.parent].total_ns);
        self += n.self_ns;
        nested = nested || (n.count > 0 && p.stacks[n.parent].count > 0);
      }
      EXPECT_EQ(self, p.stacks[0].total_ns) << "every nanosecond belongs to one frame";
      if (!nested) {
        EXPECT_EQ(self, of_names);
      }
    }
  }
}

TEST(RangeProfile, KernelsStandUnderTheirOp) {
  const auto c = tests::sample_gpu_capture();
  const RangeProfile p = range_profile(*c, c->begin_ns(), c->end_ns());
  const StackNode* op = at_path(p, {"GPU 0 / stream 7", "forward", "fc/matmul"});
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->total_ns, 60 * kUs);
  EXPECT_EQ(op->op, 0u);
  const StackNode* kernel =
      at_path(p, {"GPU 0 / stream 7", "forward", "fc/matmul", "void gemm<float, 128>(float const*, float*)"});
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->count, 2);
  EXPECT_EQ(kernel->self_ns, 60 * kUs);
}

TEST(RangeProfile, RangesOfAThreadNestByTime) {
  CaptureBuilder b;
  const TrackId thread = b.track(TrackKind::host_thread, "main", "Host");
  const auto add = [&](const char* name, int64_t begin, int64_t end) {
    Activity a;
    a.start_ns = begin, a.duration_ns = end - begin, a.name = b.intern(name), a.track = thread,
    a.kind = ActivityKind::range;
    b.add_activity(a);
  };
  add("outer", 0, 100), add("inner", 10, 30), add("inner", 40, 60), add("leaf", 45, 50), add("crosses", 90, 120),
      add("after", 100, 110);
  const auto c = *b.finish();
  const RangeProfile p = range_profile(*c, 0, 1000);
  ASSERT_NE(at_path(p, {"Host / main", "outer", "inner"}), nullptr);
  EXPECT_EQ(at_path(p, {"Host / main", "outer", "inner"})->total_ns, 40) << "equal stacks are one frame";
  EXPECT_EQ(at_path(p, {"Host / main", "outer", "inner"})->self_ns, 35);
  EXPECT_EQ(at_path(p, {"Host / main", "outer"})->self_ns, 60);
  EXPECT_NE(at_path(p, {"Host / main", "crosses", "after"}), nullptr);
  EXPECT_NE(at_path(p, {"Host / main", "crosses"}), nullptr) << "what ends after its parent stands beside it";
}

/// Clocks rounded to a microsecond let an inner range end behind the outer one, and a neighbour begin before the end of
/// the one before.
TEST(RangeProfile, RoundedTimesNestAsTheRangesDid) {
  CaptureBuilder b;
  const TrackId thread = b.track(TrackKind::host_thread, "main", "Host");
  const auto add = [&](const char* name, int64_t begin, int64_t end, ActivityKind kind) {
    Activity a;
    a.start_ns = begin, a.duration_ns = end - begin, a.name = b.intern(name), a.track = thread, a.kind = kind;
    b.add_activity(a);
  };
  add("layer", 0, 10'000, ActivityKind::layer), add("first", 1'000, 5'001, ActivityKind::range),
      add("second", 5'000, 10'001, ActivityKind::range);
  add("leaf", 8'000, 10'001, ActivityKind::range), add("next", 10'000, 12'000, ActivityKind::range);
  const auto c = *b.finish();
  const RangeProfile p = range_profile(*c, 0, 20'000);
  ASSERT_NE(at_path(p, {"Host / main", "layer", "second", "leaf"}), nullptr) << "of the larger part of it";
  EXPECT_EQ(at_path(p, {"Host / main", "layer", "first", "second"}), nullptr);
  EXPECT_NE(at_path(p, {"Host / main", "next"}), nullptr);
  EXPECT_EQ(at_path(p, {"Host / main", "layer"})->self_ns, 10'000 - 4'001 - 5'000)
      << "what lies behind its end is not in it";
  int64_t self = 0;
  for (size_t i = 1; i < p.stacks.size(); ++i) self += p.stacks[i].self_ns;
  EXPECT_EQ(self, p.stacks[0].total_ns);
  ASSERT_NE(named(*c, p, ActivityKind::layer, "layer"), nullptr);
  EXPECT_EQ(named(*c, p, ActivityKind::layer, "layer")->own_ns, 10'000 - 4'001 - 5'001);
}

TEST(RangeProfile, AnEmptyRangeHasNothing) {
  const auto c = tests::sample_capture();
  EXPECT_TRUE(range_profile(*c, 5, 5).names.empty());
  EXPECT_TRUE(range_profile(*c, c->end_ns() + 10, c->end_ns() + 20).stacks.empty());
}

TEST(DurationSpread, QuantilesByHand) {
  const DurationSpread s = duration_spread({50, 10, 40, 20, 30, 60, 100, 90, 80, 70});
  EXPECT_EQ(s.count, 10);
  EXPECT_EQ(s.total_ns, 550);
  EXPECT_DOUBLE_EQ(s.mean_ns, 55);
  EXPECT_EQ(s.least_ns, 10);
  EXPECT_EQ(s.p25_ns, 30);
  EXPECT_EQ(s.p50_ns, 50);
  EXPECT_EQ(s.p75_ns, 80);
  EXPECT_EQ(s.p99_ns, 100);
  EXPECT_EQ(s.most_ns, 100);
}

TEST(DurationSpread, BinsHoldAllAndTouch) {
  std::mt19937 random(5);
  for (const bool wide : {false, true}) {
    std::vector<int64_t> durations;
    for (int i = 0; i < 1000; ++i)
      durations.push_back(wide ? int64_t{1} << (random() % 20) : 1000 + static_cast<int64_t>(random() % 500));
    const DurationSpread s = duration_spread(durations);
    EXPECT_EQ(s.logarithmic, wide);
    int64_t count = 0;
    for (size_t i = 0; i < s.bins.size(); ++i) {
      count += s.bins[i].count;
      if (i > 0) {
        EXPECT_DOUBLE_EQ(s.bins[i].from_ns, s.bins[i - 1].to_ns);
      }
      int64_t inside = 0;
      for (const int64_t d : durations) {
        const auto value = static_cast<double>(d);
        inside += value >= s.bins[i].from_ns && (value < s.bins[i].to_ns || i + 1 == s.bins.size());
      }
      EXPECT_EQ(s.bins[i].count, inside);
    }
    EXPECT_EQ(count, s.count);
    EXPECT_DOUBLE_EQ(s.bins.front().from_ns, static_cast<double>(s.least_ns));
    EXPECT_DOUBLE_EQ(s.bins.back().to_ns, static_cast<double>(s.most_ns));
  }
  EXPECT_EQ(duration_spread({7, 7, 7}).bins.size(), 1u);
  EXPECT_EQ(duration_spread({0, 0}).bins.size(), 1u);
  EXPECT_TRUE(duration_spread(std::vector<int64_t>{}).bins.empty());
}

TEST(DurationSpread, OfOneNameOverTheSteps) {
  const auto c = tests::sample_capture();
  using tests::SampleOps;
  const DurationSpread s =
      duration_spread(*c, ActivityKind::op, c->ops()[SampleOps::conv].name, c->begin_ns(), c->end_ns());
  int64_t expected = 0;
  for (const uint32_t row : c->activities_of(SampleOps::conv)) expected += c->activities().duration_ns[row];
  EXPECT_EQ(s.count, static_cast<int64_t>(c->activities_of(SampleOps::conv).size()));
  EXPECT_EQ(s.total_ns, expected);
}

TEST(GpuTimes, AStepAsARangeIsTheStepsRegion) {
  const auto c = tests::sample_gpu_capture();
  const GpuTimes times(c);
  const Overlap whole = overlap(*c);
  for (const GpuRegion& step : whole.regions) {
    const auto& record = c->steps()[step.step];
    const auto regions = times.within(record.start_ns, record.start_ns + record.duration_ns);
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_DOUBLE_EQ(regions[0].kernel_ns, step.kernel_ns);
    EXPECT_DOUBLE_EQ(regions[0].copy_ns, step.copy_ns);
    EXPECT_DOUBLE_EQ(regions[0].overlapped_ns, step.overlapped_ns);
    EXPECT_DOUBLE_EQ(regions[0].idle.total(), regions[0].idle_ns);
  }
  EXPECT_DOUBLE_EQ(times.within(kStart + 20 * kUs, kStart + 50 * kUs)[0].kernel_ns, 20 * kUs);
  EXPECT_DOUBLE_EQ(times.within(5, 5)[0].span_ns, 0);
}

TEST(RangeProfile, NamesHaveTheirOwnTimeAndCoverNoMoreThanTheRange) {
  CaptureBuilder b;
  const TrackId main = b.track(TrackKind::host_thread, "main", "Host"),
                other = b.track(TrackKind::host_thread, "other", "Host");
  const auto add = [&](TrackId track, const char* name, int64_t begin, int64_t end) {
    Activity a;
    a.start_ns = begin, a.duration_ns = end - begin, a.name = b.intern(name), a.track = track,
    a.kind = ActivityKind::range;
    b.add_activity(a);
  };
  add(main, "layer", 0, 100), add(main, "op", 10, 50), add(main, "op", 50, 90), add(other, "op", 0, 80);
  add(main, "recursive", 110, 150), add(main, "recursive", 120, 140);
  const auto c = *b.finish();
  const RangeProfile p = range_profile(*c, 0, 150);
  const NamedTime *layer = named(*c, p, ActivityKind::range, "layer"), *op = named(*c, p, ActivityKind::range, "op"),
                  *recursive = named(*c, p, ActivityKind::range, "recursive");
  ASSERT_TRUE(layer != nullptr && op != nullptr && recursive != nullptr);
  EXPECT_EQ(layer->time_ns, 100);
  EXPECT_EQ(layer->own_ns, 20) << "without its ops";
  EXPECT_EQ(op->time_ns, 160) << "two threads at once";
  EXPECT_EQ(op->covered_ns, 90) << "never more than the time there is";
  EXPECT_EQ(op->own_ns, 160);
  EXPECT_EQ(recursive->time_ns, 60);
  EXPECT_EQ(recursive->own_ns, 40);
  EXPECT_EQ(recursive->covered_ns, 40);
  EXPECT_EQ(c->name(p.names.front().name), "op") << "a layer comes behind what is in it";
}

}  // namespace
}  // namespace profiler
