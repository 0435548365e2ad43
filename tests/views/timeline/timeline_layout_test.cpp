// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the timeline: zoom keeps the time under the pointer, rows do not overlap, ruler ticks
// are round.
#include "views/timeline/timeline_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/sample_capture.h"

namespace views {
namespace {

TimelineModel model() { return build_timeline(*profiler::analyze(tests::sample_capture())); }

TEST(TimelineLayout, ZoomKeepsTheTimeUnderThePointer) {
  const TimelineModel m = model();
  const TimelineGeometry g = layout_timeline(m, 1200, 600, 14);
  TimelineWindow w = whole_window(m);
  const double px = 700;
  const int64_t at = g.time(px, w);
  for (int i = 0; i < 30; ++i) {
    w = zoomed(w, at, 0.8, m);
    ASSERT_GE(w.span_ns(), kSmallestWindowNs);
    EXPECT_NEAR(g.x(at, w), px, 1.0) << "after " << i << " notches";
  }
}

TEST(TimelineLayout, WindowStaysInsideTheCapture) {
  const TimelineModel m = model();
  const TimelineWindow whole = whole_window(m);
  EXPECT_EQ(clamp_window({whole.begin_ns - 1000000000, whole.end_ns + 1000000000}, m), whole);
  const TimelineWindow right = clamp_window({whole.end_ns, whole.end_ns + 1000}, m);
  EXPECT_EQ(right.span_ns(), 1000);
  // Close up as from afar: next to nothing of what is seen lies beyond the ends.
  for (int64_t span = 1000; span < m.end_ns - m.begin_ns; span *= 7) {
    const TimelineWindow first = clamp_window({m.begin_ns - 1000000000, m.begin_ns - 1000000000 + span}, m);
    const TimelineWindow last = clamp_window({m.end_ns + 1000000000, m.end_ns + 1000000000 + span}, m);
    EXPECT_LE(m.begin_ns - first.begin_ns, span / 50 + 1) << span;
    EXPECT_LE(last.end_ns - m.end_ns, span / 50 + 1) << span;
    EXPECT_LE(first.begin_ns, m.begin_ns);
    EXPECT_GE(last.end_ns, m.end_ns);
  }
  EXPECT_EQ(clamp_window({m.begin_ns, m.begin_ns}, m).span_ns(), kSmallestWindowNs);
}

TEST(TimelineLayout, RevealingMovesOnlyWhenNeeded) {
  const TimelineModel m = model();
  const TimelineWindow w = fitted(m.begin_ns, m.begin_ns + 1000000, 0, m);
  EXPECT_EQ(revealing(w, m.begin_ns + 10, m.begin_ns + 20, m), w);
  const TimelineWindow moved = revealing(w, m.end_ns - 2000000, m.end_ns - 1900000, m);
  EXPECT_EQ(moved.span_ns(), w.span_ns());
  EXPECT_LT(moved.begin_ns, m.end_ns - 2000000);
  EXPECT_GT(moved.end_ns, m.end_ns - 1900000);
}

TEST(TimelineLayout, RowsFollowEachOtherAndFillTheHeight) {
  const TimelineModel m = model();
  for (const int height : {300, 450, 720, 1080}) {
    const TimelineGeometry g = layout_timeline(m, 1000, height, 14);
    EXPECT_EQ(g.rows.size(), m.lanes.size() + m.counters.size() + 3u) << "rows and the names of three groups";
    int y = 0;
    for (const auto& row : g.rows) {
      EXPECT_GE(row.y, y);
      EXPECT_GT(row.height, 14);
      y = row.y + row.height;
    }
    EXPECT_LE(y, g.content_height);
    if (height >= 720) {
      EXPECT_LE(g.content_height, height - g.top()) << "no scroll bar when everything fits";
    }
  }
}

TEST(TimelineLayout, RulerTicksAreRoundAndFew) {
  for (const int64_t span : {500LL, 12345LL, 7000000LL, 999999999LL, 100000000000LL}) {
    for (const int64_t offset : {0LL, 123456789LL}) {
      const Ruler r = ruler(1000, {1000 + offset, 1000 + offset + span}, 8);
      EXPECT_GE(r.ticks.size(), 2u) << span;
      EXPECT_LE(r.ticks.size(), 10u) << span;
      ASSERT_FALSE(r.unit.empty());
      const int64_t step = r.ticks[1].at_ns - r.ticks[0].at_ns;
      int64_t digits = step;
      while (digits % 10 == 0) digits /= 10;
      EXPECT_TRUE(digits == 1 || digits == 2 || digits == 5) << "step " << step;
      for (const auto& t : r.ticks) {
        const double scale = r.unit == "ns" ? 1 : r.unit == "µs" ? 1e3 : r.unit == "ms" ? 1e6 : 1e9;
        EXPECT_NEAR(std::strtod(t.label.c_str(), nullptr) * scale, static_cast<double>(t.at_ns - 1000), 1.0);
        EXPECT_LE(t.label.size(), 10u);
      }
    }
  }
}

TEST(TimelineLayout, HitFindsTheLongestSpanUnderAPixel) {
  const TimelineModel m = model();
  const TimelineGeometry g = layout_timeline(m, 1000, 600, 14);
  const TimelineWindow w = whole_window(m);
  const Lane& ops = m.lanes[static_cast<size_t>(m.op_lane)].lane;
  const size_t wanted = 1;
  const int64_t middle = (ops.span(wanted).begin_ns + ops.span(wanted).end_ns) / 2;
  TimelineHit hit;
  ASSERT_TRUE(span_at(m, g, w, m.op_lane, g.x(middle, w), hit));
  EXPECT_EQ(hit, (TimelineHit{m.op_lane, wanted}));
  EXPECT_FALSE(span_at(m, g, w, m.op_lane, g.header_width - 5, hit));
  EXPECT_FALSE(span_at(m, g, w, 99, 500, hit));
}

TEST(TimelineLayout, TheFirstLookIsAtAStepThatTakesAsLongAsTheyDo) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const TimelineModel m = build_timeline(*profiler::analyze(*capture));
  std::vector<const profiler::StepRecord*> steps;
  for (const auto& step : (*capture)->steps())
    if (step.traced && !step.warmup) steps.push_back(&step);
  ASSERT_GE(steps.size(), 3u);
  std::ranges::sort(steps, {}, &profiler::StepRecord::duration_ns);
  const profiler::StepRecord& middle = *steps[(steps.size() - 1) / 2];
  const TimelineWindow w = first_window(**capture, m);
  EXPECT_LE(w.begin_ns, middle.start_ns);
  EXPECT_GE(w.end_ns, middle.start_ns + middle.duration_ns);
  EXPECT_LT(w.span_ns(), 2 * middle.duration_ns);
}

}  // namespace
}  // namespace views
