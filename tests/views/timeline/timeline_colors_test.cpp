// SPDX-License-Identifier: GPL-3.0-or-later
// What colours of bars mean, as numbers: one colour for one meaning, apart from its surface, explained by the legend.
#include "views/timeline/timeline_colors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "views/timeline/timeline_text.h"

namespace views {
namespace {

double luminance_of(const QColor& c) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast_of(const QColor& a, const QColor& b) {
  const double x = luminance_of(a), y = luminance_of(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

struct Colored {
  std::shared_ptr<const profiler::Analyzed> analyzed;
  TimelineModel model;
  explicit Colored(std::shared_ptr<const profiler::Capture> capture)
      : analyzed(profiler::analyze(std::move(capture))), model(build_timeline(*analyzed)) {}
  TimelinePalette palette(TimelineColors colors, const Theme& theme = Theme::light()) const {
    return {*analyzed, model, theme, colors};
  }
};

TEST(TimelineColors, AreReadableOnBothSurfacesAndCarryReadableNames) {
  for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
    std::set<QRgb> seen;
    for (size_t i = 0; i < kHueCount; ++i) {
      const QColor color = hue(*theme, i);
      EXPECT_TRUE(seen.insert(color.rgb()).second) << i;
      EXPECT_GE(contrast_of(color, theme->surface), 3.0) << color.name().toStdString();
      EXPECT_GE(contrast_of(color, readable_on(color)), 4.5) << color.name().toStdString();
    }
  }
  for (int grey = 0; grey < 256; ++grey)
    EXPECT_GE(contrast_of(QColor(grey, grey, grey), readable_on(QColor(grey, grey, grey))), 4.5) << grey;
}

TEST(TimelineColors, ByNameAreTheSameForOneName) {
  const Colored gpu(tests::sample_gpu_capture());
  const TimelinePalette palette = gpu.palette(TimelineColors::name);
  std::map<uint32_t, QRgb> of_label;
  std::set<QRgb> colors;
  for (const TimelineLane& lane : gpu.model.lanes) {
    if (!palette.needs_label(lane)) continue;
    for (const Span span : lane.lane.spans()) {
      const QRgb color = palette.fill(lane, span).rgb();
      EXPECT_EQ(of_label.try_emplace(span.label, color).first->second, color);
      colors.insert(color);
    }
  }
  EXPECT_GT(of_label.size(), 4u);
  EXPECT_GT(colors.size(), 2u);
  // Names, not ids: another capture with other names before it gives the same colours.
  const Colored again(tests::sample_gpu_capture());
  for (const auto& [label, color] : of_label) {
    const TimelineLane& any = *std::ranges::find_if(
        again.model.lanes, [&](const auto& l) { return again.palette(TimelineColors::name).needs_label(l); });
    Span span;
    span.label = label;
    EXPECT_EQ(again.palette(TimelineColors::name).fill(any, span).rgb(), color);
  }
}

TEST(TimelineColors, ByStreamAreOfTheTrackAndInTheLegend) {
  const Colored gpu(tests::sample_gpu_capture());
  const TimelinePalette palette = gpu.palette(TimelineColors::stream);
  std::map<profiler::TrackId, QRgb> of_track;
  for (const TimelineLane& lane : gpu.model.lanes) {
    if (lane.kind == LaneKind::step || lane.kind == LaneKind::idle || lane.kind == LaneKind::overhead) continue;
    EXPECT_FALSE(palette.needs_op(lane) || palette.needs_label(lane)) << "a lane has one colour: frames stay fast";
    const QRgb color = palette.fill(lane, Span{}).rgb();
    EXPECT_EQ(of_track.try_emplace(lane.track, color).first->second, color);
  }
  ASSERT_GE(of_track.size(), 2u);
  for (const auto& [track, color] : of_track) {
    const bool told = std::ranges::any_of(palette.legend(), [&, color = color, track = track](const auto& entry) {
      return entry.color.rgb() == color && entry.text.toStdString() == gpu.model.capture->tracks()[track].name;
    });
    EXPECT_TRUE(told) << gpu.model.capture->tracks()[track].name;
  }
}

TEST(TimelineColors, ByCategoryVerdictAndRooflineAreOfTheOpAndInTheLegend) {
  const Colored own(tests::sample_capture());
  const TimelineLane& ops = own.model.lanes[static_cast<size_t>(own.model.op_lane)];
  for (const auto colors :
       {TimelineColors::category, TimelineColors::verdict, TimelineColors::roofline, TimelineColors::phase}) {
    const TimelinePalette palette = own.palette(colors);
    EXPECT_TRUE(palette.needs_op(ops));
    std::set<QRgb> used, told;
    for (const Span span : ops.lane.spans()) used.insert(palette.fill(ops, span).rgb());
    for (const auto& entry : palette.legend()) {
      EXPECT_FALSE(entry.text.isEmpty());
      told.insert(entry.color.rgb());
    }
    EXPECT_GT(used.size(), 1u) << colors_title(colors).toStdString();
    for (const QRgb color : used)
      EXPECT_TRUE(told.contains(color) || colors == TimelineColors::category) << colors_title(colors).toStdString();
  }
  // A kernel has the colour of the op that it was launched for.
  const Colored gpu(tests::sample_gpu_capture());
  const TimelinePalette palette = gpu.palette(TimelineColors::category);
  int kernels = 0;
  for (const TimelineLane& lane : gpu.model.lanes) {
    for (size_t i = 0; lane.kind == LaneKind::kernel && i < lane.lane.size(); ++i) {
      const Span span = lane.lane.span(i);
      if (span.op >= gpu.model.capture->ops().size()) continue;
      ++kernels;
      const auto type = gpu.model.capture->name(gpu.model.capture->ops()[span.op].type);
      const bool told = std::ranges::any_of(palette.legend(), [&](const auto& entry) {
        return entry.color == palette.fill(lane, span) && entry.text.toStdString() == type;
      });
      EXPECT_TRUE(told) << type;
    }
  }
  EXPECT_GT(kernels, 0);
}

TEST(TimelineColors, TheLegendNamesOnlyPhasesThatThereAre) {
  const Colored own(tests::sample_capture());
  EXPECT_EQ(own.palette(TimelineColors::phase).legend().size(), 3u);
  // A trace of another tool whose ops tell of no phase: names are the better choice, and no phase is claimed.
  profiler::CaptureBuilder builder = tests::sample_gpu_builder();
  builder.run().source = "PyTorch (Kineto) trace";
  const Colored other(*builder.finish());
  for (const auto& op : other.model.capture->ops()) ASSERT_EQ(op.phase, engine::Phase::forward);
  const auto legend = other.palette(TimelineColors::phase).legend();
  ASSERT_EQ(legend.size(), 1u);
  EXPECT_EQ(legend[0].text, QStringLiteral("phase unknown"));
  EXPECT_EQ(legend[0].color, Theme::light().unknown_phase);
  EXPECT_EQ(first_colors(*other.model.capture), TimelineColors::name);
  EXPECT_EQ(first_colors(*own.model.capture), TimelineColors::phase);
}

TEST(TimelineTitles, KeepWhatTellsRowsApart) {
  const QFontMetrics metrics(data_font());
  const QStringList all{
      QStringLiteral("ops of thread 25738 (python)"),     QStringLiteral("ops of thread 25738 (python) (2)"),
      QStringLiteral("ops of thread 25738 (python) (3)"), QStringLiteral("ops of thread 25739 (python)"),
      QStringLiteral("annotations of stream 7"),          QStringLiteral("annotations of stream 13"),
      QStringLiteral("waits of synchronisation"),         QStringLiteral("layers")};
  for (const double room : {70.0, 100.0, 124.0, 160.0, 400.0}) {
    std::set<QString> shown;
    for (const QString& title : all) {
      QStringList others = all;
      others.removeOne(title);
      const QString text = fitted_title(title, others, metrics, room);
      EXPECT_LE(metrics.horizontalAdvance(text), room + 1) << text.toStdString();
      EXPECT_EQ(text == title, metrics.horizontalAdvance(title) <= room);
      if (room >= 100) shown.insert(text);
      if (text != title && room >= 100) {
        EXPECT_EQ(text.left(2), title.left(2)) << text.toStdString();
      }
    }
    if (room >= 160) {
      EXPECT_EQ(shown.size(), static_cast<size_t>(all.size())) << room;
    }
  }
  // Depths of one thread differ by what stands at their end.
  const QString second = fitted_title(all[1], {all[0], all[2]}, metrics, 124);
  EXPECT_TRUE(second.endsWith(QStringLiteral("(2)"))) << second.toStdString();
  // Nothing but itself to be told from: its end goes.
  EXPECT_TRUE(fitted_title(all[0], {}, metrics, 124).endsWith(QStringLiteral("…")));
}

}  // namespace
}  // namespace views
