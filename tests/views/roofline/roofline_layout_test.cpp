// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline as numbers: slopes, ridges, dots where intensity and rate put them, labels inside and apart.
#include "views/roofline/roofline_layout.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/sample_document.h"
#include "views/base/paint.h"
#include "views/roofline/roofline_paint.h"

namespace {

const QRectF kRect(100, 50, 800, 500);
const views::ChartRange kRange{0.01, 1000, 0.1, 1000};  // 5 decades by 4, GFLOP/s

double x_of(double intensity) { return 100 + 160 * (std::log10(intensity) + 2); }
double y_of(double gflop_per_s) { return 550 - 125 * (std::log10(gflop_per_s) + 1); }

/// 10 GB/s and 100 GB/s under a peak of 200 GFLOP/s.
profiler::Roofline two_roofs() {
  profiler::Roofline r;
  for (const auto& [level, value] : {std::pair("DRAM", 10e9), std::pair("L3", 100e9), std::pair("", 200e9)}) {
    profiler::Roof roof;
    roof.level = level;
    roof.name = std::string(level) + " roof";
    roof.value = value;
    r.roofs.push_back(roof);
  }
  const auto point = [&](profiler::OpId op, const char* level, double intensity, double gflop_per_s, double time_ns) {
    profiler::RooflinePoint p;
    p.op = op;
    p.level = level;
    p.intensity = intensity;
    p.flop_per_s = gflop_per_s * 1e9;
    p.time_ns = time_ns;
    r.points.push_back(p);
  };
  point(0, "DRAM", 1, 5, 400);
  point(0, "L3", 0.1, 5, 400);
  point(1, "DRAM", 50, 100, 100);
  point(2, "DRAM", std::numeric_limits<double>::quiet_NaN(), 1, 100);
  return r;
}

TEST(RooflineLayout, RoofsRiseToTheRidgeAndStayLevelBeyond) {
  const auto layout = views::layout_roofline(two_roofs(), "DRAM", kRange, kRect, views::data_font());
  ASSERT_EQ(layout.roofs.size(), 3u);
  const auto& dram = layout.roofs[0];
  EXPECT_NEAR(dram.from.x(), x_of(0.01), 1e-6);
  EXPECT_NEAR(dram.from.y(), y_of(0.1), 1e-6);
  EXPECT_NEAR(dram.to.x(), x_of(20), 1e-6);
  EXPECT_NEAR(dram.to.y(), y_of(200), 1e-6);
  EXPECT_TRUE(dram.chosen);
  EXPECT_FALSE(layout.roofs[1].chosen);
  EXPECT_NEAR(layout.roofs[2].from.x(), x_of(2), 1e-6);
  EXPECT_NEAR(layout.roofs[2].from.y(), layout.roofs[2].to.y(), 1e-9);
  ASSERT_EQ(layout.ridges.size(), 2u);
  EXPECT_NEAR(layout.ridges[0].intensity, 20, 1e-9);  // the chosen level comes first
  EXPECT_NEAR(layout.ridges[1].intensity, 2, 1e-9);
  EXPECT_NEAR(layout.ridges[1].at.x(), x_of(2), 1e-6);
}

TEST(RooflineLayout, DotsFasterThanTheirRoofAreMarked) {
  profiler::Roofline r = two_roofs();
  r.points[0].attainable = 10e9, r.points[1].attainable = 4e9;  // 5 GFLOP/s: above the roof of L3
  r.points[2].attainable = 98e9;                                // within the roof's spread
  const auto layout = views::layout_roofline(r, views::kAllLevels, kRange, kRect, views::data_font());
  for (const auto& dot : layout.dots) EXPECT_EQ(dot.above, dot.op == 0 && dot.binds) << dot.op;
}

TEST(RooflineLayout, ACrowdHasADotForEachOpAndLetsItsDenseSpotsShow) {
  profiler::Roofline r = two_roofs();
  r.points.clear();
  for (profiler::OpId op = 0; op < 400; ++op) {
    for (const char* level : {"DRAM", "L3"}) {
      profiler::RooflinePoint p;
      p.op = op, p.level = level, p.intensity = level[0] == 'D' ? 1 : 0.1, p.flop_per_s = 5e9, p.time_ns = 10;
      p.attainable = level[0] == 'D' ? 10e9 : 8e9;
      r.points.push_back(p);
    }
  }
  const auto crowd = views::layout_roofline(r, views::kAllLevels, kRange, kRect, views::data_font());
  EXPECT_TRUE(crowd.crowded);
  EXPECT_EQ(crowd.dots.size(), 400u);
  for (const auto& dot : crowd.dots) EXPECT_EQ(dot.level, 1u) << "the nearest roof";
  for (auto& p : r.points) p.attainable = std::nan("");
  EXPECT_EQ(views::layout_roofline(r, views::kAllLevels, kRange, kRect, views::data_font()).dots.size(), 400u);
  r.points.resize(40);
  EXPECT_FALSE(views::layout_roofline(r, views::kAllLevels, kRange, kRect, views::data_font()).crowded);
  EXPECT_EQ(views::dot_opacity(10), 1);
  EXPECT_LT(views::dot_opacity(600), 0.5);
  EXPECT_GT(views::dot_opacity(100000), 0.1);
}

TEST(RooflineLayout, DotsStandWhereIntensityAndRateSay) {
  const auto layout = views::layout_roofline(two_roofs(), "DRAM", kRange, kRect, views::data_font());
  ASSERT_EQ(layout.dots.size(), 3u);
  EXPECT_EQ(layout.dots[0].op, 0u);  // largest first
  EXPECT_NEAR(layout.dots[0].centre.x(), x_of(1), 1e-6);
  EXPECT_NEAR(layout.dots[0].centre.y(), y_of(5), 1e-6);
  for (const auto& dot : layout.dots) {
    if (dot.op == 1) {
      EXPECT_NEAR(dot.radius / layout.dots[0].radius, 0.5, 1e-9) << "a quarter of the time is half the radius";
    }
    if (dot.op == 2) {
      EXPECT_TRUE(dot.beyond && dot.centre.x() > 870) << "no bytes: at the right edge";
    }
  }
  EXPECT_EQ(layout.beyond, 1);
  EXPECT_EQ(layout.dot_at({x_of(1), y_of(5)})->op, 0u);
  EXPECT_EQ(layout.dot_at({x_of(50) + 3.5, y_of(100)})->op, 1u);
  EXPECT_EQ(layout.dot_at({150, 60}), nullptr);
}

TEST(RooflineLayout, AllLevelsGiveADotPerOpAndLevelAndFillTheOneThatBinds) {
  profiler::Roofline roofline = two_roofs();
  roofline.points[0].attainable = 10e9;  // op 0: DRAM allows 10 GFLOP/s at 1 FLOP/B, L3 100 at 0.1
  roofline.points[1].attainable = 8e9;
  roofline.points[2].attainable = roofline.points[3].attainable = std::numeric_limits<double>::quiet_NaN();
  const auto layout = views::layout_roofline(roofline, views::kAllLevels, kRange, kRect, views::data_font());
  ASSERT_EQ(layout.dots.size(), 4u);
  int filled_of_first = 0;
  for (const auto& dot : layout.dots) {
    const auto& point = roofline.points[dot.point];
    EXPECT_EQ(dot.level, point.level == "DRAM" ? 0u : 1u);
    if (dot.op == 0) {
      EXPECT_NEAR(dot.centre.x(), x_of(point.intensity), 1e-6);
      EXPECT_EQ(dot.binds, point.level == "L3");
      filled_of_first += dot.binds;
    } else {
      EXPECT_TRUE(dot.binds) << "nothing is known against it";
    }
  }
  EXPECT_EQ(filled_of_first, 1);
  for (const auto& roof : layout.roofs) EXPECT_TRUE(roof.chosen);
  EXPECT_EQ(views::roofline_levels(roofline), (std::vector<std::string>{"DRAM", "L3"}));
}

TEST(RooflineLayout, LevelsOfOneOpAreJoinedInOrder) {
  const auto spots = views::level_spots(two_roofs(), 0, kRange, kRect);
  ASSERT_EQ(spots.size(), 2u);
  EXPECT_EQ(spots[0].level, "L3");
  EXPECT_EQ(spots[1].level, "DRAM");
  EXPECT_NEAR(spots[0].at.y(), spots[1].at.y(), 1e-9) << "same time and FLOPs, other bytes";
}

TEST(RooflineLayout, NothingLeavesTheAxesWhenZoomed) {
  const auto analyzed = tests::sample_analyzed();
  const auto roofline = profiler::roofline(*analyzed->capture, analyzed->model);
  const auto home = views::roofline_range(roofline);
  for (double zoom : {1.0, 0.3, 0.05}) {
    const views::ChartRange range{home.x_low, home.x_low * std::pow(home.x_high / home.x_low, zoom), home.y_low,
                                  home.y_low * std::pow(home.y_high / home.y_low, zoom)};
    const auto layout = views::layout_roofline(roofline, "DRAM", range, kRect, views::data_font());
    const QRectF inside = kRect.adjusted(-0.01, -0.01, 0.01, 0.01);
    for (const auto& roof : layout.roofs) EXPECT_TRUE(inside.contains(roof.from) && inside.contains(roof.to)) << zoom;
    for (const auto& dot : layout.dots) EXPECT_TRUE(inside.contains(dot.centre));
    for (const auto& ridge : layout.ridges) EXPECT_TRUE(inside.contains(ridge.at));
  }
}

TEST(RooflineLayout, HomeShowsEveryDotAndLabelsKeepApart) {
  const auto analyzed = tests::sample_analyzed();
  const auto roofline = profiler::roofline(*analyzed->capture, analyzed->model);
  for (const char* level : {"DRAM", "L3", "L2", "L1", views::kAllLevels}) {
    const auto layout =
        views::layout_roofline(roofline, level, views::roofline_range(roofline), kRect, views::data_font());
    size_t expected = 0;
    for (const auto& point : roofline.points) expected += *level == 0 || point.level == level;
    EXPECT_EQ(layout.dots.size(), expected) << level;
    std::vector<QRectF> labels;
    for (const auto& ridge : layout.ridges) {
      if (!ridge.label.isEmpty()) labels.push_back(ridge.label);
    }
    EXPECT_EQ(labels.size(), 4u);
    EXPECT_EQ(tests::first_overlap(labels), std::pair(-1, -1));
    for (const auto& roof : layout.roofs) EXPECT_TRUE(roof.labelled) << roof.text.toStdString();
  }
}

TEST(RooflineLayout, RoofsThatLieCloseWriteBesideEachOtherOrNotAtAll) {
  profiler::Roofline r = two_roofs();
  for (int i = 0; i < 24; ++i) {
    profiler::Roof roof;
    roof.level = "L2";
    roof.name = "roof with a long name";
    roof.value = 10e9 + 0.2e9 * i;
    r.roofs.push_back(roof);
  }
  const QFont font = views::data_font();
  const auto layout = views::layout_roofline(r, views::kAllLevels, kRange, kRect, font);
  std::vector<QRectF> labels;  // in axes along and across the roofs
  for (const auto& roof : layout.roofs) {
    if (!roof.labelled || roof.angle == 0) continue;
    const QPointF along = (roof.to - roof.from) / std::hypot(roof.to.x() - roof.from.x(), roof.to.y() - roof.from.y()),
                  across(along.y(), -along.x());
    const QFontMetricsF metrics(views::scaled_font(font, 1.0, roof.chosen));
    labels.emplace_back(QPointF::dotProduct(roof.label, along), QPointF::dotProduct(roof.label, across),
                        metrics.horizontalAdvance(roof.text), metrics.height());
  }
  EXPECT_GT(labels.size(), 3u);
  EXPECT_LT(labels.size(), 26u) << "there is not room for all";
  EXPECT_EQ(tests::first_overlap(labels), std::pair(-1, -1));
}

TEST(RooflineLayout, NoPointsAndNoRoomAreFine) {
  const profiler::Roofline nothing;
  const auto range = views::roofline_range(nothing);
  EXPECT_LT(range.x_low, range.x_high);
  EXPECT_TRUE(views::layout_roofline(nothing, "DRAM", range, kRect, views::data_font()).dots.empty());
  EXPECT_TRUE(
      views::layout_roofline(two_roofs(), "DRAM", kRange, QRectF(0, 0, 1, 1), views::data_font()).roofs.empty());
}

/// Whether a circle and an upright rectangle meet.
bool meets(const QRectF& rect, QPointF centre, double radius) {
  const QPointF nearest(std::clamp(centre.x(), rect.left(), rect.right()),
                        std::clamp(centre.y(), rect.top(), rect.bottom()));
  return std::hypot(nearest.x() - centre.x(), nearest.y() - centre.y()) < radius;
}

/// Dots that a disturbed probe leaves above its roofs: a crowd right where labels of ridge points used to stand.
profiler::Roofline crowded() {
  profiler::Roofline r = two_roofs();
  for (int i = 0; i < 200; ++i) {
    profiler::RooflinePoint p = r.points[0];
    p.op = static_cast<profiler::OpId>(10 + i);
    p.intensity = std::pow(10.0, -0.5 + 2.5 * (i % 20) / 20.0);
    p.flop_per_s = 220e9 * std::pow(1.9, (i / 20) / 10.0);
    p.time_ns = 40;
    r.points.push_back(p);
  }
  return r;
}

TEST(RooflineLayout, LabelsOfRidgesKeepOffDots) {
  const auto layout = views::layout_roofline(crowded(), "DRAM", kRange, kRect, views::data_font());
  int placed = 0;
  for (const auto& ridge : layout.ridges) {
    if (ridge.label.isEmpty()) continue;
    ++placed;
    EXPECT_TRUE(kRect.contains(ridge.label));
    for (const auto& dot : layout.dots)
      EXPECT_FALSE(meets(ridge.label, dot.centre, dot.radius)) << ridge.text.toStdString();
  }
  EXPECT_GT(placed, 0) << "above the crowd there is room";
  for (const auto& roof : layout.roofs) {
    if (roof.memory) continue;
    ASSERT_TRUE(roof.labelled);
    EXPECT_LT(roof.label.y(), kRect.bottom());
    for (const auto& dot : layout.dots) {
      const QFontMetricsF metrics(views::scaled_font(views::data_font(), 1.0, true));
      const double width = metrics.horizontalAdvance(roof.text), height = metrics.ascent();
      EXPECT_FALSE(meets(QRectF(roof.label.x(), roof.label.y() - height, width, height), dot.centre, dot.radius))
          << "below the roof nothing is";
    }
  }
}

TEST(RooflineLayout, LabelsOfRidgesSayTheirUnitWhereThereIsRoom) {
  const auto wide = views::layout_roofline(two_roofs(), "DRAM", kRange, kRect, views::data_font());
  ASSERT_EQ(wide.ridges.size(), 2u);
  EXPECT_EQ(wide.ridges[0].label_text, QStringLiteral("DRAM ridge 20 FLOP/B"));
  const QFont small = views::scaled_font(views::data_font(), 0.92);
  const QRectF narrow(0, 0, views::text_width(small, wide.ridges[0].text), 400);
  const auto tight = views::layout_roofline(two_roofs(), "DRAM", kRange, narrow, views::data_font());
  ASSERT_EQ(tight.ridges.size(), 2u);
  ASSERT_FALSE(tight.ridges[0].label.isEmpty());
  EXPECT_EQ(tight.ridges[0].label_text, QStringLiteral("DRAM ridge 20")) << "the axis has the unit";
  EXPECT_NEAR(tight.ridges[0].label.width(), views::text_width(small, tight.ridges[0].label_text), 0.5);
  EXPECT_TRUE(narrow.contains(tight.ridges[0].label));
}

TEST(RooflineLayout, ThePeakIsNamedHoweverShortItsLineIs) {
  profiler::Roofline r = two_roofs();
  r.roofs[2].name = "f32 peak 200 GFLOP/s";
  for (double width = 300; width <= 1600; width += 50) {
    // The peak begins at the ridge of the fastest memory, 2 FLOP/B: a twentieth of the picture is right of it.
    const views::ChartRange range{0.0001, 3.5, 0.1, 1000};
    const auto layout = views::layout_roofline(r, "DRAM", range, QRectF(0, 0, width, 400), views::data_font());
    const auto peak =
        std::find_if(layout.roofs.begin(), layout.roofs.end(), [](const auto& roof) { return !roof.memory; });
    ASSERT_NE(peak, layout.roofs.end()) << width;
    EXPECT_TRUE(peak->labelled) << width;
    EXPECT_GE(peak->label.x(), 0) << width;
  }
}

}  // namespace
