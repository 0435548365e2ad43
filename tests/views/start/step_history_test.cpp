// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a run in progress: what is kept of long runs, and where the chart has them.
#include "views/start/step_history.h"

#include <gtest/gtest.h>

#include <cmath>

namespace views {
namespace {

StepNews news(const char* part, int steps, double last, double low, double high) {
  return {.part = QString::fromLatin1(part), .steps = steps, .last_ns = last, .shortest_ns = low, .longest_ns = high};
}

TEST(StepHistory, NewsWithoutStepsAddNothing) {
  StepHistory history;
  history.add({.part = QStringLiteral("Planning")});
  EXPECT_TRUE(history.entries().empty());
  EXPECT_FALSE(history.has_loss());
}

TEST(StepHistory, ALongRunKeepsItsRangeAndItsLossInBoundedRoom) {
  StepHistory history;
  constexpr int kNews = 5000;
  for (int i = 0; i < kNews; ++i) {
    StepNews one = news(i < 10 ? "Warming up" : "Recording", 3, 10 + i % 7, 5, i == 1234 ? 900 : 20);
    one.loss = 2.0 - 1e-4 * i;
    history.add(one);
  }
  EXPECT_LE(history.entries().size(), StepHistory::kMost);
  EXPECT_EQ(history.steps(), 3.0 * kNews);
  EXPECT_EQ(history.parts(), (std::vector<QString>{"Warming up", "Recording"}));
  double steps = 0, longest = 0;
  for (const auto& entry : history.entries()) {
    EXPECT_EQ(entry.begin, steps) << "no step is counted twice or left out";
    steps += entry.news.steps;
    longest = std::max(longest, entry.news.longest_ns);
  }
  EXPECT_EQ(steps, history.steps());
  EXPECT_EQ(longest, 900) << "the one slow step is not lost";
  EXPECT_DOUBLE_EQ(history.entries().back().news.loss, 2.0 - 1e-4 * (kNews - 1));
}

TEST(StepChart, PartsFollowEachOtherOverTheWholeWidth) {
  StepHistory history;
  for (int i = 0; i < 2; ++i) history.add(news("Warming up", 1, 30, 30, 30));
  for (int i = 0; i < 6; ++i) history.add(news("Recording", 1, 10, 9, 12));
  const StepChart chart = step_chart(history, StepFigure::time, QSizeF(800, 200), 80);
  ASSERT_EQ(chart.parts.size(), 2U);
  EXPECT_DOUBLE_EQ(chart.parts[0].begin, chart.plot.left());
  EXPECT_DOUBLE_EQ(chart.parts[1].begin, chart.plot.left() + chart.plot.width() / 4);
  EXPECT_DOUBLE_EQ(chart.parts[1].end, chart.plot.right());
  ASSERT_EQ(chart.lines.size(), 2U);
  EXPECT_EQ(chart.lines[1].size(), 6);
  EXPECT_EQ(chart.bands[1].size(), 12);
  for (const auto& line : chart.lines)
    for (const QPointF& at : line) EXPECT_TRUE(chart.plot.adjusted(-0.01, -0.01, 0.01, 0.01).contains(at));
  EXPECT_LT(chart.lines[0].front().y(), chart.lines[1].front().y()) << "longer is higher";
  ASSERT_GE(chart.ticks.size(), 2U);
  EXPECT_EQ(chart.ticks.front().value, 0) << "times begin at zero";
  EXPECT_DOUBLE_EQ(chart.ticks.front().y, chart.plot.bottom());
}

TEST(StepChart, OneStepOutOfAllScaleIsMarkedAndFlattensNothing) {
  StepHistory history;
  history.add(news("Recording", 1, 1e6, 1e6, 1e6));
  for (int i = 0; i < 9; ++i) history.add(news("Recording", 1, 100, 100, 100));
  const StepChart chart = step_chart(history, StepFigure::time, QSizeF(800, 200), 80);
  EXPECT_EQ(chart.above.size(), 1U);
  EXPECT_LT(chart.lines[0].back().y(), chart.plot.bottom() - 0.25 * chart.plot.height());
}

TEST(StepChart, LossesHaveAnAxisOfTheirOwnRange) {
  StepHistory history;
  for (int i = 0; i < 5; ++i) {
    StepNews one = news("Recording", 1, 10, 10, 10);
    one.loss = i == 2 ? StepNews::kUnknown : 2.3 - 0.01 * i;
    history.add(one);
  }
  const StepChart chart = step_chart(history, StepFigure::loss, QSizeF(800, 200), 80);
  ASSERT_EQ(chart.lines.size(), 1U);
  EXPECT_EQ(chart.lines[0].size(), 4) << "an unknown loss is no point";
  EXPECT_TRUE(chart.bands.empty());
  EXPECT_LT(chart.lines[0].front().y(), chart.lines[0].back().y()) << "it falls";
  EXPECT_GE(chart.ticks.size(), 2U);
}

}  // namespace
}  // namespace views
