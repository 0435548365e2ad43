// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of a device by hand: overlap, nesting, waits, and why nothing ran.
#include "views/timeline/idle_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "profiler/capture/capture_builder.h"
#include "profiler/import/importer.h"
#include "tests/support/big_capture.h"
#include "views/timeline/queue_depth.h"
#include "views/timeline/timeline_model.h"
#include "views/timeline/timeline_search.h"

namespace views {
namespace {

using profiler::Activity;
using profiler::ActivityKind;
using profiler::TrackKind;

class DeviceTest : public ::testing::Test {
 protected:
  void add(ActivityKind kind, profiler::TrackId track, int64_t start, int64_t ns, uint64_t correlation = 0) {
    Activity a;
    a.start_ns = start;
    a.duration_ns = ns;
    a.kind = kind;
    a.track = track;
    a.correlation = correlation;
    a.name = builder.intern(kind == ActivityKind::kernel ? "kernel" : "call");
    if (kind == ActivityKind::api) return builder.add_api_call(a, {});
    if (kind == ActivityKind::synchronization) return builder.add_synchronization(a, {});
    builder.add_activity(a);
  }
  TimelineModel model() {
    auto made = builder.finish();
    EXPECT_TRUE(made.ok());
    return build_timeline(*profiler::analyze(*made));
  }
  static std::vector<const TimelineLane*> lanes(const TimelineModel& m, LaneKind kind) {
    std::vector<const TimelineLane*> found;
    for (const auto& lane : m.lanes)
      if (lane.kind == kind) found.push_back(&lane);
    return found;
  }
  profiler::CaptureBuilder builder;
  profiler::TrackId host = builder.add_track({TrackKind::host_thread, "main thread", "Host"});
  profiler::TrackId stream = builder.add_track({TrackKind::stream, "stream 7", "GPU 0"});
  profiler::TrackId other = builder.add_track({TrackKind::stream, "stream 8", "GPU 0"});
  profiler::TrackId engine = builder.add_track({TrackKind::copy_engine, "copies", "GPU 0"});
};

TEST_F(DeviceTest, OverlappingKernelsOfOneStreamLieSideBySide) {
  for (const auto& [start, ns] : {std::pair<int64_t, int64_t>{0, 100}, {50, 100}, {100, 30}, {120, 100}, {200, 10}})
    add(ActivityKind::kernel, stream, start, ns);
  const TimelineModel m = model();
  const auto kernels = lanes(m, LaneKind::kernel);
  ASSERT_EQ(kernels.size(), 3u) << "three ran at once from 120 to 130";
  EXPECT_EQ(kernels[0]->lane.size(), 3u);
  EXPECT_EQ(kernels[0]->lane.begin_ns(2), 200);
  EXPECT_EQ(kernels[1]->lane.size(), 1u);
  EXPECT_EQ(kernels[1]->title, "stream 7 (2)");
}

TEST_F(DeviceTest, WaitsLieInALaneOfTheirOwn) {
  add(ActivityKind::api, host, 0, 10);
  add(ActivityKind::synchronization, host, 10, 500);
  add(ActivityKind::synchronization, stream, 20, 50);
  add(ActivityKind::kernel, stream, 30, 400);
  const TimelineModel m = model();
  EXPECT_EQ(lanes(m, LaneKind::synchronization).size(), 2u);
  ASSERT_EQ(lanes(m, LaneKind::kernel).size(), 1u);
  EXPECT_EQ(lanes(m, LaneKind::kernel)[0]->lane.size(), 1u);
}

TEST_F(DeviceTest, IdleGapsSayWhy) {
  const int64_t us = 1000;
  add(ActivityKind::kernel, stream, 0, 100 * us, 1);
  add(ActivityKind::kernel, other, 50 * us, 60 * us, 2);  // busy until 110
  add(ActivityKind::api, host, 200 * us, us, 3);          // late
  add(ActivityKind::kernel, stream, 210 * us, 10 * us, 3);
  add(ActivityKind::synchronization, host, 215 * us, 20 * us);
  add(ActivityKind::api, host, 240 * us, us, 4);  // after a wait
  add(ActivityKind::kernel, stream, 250 * us, 10 * us, 4);
  add(ActivityKind::api, host, 251 * us, us, 5);  // in time, but a copy runs
  add(ActivityKind::copy, engine, 255 * us, 40 * us);
  add(ActivityKind::kernel, stream, 300 * us, 10 * us, 5);
  add(ActivityKind::api, host, 301 * us, us, 6);  // in time, and nothing runs
  add(ActivityKind::kernel, stream, 330 * us, 10 * us, 6);
  add(ActivityKind::kernel, stream, 360 * us, 10 * us);        // nobody launched it
  add(ActivityKind::kernel, stream, 370 * us + 900, 10 * us);  // too short a gap
  add(ActivityKind::api, host, 385 * us, us, 7);
  add(ActivityKind::kernel, stream, 4400 * us, 10 * us, 7);  // no start takes that long
  add(ActivityKind::api, host, 4409 * us, 2 * us, 8);
  add(ActivityKind::kernel, stream, 4418 * us, 10 * us, 8);  // returned as the gap began
  add(ActivityKind::api, host, 4430 * us, 5 * us, 9);
  add(ActivityKind::copy, engine, 4440 * us, 560 * us);  // begun after the launch, which came late
  add(ActivityKind::kernel, stream, 5001 * us, 10 * us, 9);
  const TimelineModel m = model();
  const auto idle = lanes(m, LaneKind::idle);
  ASSERT_EQ(idle.size(), 1u);
  const std::vector<std::pair<int64_t, std::string>> expected{
      {100, "idle: the host launches too late"},
      {30, "idle: the host waited for the device before it launched more"},
      {40, "idle: waits for a copy"},
      {20, "idle: launched, but waits for another stream or to start"},
      {20, "idle: the launch of the next kernel is not recorded"},
      {4019, "idle: launched, but held by an event, another program or work from before the trace"},
      {8, "idle: launched, on its way"},
      {573, "idle: waits for a copy"}};
  ASSERT_EQ(idle[0]->lane.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Span s = idle[0]->lane.span(i);
    EXPECT_EQ((s.end_ns - s.begin_ns) / us, expected[i].first) << i;
    EXPECT_EQ(m.labels[s.label], expected[i].second) << i;
  }
}

const TimelineCounter* chart(const TimelineModel& m, const std::string& key) {
  for (const auto& counter : m.counters)
    if (counter.key == key) return &counter;
  return nullptr;
}

TEST_F(DeviceTest, TheQueueHoldsWhatWasLaunchedAndHasNotBegun) {
  // launched at 0, 10 and 20, out of the order of their ids; begun at 15, 40 and 60
  add(ActivityKind::api, host, 0, 5, 3);
  add(ActivityKind::api, host, 10, 5, 1);
  add(ActivityKind::api, host, 20, 5, 2);
  add(ActivityKind::kernel, stream, 15, 20, 3);
  add(ActivityKind::kernel, stream, 40, 10, 1);
  add(ActivityKind::copy, engine, 60, 10, 2);
  add(ActivityKind::kernel, stream, 90, 5, 77);  // its launch is not recorded
  const TimelineModel m = model();
  const TimelineCounter* queue = chart(m, "queue GPU 0");
  ASSERT_NE(queue, nullptr);
  std::vector<double> depth;
  queue->columns(0, 5, 20, depth);  // columns of 5 ns
  const auto at = [&](int64_t t) {
    return std::isnan(depth[static_cast<size_t>(t / 5)]) ? 0 : depth[static_cast<size_t>(t / 5)];
  };
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(10), 2);
  EXPECT_EQ(at(15), 1);
  EXPECT_EQ(at(20), 2);
  EXPECT_EQ(at(40), 1);
  EXPECT_EQ(at(60), 0);
  EXPECT_EQ(at(90), 0);
}

/// A long queue is kept in parts: the largest value of the whole is that of the exact series.
TEST(QueueDepth, PartsOfABigCaptureKeepTheLargestValue) {
  const auto big = tests::big_capture(300'000);  // about 73 000 kernels: more changes than are kept
  const auto counters = queue_depths(*big);
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_NE(counters[0].help.find("1/65536"), std::string::npos);
  EXPECT_LE(counters[0].lanes[0].size(), kMostDepthChanges);
  std::vector<double> whole;
  counters[0].columns(big->begin_ns(), static_cast<double>(big->end_ns() - big->begin_ns()), 1, whole);
  // by hand: launches and beginnings in time, from the rows themselves
  std::map<uint64_t, int64_t> launch;
  std::vector<std::pair<int64_t, int>> changes;
  for (size_t i = 0; i < big->activities().size(); ++i) {
    const Activity a = big->activities().row(i);
    if (a.kind == ActivityKind::api && a.correlation != 0) launch[a.correlation] = a.start_ns;
  }
  for (size_t i = 0; i < big->activities().size(); ++i) {
    const Activity a = big->activities().row(i);
    if ((a.kind != ActivityKind::kernel && a.kind != ActivityKind::copy) || !launch.contains(a.correlation)) continue;
    changes.emplace_back(launch[a.correlation], 1);
    changes.emplace_back(a.start_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  int depth = 0, most = 0;
  for (const auto& [t, by] : changes) most = std::max(most, depth += by);
  EXPECT_EQ(whole[0], most);
}

/// FLOPs of a trace of another tool lie over the kernels of their ops: the area under the curve is their sum at every
/// zoom.
TEST(ForeignFlops, AreaIsTheSumOfWhatIsKnown) {
  const auto made = profiler::import_traces(
      {.files = {std::string(TENSORTIDE_TEST_DATA) + "/traces/kineto_h100_bert_small.pt.trace.json.gz"},
       .format = {},
       .command = {},
       .control = {}});
  ASSERT_TRUE(made) << made.error().message;
  const TimelineModel m = build_timeline(*profiler::analyze(*made));
  const TimelineCounter* flops = chart(m, "flops");
  ASSERT_NE(flops, nullptr);
  double known = 0;
  for (const auto& op : (*made)->ops()) {
    const auto rows = (*made)->activities_of(op.id);
    const bool on_gpu = std::any_of(rows.begin(), rows.end(), [&](uint32_t row) {
      return (*made)->activities().kind[row] == ActivityKind::kernel;
    });
    if (on_gpu && op.flops > 0) known += op.flops;
  }
  EXPECT_GT(known, 1e9);
  for (const int width : {1, 7, 300, 1771}) {
    std::vector<double> columns;
    const double ns_per_px = static_cast<double>(m.end_ns - m.begin_ns) / width;
    flops->columns(m.begin_ns, ns_per_px, width, columns);
    double sum = 0;
    for (const double v : columns) sum += v * ns_per_px * 1e-9;
    EXPECT_NEAR(sum, known, 1e-6 * known) << width;
  }
}

TEST_F(DeviceTest, OnlyTheLongestGapsAreKept) {
  std::vector<uint32_t> rows;
  for (int64_t i = 0; i < 1000; ++i) {
    add(ActivityKind::kernel, stream, i * 100000, i % 10 == 0 ? 1000 : 90000);
    rows.push_back(static_cast<uint32_t>(i));
  }
  const auto capture = *builder.finish();
  EXPECT_EQ(idle_gaps(*capture, rows, 2000).size(), 999u);
  const auto longest = idle_gaps(*capture, rows, 50);
  ASSERT_EQ(longest.size(), 50u);
  for (size_t i = 0; i < longest.size(); ++i) {
    EXPECT_EQ(longest[i].end_ns - longest[i].begin_ns, 99000);
    EXPECT_TRUE(i == 0 || longest[i].begin_ns > longest[i - 1].begin_ns);
  }
}

TEST_F(DeviceTest, CopiesThatRanAtOnceAddUpToTheirBytes) {
  Activity a;
  a.track = engine;
  for (const auto& [start, ns, bytes] :
       {std::tuple<int64_t, int64_t, int64_t>{0, 1000, 5000}, {500, 1000, 7000}, {3000, 10, 1}}) {
    a.start_ns = start;
    a.duration_ns = ns;
    profiler::CopyRecord copy;
    copy.kind = profiler::CopyKind::host_to_device;
    copy.bytes = bytes;
    builder.add_copy(a, copy);
  }
  const TimelineModel m = model();
  ASSERT_EQ(m.counters.size(), 1u);
  EXPECT_DOUBLE_EQ(m.counters[0].cumulative(750), 0.75 * 5000 + 0.25 * 7000);
  for (const int width : {1, 7, 300, 1771}) {
    const double ns_per_px = 3100.0 / width;
    std::vector<double> columns;
    m.counters[0].columns(0, ns_per_px, width, columns);
    double area = 0;
    for (const double v : columns) area += v * ns_per_px * 1e-9;
    EXPECT_NEAR(area, 12001, 1e-6 * 12001) << width << " columns";
  }
}

TEST(TimelineOfABigCapture, HoldsEveryActivityOnceInFewBytes) {
  const auto capture = tests::big_capture(60000);
  const TimelineModel m = build_timeline(*profiler::analyze(capture));
  std::vector<int> seen(capture->activities().size(), 0);
  for (const auto& lane : m.lanes)
    for (size_t i = 0; i < lane.lane.size(); ++i)
      if (const uint32_t row = lane.lane.row(i); row != kNoRow) ++seen[row];
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
  const double bytes = static_cast<double>(capture->activities().size_bytes() + m.size_bytes());
  EXPECT_LT(bytes / static_cast<double>(seen.size()), 36.0) << "4 B more per op for the index by op";
}

TEST(TimelineSearch, FindsEachMatchOnceInBothDirections) {
  const auto capture = tests::big_capture(3000);
  const TimelineModel m = build_timeline(*profiler::analyze(capture));
  std::vector<bool> wanted;
  for (const auto& label : m.labels) wanted.push_back(label == "cudaMemcpyAsync");
  const TimelineMatches matches = find_matches(m, wanted);
  const TimelineWindow whole = whole_window(m);
  ASSERT_GT(matches.count, 20u);
  std::vector<TimelineHit> found;
  std::optional<TimelineHit> at;
  for (size_t i = 0; i < matches.count; ++i) {
    at = next_match(m, matches, at, whole, 1);
    ASSERT_TRUE(at.has_value());
    EXPECT_EQ(std::count(found.begin(), found.end(), *at), 0);
    EXPECT_EQ(ordinal(m, matches, *at), i + 1);
    found.push_back(*at);
  }
  EXPECT_EQ(next_match(m, matches, at, whole, 1), found.front()) << "it goes round";
  for (size_t i = matches.count - 1; i-- > 0;) {
    at = next_match(m, matches, at, whole, -1);
    EXPECT_EQ(at, found[i]);
  }
  EXPECT_EQ(next_match(m, matches, found.front(), whole, -1), found.back());
  EXPECT_FALSE(next_match(m, find_matches(m, std::vector<bool>(m.labels.size(), false)), at, whole, 1).has_value());
}

TEST(TimelineSearch, BeginsWhereTheViewIs) {
  const auto capture = tests::big_capture(3000);
  const TimelineModel m = build_timeline(*profiler::analyze(capture));
  std::vector<bool> wanted;
  for (const auto& label : m.labels) wanted.push_back(label == "cudaMemcpyAsync");
  const TimelineMatches matches = find_matches(m, wanted);
  const auto begin_of = [&](const TimelineHit& hit) {
    return m.lanes[static_cast<size_t>(hit.lane)].lane.begin_ns(hit.span);
  };
  const int64_t middle = m.begin_ns + (m.end_ns - m.begin_ns) / 2;
  const TimelineWindow here{middle, middle + (m.end_ns - m.begin_ns) / 50};
  const auto on = next_match(m, matches, {}, here, 1), back = next_match(m, matches, {}, here, -1);
  ASSERT_TRUE(on && back);
  EXPECT_GE(begin_of(*on), here.begin_ns);
  EXPECT_LT(begin_of(*back), here.end_ns);
  for (size_t l = 0; l < m.lanes.size(); ++l) {
    for (const uint32_t i : matches.spans[l]) {
      const int64_t begin = m.lanes[l].lane.begin_ns(i);
      EXPECT_FALSE(begin >= here.begin_ns && begin < begin_of(*on)) << "a nearer one";
      EXPECT_FALSE(begin < here.end_ns && begin > begin_of(*back)) << "a nearer one";
    }
  }
  // A match that is out of sight is no place to go on from.
  const auto first = next_match(m, matches, {}, whole_window(m), 1);
  EXPECT_EQ(next_match(m, matches, first, here, 1), on);
  EXPECT_EQ(next_match(m, matches, on, {begin_of(*on) - 10, begin_of(*on) + 10}, -1).has_value(), true);
}

TEST(TimelineSearch, HiddenRowsAreCountedApartAndColumnsHoldEveryMatch) {
  const auto capture = tests::big_capture(3000);
  const TimelineModel m = build_timeline(*profiler::analyze(capture));
  std::vector<bool> wanted;
  for (const auto& label : m.labels) wanted.push_back(label == "cudaMemcpyAsync");
  const TimelineMatches all = find_matches(m, wanted);
  size_t lane = 0;
  while (all.spans[lane].empty()) ++lane;
  TimelineArrangement rows;
  rows.hidden.insert(m.lanes[lane].key);
  const TimelineMatches rest = find_matches(m, wanted, rows);
  EXPECT_EQ(rest.hidden, all.spans[lane].size());
  EXPECT_EQ(rest.count + rest.hidden, all.count);
  EXPECT_EQ(ordinal(m, rest, {static_cast<int>(lane), all.spans[lane].front()}), 0u);
  constexpr int kWidth = 37;
  const double ns_per_px = static_cast<double>(m.end_ns - m.begin_ns) / kWidth;
  std::set<int> expected;
  for (const uint32_t i : all.spans[lane])
    expected.insert(static_cast<int>(static_cast<double>(m.lanes[lane].lane.begin_ns(i) - m.begin_ns) / ns_per_px));
  const auto columns = match_columns(m.lanes[lane].lane, all.spans[lane], m.begin_ns, ns_per_px, kWidth);
  EXPECT_EQ(std::set<int>(columns.begin(), columns.end()), expected);
}

}  // namespace
}  // namespace views
