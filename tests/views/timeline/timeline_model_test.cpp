// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes and counters of the sample capture; statistics of ranges counted by hand.
#include "views/timeline/timeline_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/analysis/footprint.h"
#include "profiler/analysis/roofline.h"
#include "profiler/capture/capture_builder.h"
#include "tests/support/sample_capture.h"
#include "views/base/range_statistics.h"
#include "views/timeline/timeline_text.h"

namespace views {
namespace {

using tests::SampleOps;

class TimelineModelTest : public ::testing::Test {
 protected:
  std::shared_ptr<const profiler::Analyzed> analyzed = profiler::analyze(tests::sample_capture());
  const profiler::Capture& capture = *analyzed->capture;
  TimelineModel model = build_timeline(*analyzed);
  const TimelineLane* lane(LaneKind kind) const {
    for (const auto& l : model.lanes)
      if (l.kind == kind) return &l;
    return nullptr;
  }
};

TEST_F(TimelineModelTest, HasStepsPhasesLayersOpsAndOverhead) {
  for (const LaneKind kind : {LaneKind::step, LaneKind::phase, LaneKind::layer, LaneKind::op, LaneKind::overhead})
    EXPECT_NE(lane(kind), nullptr) << static_cast<int>(kind);
  EXPECT_EQ(lane(LaneKind::step)->lane.size(), capture.steps().size());
  EXPECT_EQ(model.lanes[static_cast<size_t>(model.op_lane)].kind, LaneKind::op);
}

TEST_F(TimelineModelTest, OpsLaneHoldsEveryTracedOpOnce) {
  size_t ops = 0;
  for (size_t i = 0; i < capture.activities().size(); ++i)
    ops += capture.activities().kind[i] == profiler::ActivityKind::op ? 1 : 0;
  EXPECT_GT(ops, 0u);
  EXPECT_EQ(model.lanes[static_cast<size_t>(model.op_lane)].lane.size(), ops);
}

TEST_F(TimelineModelTest, PhasesOfATracedStepAreForwardBackwardUpdate) {
  std::vector<std::string> phases;
  for (const Span& s : lane(LaneKind::phase)->lane.spans())
    if (s.step == 1) phases.push_back(model.labels[s.label]);
  EXPECT_EQ(phases, (std::vector<std::string>{"forward", "backward", "update"}));
}

TEST_F(TimelineModelTest, UntracedStepIsSaidAndHasNoOps) {
  const Lane& steps = lane(LaneKind::step)->lane;
  bool found = false;
  for (const Span& s : steps.spans()) found = found || model.labels[s.label] == "step 3 (not traced)";
  EXPECT_TRUE(found);
  for (const Span& s : model.lanes[static_cast<size_t>(model.op_lane)].lane.spans()) EXPECT_NE(s.step, 3u);
}

TEST_F(TimelineModelTest, CountersHoldTheAnalysesTotals) {
  const size_t runs = 4;  // warm-up and three traced steps
  double flops = 0, dram = 0;
  for (const auto& op : capture.ops()) {
    flops += op.flops;
    for (size_t r = 0; r < engine::kRoleCount; ++r)
      dram += analyzed->model.op_levels[op.id].front().read[r] + analyzed->model.op_levels[op.id].front().written[r];
  }
  ASSERT_TRUE(analyzed->model.known);
  for (const auto& counter : model.counters) {
    const double total = counter.cumulative(model.end_ns + 1);
    if (counter.key == "flops") {
      EXPECT_NEAR(total, runs * flops, 1e-9 * total);
    }
    if (counter.key == "dram") {
      EXPECT_NEAR(total, runs * dram, 1e-9 * total);
    }
    if (counter.key == "live") {
      const auto footprint = profiler::footprint(capture);
      EXPECT_DOUBLE_EQ(counter.lanes.front().aggregate(0, counter.lanes.front().size()).weight_max,
                       footprint.peak_bytes);
    }
    EXPECT_TRUE(counter.unknown_reason.empty());
  }
  EXPECT_EQ(model.counters.size(), 3u);
}

TEST_F(TimelineModelTest, ChartsKnowTheRoofsThatRooflineDraws) {
  const auto roofs = profiler::roofline(capture, analyzed->model).roofs;
  const auto chart = [&](const char* key) -> const TimelineCounter& {
    return *std::ranges::find(model.counters, key, &TimelineCounter::key);
  };
  const auto dram_roof = std::ranges::find(roofs, "DRAM", &profiler::Roof::level);
  ASSERT_NE(dram_roof, roofs.end());
  const TimelineCounter& dram = chart("dram");
  EXPECT_DOUBLE_EQ(dram.roof, dram_roof->value);
  EXPECT_EQ(
      dram.roof_name,
      "DRAM roof " + profiler::format_quantity(dram_roof->value, profiler::Quantity::bytes_per_s) + " (measured)");
  EXPECT_NE(dram.roof_help.find("Peaks above it"), std::string::npos);
  EXPECT_NE(dram.roof_help.find("bytes are modelled"), std::string::npos) << dram.roof_help;
  EXPECT_DOUBLE_EQ(chart("flops").roof, std::ranges::find(roofs, "", &profiler::Roof::level)->value);
  EXPECT_TRUE(std::isnan(chart("live").roof)) << "bytes that live have no roof";
  const TimelineRow row{TimelineRow::Kind::counter, static_cast<int>(&dram - model.counters.data()), 0, 40};
  const QString tip = row_tip(model, row);
  EXPECT_TRUE(tip.contains(QStringLiteral("DRAM roof"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("Origin: <b>modelled</b>"))) << tip.toStdString();

  EXPECT_EQ(dram.roof_help.find("busy machine"), std::string::npos);
  auto built = tests::sample_builder();
  built.machine().foreign_load_ratio = 0.5;
  const TimelineModel weak = build_timeline(*profiler::analyze(*built.finish()));
  for (const char* key : {"dram", "flops"}) {
    const TimelineCounter& counter = *std::ranges::find(weak.counters, key, &TimelineCounter::key);
    EXPECT_TRUE(counter.roof_name.ends_with("(measured, low confidence)")) << counter.roof_name;
    EXPECT_NE(counter.roof_help.find("busy machine"), std::string::npos) << counter.roof_help;
  }

  profiler::Analyzed held = *analyzed;
  for (auto& levels : held.model.op_levels) levels[0] = {};
  held.sources = profiler::TrafficSources(held.capture, held.model);
  const TimelineModel inside = build_timeline(held);
  EXPECT_NE(inside.counters.front().nothing.find("stays in the caches"), std::string::npos);
  EXPECT_TRUE(dram.nothing.empty());
}

TEST_F(TimelineModelTest, APeakAboveTheRoofIsMarkedAndTheRoofIsInTheChart) {
  TimelineCounter chart;
  chart.roof = 100;
  const CounterScale above = counter_scale(chart, 140), near = counter_scale(chart, 60), far = counter_scale(chart, 10);
  EXPECT_TRUE(above.above && above.roof_drawn);
  EXPECT_EQ(above.top, 140);
  EXPECT_TRUE(near.roof_drawn && !near.above);
  EXPECT_EQ(near.top, 100) << "the line has its place in the chart";
  EXPECT_FALSE(far.roof_drawn);
  EXPECT_EQ(far.top, 10) << "or the chart would be flat";
  EXPECT_FALSE(counter_scale(chart, 101).above) << "within what a probe's repeats differ by";
  chart.roof = std::nan("");
  EXPECT_FALSE(counter_scale(chart, 140).roof_drawn);
  EXPECT_EQ(counter_scale(chart, 0).top, 0);
}

TEST_F(TimelineModelTest, CounterSaysWhyItIsUnknown) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.machine() = {};
  const auto blind = profiler::analyze(*builder.finish());
  const TimelineModel m = build_timeline(*blind);
  ASSERT_EQ(m.counters.front().key, "dram");
  EXPECT_NE(m.counters.front().unknown_reason.find("tensortide probe"), std::string::npos);
  EXPECT_TRUE(std::isnan(range_statistics(*blind, m.begin_ns, m.end_ns).dram_bytes));
}

TEST_F(TimelineModelTest, LayersAreDerivedWhenNotRecorded) {
  profiler::CaptureBuilder builder;
  const auto track = builder.add_track({profiler::TrackKind::host_thread, "main thread", "Host"});
  const char* layers[] = {"a.x", "a.x", "a.y", "b", "b"};
  for (int i = 0; i < 5; ++i) {
    profiler::OpRecord op;
    op.name = builder.intern("op" + std::to_string(i));
    op.layer = builder.intern(layers[i]);
    op.phase = i < 4 ? profiler::Phase::forward : profiler::Phase::backward;
    const auto id = builder.add_op(op, {});
    profiler::Activity a;
    a.start_ns = 1000 + i * 100;
    a.duration_ns = 90;
    a.op = id;
    a.step = 0;
    a.track = track;
    builder.add_activity(a);
  }
  builder.add_step({0, 1000, 500, true, false});
  const auto made = builder.finish();
  ASSERT_TRUE(made.ok()) << made.error().message;
  const TimelineModel m = build_timeline(*profiler::analyze(*made));
  std::vector<std::vector<std::string>> found;
  for (const auto& l : m.lanes) {
    if (l.kind != LaneKind::layer) continue;
    found.emplace_back();
    for (const Span& s : l.lane.spans()) found.back().push_back(m.labels[s.label]);
  }
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (std::vector<std::string>{"a", "b", "b"}));  // the second b is backward
  EXPECT_EQ(found[1], (std::vector<std::string>{"a.x", "a.y"}));
}

TEST(TimelineModel, AnOpTooQuickForTheClockStaysInTheOpsLane) {
  profiler::CaptureBuilder builder;
  const auto track = builder.add_track({profiler::TrackKind::host_thread, "main thread", "Host"});
  std::vector<profiler::OpId> ops;
  for (const char* name : {"quick", "slow"}) {
    profiler::OpRecord op;
    op.name = op.type = op.layer = op.kernel = builder.intern(name);
    ops.push_back(builder.add_op(op, {}));
  }
  builder.add_step({.index = 0, .start_ns = 0, .duration_ns = 100, .traced = true, .warmup = false});
  for (size_t i = 0; i < 2; ++i) {
    profiler::Activity activity;
    activity.start_ns = 50;
    activity.duration_ns = i == 0 ? 0 : 40;
    activity.op = ops[i];
    activity.step = 0;
    activity.track = track;
    builder.add_activity(activity);
  }
  auto finished = builder.finish();
  ASSERT_TRUE(finished.ok());
  const TimelineModel quick = build_timeline(*profiler::analyze(*finished));
  size_t lanes = 0;
  for (const TimelineLane& lane : quick.lanes) lanes += lane.kind == LaneKind::op ? 1 : 0;
  EXPECT_EQ(lanes, 1u);
}

TEST_F(TimelineModelTest, RangeStatisticsOfOneStep) {
  const auto& step = capture.steps()[1];
  ASSERT_TRUE(step.traced && !step.warmup);
  const RangeStatistics s = range_statistics(*analyzed, step.start_ns, step.start_ns + step.duration_ns);
  int64_t busy = 0;
  size_t count = 0;
  for (profiler::OpId op = 0; op < SampleOps::count; ++op) {
    busy += tests::sample_op_ns(op, step.index);
    count += tests::sample_op_ns(op, step.index) > 0 ? 1 : 0;
  }
  EXPECT_EQ(s.range_ns, step.duration_ns);
  EXPECT_EQ(s.busy_ns, busy);
  EXPECT_EQ(s.op_count, count);
  EXPECT_EQ(s.busy_ns + s.idle_in_steps_ns + s.idle_untraced_ns + s.idle_between_ns, s.range_ns);
  EXPECT_EQ(s.idle_between_ns, 0);
  ASSERT_FALSE(s.top.empty());
  for (size_t i = 1; i < s.top.size(); ++i) EXPECT_GE(s.top[i - 1].time_ns, s.top[i].time_ns);
}

TEST_F(TimelineModelTest, RangeStatisticsClipsAtItsEnds) {
  const Lane& ops = model.lanes[static_cast<size_t>(model.op_lane)].lane;
  const Span op = ops.span(0);
  const int64_t quarter = (op.end_ns - op.begin_ns) / 4;
  const RangeStatistics s = range_statistics(*analyzed, op.begin_ns + quarter, op.begin_ns + 2 * quarter);
  EXPECT_EQ(s.busy_ns, quarter);
  EXPECT_EQ(s.op_count, 1u);
  EXPECT_NEAR(s.flops,
              capture.ops()[op.op].flops * static_cast<double>(quarter) / static_cast<double>(op.end_ns - op.begin_ns),
              1.0);
  EXPECT_EQ(range_statistics(*analyzed, 5, 5).range_ns, 0);
  const RangeStatistics untraced = range_statistics(*analyzed, capture.steps()[3].start_ns,
                                                    capture.steps()[3].start_ns + capture.steps()[3].duration_ns);
  EXPECT_EQ(untraced.busy_ns, 0);
  EXPECT_EQ(untraced.idle_in_steps_ns, 0) << "an untraced step is unknown, not idle";
  EXPECT_EQ(untraced.idle_untraced_ns, capture.steps()[3].duration_ns);
}

}  // namespace
}  // namespace views
