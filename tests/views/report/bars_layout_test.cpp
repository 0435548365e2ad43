// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a report's first page as numbers: in proportion, inside, apart, and what does not fit is summed up.
#include "views/report/bars_layout.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "tests/support/sample_document.h"
#include "views/base/theme.h"
#include "views/report/bars_paint.h"

namespace {

using profiler::ReportBars;
using views::BarsLayout;

ReportBars bars_of(size_t count) {
  ReportBars bars{.title = "Where the time goes", .help = "Medians."};
  for (size_t i = 0; i < count; ++i) {
    ReportBars::Bar bar{.label = "type " + std::to_string(i), .value = 1e6 * static_cast<double>(count - i)};
    bar.shown = profiler::format_quantity(bar.value, profiler::Quantity::duration_ns);
    bar.detail = bar.label + ": " + bar.shown;
    bars.bars.push_back(bar);
  }
  return bars;
}

std::vector<QRectF> of_kind(const BarsLayout& layout, BarsLayout::Kind kind) {
  std::vector<QRectF> rects;
  for (const auto& mark : layout.marks) {
    if (mark.kind == kind) rects.push_back(mark.rect);
  }
  return rects;
}

void expect_inside(const BarsLayout& layout, const QSizeF& size) {
  const QRectF page(QPointF(-0.5, -0.5), size + QSizeF(1, 1));
  for (const auto& mark : layout.marks) EXPECT_TRUE(page.contains(mark.rect)) << mark.rect.bottom();
  std::vector<QRectF> texts;
  for (const auto& text : layout.texts) {
    EXPECT_TRUE(page.contains(text.rect)) << text.text.toStdString() << " " << text.rect.bottom();
    texts.push_back(text.rect);
  }
  EXPECT_EQ(tests::first_overlap(texts), (std::pair{-1, -1}));
}

TEST(BarsLayoutTest, BarsAreAsLongAsTheirTimes) {
  const BarsLayout layout = views::layout_bars(bars_of(4), {900, 300}, views::data_font());
  const auto bars = of_kind(layout, BarsLayout::Kind::after);
  ASSERT_EQ(bars.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(bars[i].width() / bars[0].width(), static_cast<double>(4 - i) / 4, 0.01) << i;
  expect_inside(layout, {900, 300});
}

TEST(BarsLayoutTest, WhatDoesNotFitIsOneBarOfTheSameSum) {
  ReportBars bars = bars_of(60);
  bars.judged = true;
  const BarsLayout layout = views::layout_bars(bars, {900, 260}, views::data_font());
  EXPECT_LT(layout.bars, 60u);
  EXPECT_GT(layout.bars, 4u);
  expect_inside(layout, {900, 260});
  double sum = 0;
  for (size_t i = layout.bars - 1; i < 60; ++i) sum += bars.bars[i].value;
  const std::string rest = profiler::format_quantity(sum, profiler::Quantity::duration_ns);
  EXPECT_TRUE(std::ranges::any_of(layout.texts, [&](const auto& t) { return t.text.toStdString() == rest; })) << rest;
  bars.sums = false;
  const BarsLayout cut = views::layout_bars(bars, {900, 260}, views::data_font());
  EXPECT_TRUE(
      std::ranges::any_of(cut.texts, [](const auto& t) { return t.text.endsWith(QLatin1String("not drawn")); }));
  expect_inside(cut, {900, 260});
}

TEST(BarsLayoutTest, StepsAreDotsBesideTheIntervalOfTheirMedian) {
  ReportBars bars = bars_of(3);
  bars.steps = {{1, 1e6}, {2, 2e6}, {3, 4e6}};
  bars.low = 1e6, bars.median = 2e6, bars.high = 4e6;
  const BarsLayout layout = views::layout_bars(bars, {900, 300}, views::data_font());
  const auto dots = of_kind(layout, BarsLayout::Kind::dot);
  ASSERT_EQ(dots.size(), 3u);
  const QRectF band = of_kind(layout, BarsLayout::Kind::band).front();
  EXPECT_NEAR(dots[0].center().x(), band.left(), 0.5);
  EXPECT_NEAR(dots[2].center().x(), band.right(), 0.5);
  EXPECT_NEAR(of_kind(layout, BarsLayout::Kind::median).front().center().x(), dots[1].center().x(), 0.5);
  expect_inside(layout, {900, 300});
}

TEST(BarsLayoutTest, ComparedTimesAreTwoBars) {
  ReportBars bars = bars_of(3);
  for (auto& bar : bars.bars) bar.before = 2 * bar.value;
  bars.bars[2].value = std::nan("");  // an op that is only before
  const BarsLayout layout = views::layout_bars(bars, {900, 300}, views::data_font());
  EXPECT_EQ(of_kind(layout, BarsLayout::Kind::before).size(), 3u);
  EXPECT_EQ(of_kind(layout, BarsLayout::Kind::after).size(), 2u);
  expect_inside(layout, {900, 300});
}

TEST(BarsSvg, EscapesNamesAndAnswersTheMouse) {
  ReportBars bars = bars_of(2);
  bars.bars[0].label = "<script>&\"'";
  bars.bars[0].detail = "<b>whole</b> %1 name";
  const QFont font = views::data_font();
  const std::string svg =
      views::bars_svg(views::layout_bars(bars, {900, views::full_height(bars, font)}, font), 900, font);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("<title>&lt;b&gt;whole&lt;/b&gt; %1 name</title>"), std::string::npos) << svg;
}

}  // namespace
