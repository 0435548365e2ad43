// SPDX-License-Identifier: GPL-3.0-or-later
// The published table in a window: clicks on cells, keys, tooltips, curves with their gaps, rankings, and geometry at
// several sizes.
#include "views/sweep/published_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>
#include <memory>

#include "views/sweep/published_paint.h"
#include "views/sweep/sweep_view.h"

namespace {

using views::PublishedBox;
using views::PublishedGrid;

/// FCN-R with 1 and 2 threads; `changed`: more words of its runs.
std::shared_ptr<const profiler::Sweep> threads_sweep(const std::vector<std::string>& changed) {
  auto sweep = std::make_shared<profiler::Sweep>();
  sweep->request.workload = "mlp";
  sweep->request.fixed = {"--preset", "fcn-r"};
  sweep->request.fixed.insert(sweep->request.fixed.end(), changed.begin(), changed.end());
  sweep->request.axes = {{"threads", {"1", "2"}}};
  for (const double ns : {8e8, 5e8}) {
    profiler::SweepPoint point;
    point.outcome = profiler::PointOutcome::measured;
    point.samples.push_back({.round = 0, .step_ns = ns, .steps = 5});
    point.found.samples = 1024;
    point.found.flops = 8e10;
    sweep->points.push_back(point);
  }
  return sweep;
}

class PublishedViewTest : public testing::Test {
 protected:
  PublishedViewTest() {
    view.resize(1100, 680);
    view.show();
    QCoreApplication::processEvents();
  }
  void choose(const char* network) {
    view.networks().setCurrentIndex(view.networks().findText(QLatin1String(network)));
  }
  void show(int shape) { QTest::mouseClick(view.shape_switch().button(shape), Qt::LeftButton); }
  QPoint place_of(std::string_view tool, std::string_view platform, int threads) {
    for (const PublishedBox& box : view.grid_on_screen().boxes)
      if (box.cell->tool == tool && box.cell->platform == platform && box.cell->threads == threads)
        return box.rect.center().toPoint();
    return {};
  }
  void click(QPoint at) { QTest::mouseClick(&view.canvas(), Qt::LeftButton, Qt::NoModifier, at); }
  QString details() { return view.details().text(); }
  views::Document document;
  views::PublishedView view{document};
};

TEST_F(PublishedViewTest, AllCellsAreThereAndAClickExplainsOne) {
  EXPECT_EQ(view.grid_on_screen().boxes.size(), 455U);
  choose("AlexNet-S");
  const PublishedGrid grid = view.grid_on_screen();
  ASSERT_EQ(grid.boxes.size(), 65U);
  EXPECT_EQ(grid.boxes[0].text, QStringLiteral("1.606~!"));
  click(place_of("Caffe", "desktop_cpu_i7-3820", 1));
  EXPECT_EQ(view.selected(), 0);
  EXPECT_TRUE(details().contains(QStringLiteral("108 %"))) << details().toStdString();
  EXPECT_TRUE(details().contains(QStringLiteral("“1606”"))) << details().toStdString();
  click(place_of("Caffe", "desktop_cpu_i7-3820", 8));
  EXPECT_TRUE(details().contains(QStringLiteral("A dash in the table"))) << details().toStdString();
}

TEST_F(PublishedViewTest, KeysChooseCells) {
  choose("FCN-S");
  view.canvas().setFocus();
  QTest::keyClick(&view.canvas(), Qt::Key_Down);
  EXPECT_EQ(view.selected(), 0);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  QTest::keyClick(&view.canvas(), Qt::Key_Down);
  EXPECT_EQ(view.selected(), 14) << "13 cells a row";
  EXPECT_TRUE(details().startsWith(QStringLiteral("FCN-S, CNTK, i7-3820, 2 threads"))) << details().toStdString();
  QTest::keyClick(&view.canvas(), Qt::Key_Escape);
  EXPECT_EQ(view.selected(), -1);
}

TEST_F(PublishedViewTest, TooltipsHaveTheRawToken) {
  choose("FCN-S");
  const QString tip = view.canvas().tip(place_of("Caffe", "desktop_cpu_i7-3820", 8));
  EXPECT_TRUE(tip.contains(QStringLiteral("15444"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("uncertain"))) << tip.toStdString();
}

TEST_F(PublishedViewTest, CurvesAreOfOneNetworkAndStopAtGaps) {
  show(1);
  EXPECT_EQ(view.networks().currentIndex(), 1) << "the first network, as curves are of one";
  const views::PublishedThreads threads = view.threads_on_screen();
  ASSERT_EQ(threads.plots.size(), 2U);
  for (const views::ThreadPlot& plot : threads.plots) {
    EXPECT_EQ(plot.lines.size(), 5U);
    EXPECT_TRUE(plot.rect.contains(plot.hyper_threads.center()));
    for (const views::ThreadLine& line : plot.lines) {
      EXPECT_EQ(line.doubtful, line.name == QStringLiteral("TF") || line.name == QStringLiteral("MXNet"));
      for (const views::ThreadDot& dot : line.dots) {
        EXPECT_TRUE(plot.rect.adjusted(-1, -1, 1, 1).contains(dot.at));
        EXPECT_EQ(plot.hyper_threads.contains(dot.at), profiler::column_of(*dot.cell).hyper_threads());
      }
    }
  }
  // Two dashes and one doubtful cell of the desktop with 8 threads.
  EXPECT_EQ(threads.plots[0].gaps.size(), 3U);
  click(threads.plots[0].lines[1].dots[1].at.toPoint());
  EXPECT_TRUE(details().startsWith(QStringLiteral("FCN-S, CNTK, i7-3820, 2 threads"))) << details().toStdString();
}

TEST_F(PublishedViewTest, RankingsWarn) {
  show(2);
  EXPECT_TRUE(view.platforms().isVisible());
  const auto bars = view.ranking_on_screen();
  ASSERT_EQ(bars.size(), 5U);
  EXPECT_EQ(bars[0].ranked.place, 1);
  EXPECT_EQ(bars[0].ranked.cell->tool, "Caffe");
  EXPECT_EQ(bars[4].ranked.place, 0);
  click(bars[4].lane.center().toPoint());
  EXPECT_EQ(view.selected(), 4);
  EXPECT_TRUE(details().contains(QStringLiteral("not like for like"))) << details().toStdString();
  EXPECT_EQ(view.data().name, "published_ranking");
}

TEST_F(PublishedViewTest, TimesOfASweepAreLaidOver) {
  document.set_sweep(threads_sweep({}), QStringLiteral("r.tide"));
  ASSERT_EQ(view.own_times().size(), 2U);
  show(1);
  EXPECT_EQ(view.networks().currentText(), QStringLiteral("FCN-R")) << "the network of the sweep";
  const views::PublishedThreads threads = view.threads_on_screen();
  for (const views::ThreadPlot& plot : threads.plots) {
    ASSERT_EQ(plot.lines.size(), 6U);
    EXPECT_EQ(plot.lines.back().tool, -1);
    EXPECT_DOUBLE_EQ(plot.lines.back().dots[1].speed_up, 1.6);
  }
  EXPECT_TRUE(details().contains(QStringLiteral("FCN-R here"))) << details().toStdString();
}

TEST_F(PublishedViewTest, NothingOverlapsAtAnySize) {
  for (const QSize size : {QSize(640, 420), QSize(960, 540), QSize(1280, 720), QSize(1920, 1080)}) {
    view.resize(size);
    QCoreApplication::processEvents();
    for (const char* network : {"All networks", "LSTM"}) {
      show(0);
      choose(network);
      const PublishedGrid grid = view.grid_on_screen();
      for (size_t i = 0; i < grid.boxes.size(); ++i) {
        EXPECT_TRUE(QRectF(view.canvas().rect()).contains(grid.boxes[i].rect)) << size.width() << network << i;
        if (i % grid.columns > 0) {
          EXPECT_GE(grid.boxes[i].rect.left(), grid.boxes[i - 1].rect.right());
        }
      }
    }
    for (const int shape : {1, 2}) {
      show(shape);
      QImage image(view.size(), QImage::Format_RGB32);
      view.render(&image);
    }
  }
}

TEST(PublishedInASweep, CurvesOfTheSameNetworkAreDrawn) {
  views::Document document;
  views::SweepView view(document, nullptr);
  document.set_sweep(threads_sweep({}), QStringLiteral("r.tide"));
  view.resize(1280, 720);
  view.show();
  QCoreApplication::processEvents();
  view.chart().replot();
  const views::SweepLayout layout = view.layout_on_screen();
  ASSERT_EQ(layout.published.size(), 10U) << "five tools on two processors";
  const views::PublishedPoint& point = layout.published[1].stretches.at(0).at(0);
  EXPECT_TRUE(layout.rect.contains(point.at));
  EXPECT_TRUE(view.chart().tip(point.at).contains(QStringLiteral("Table 7")));
  const auto words = [&] {
    const auto entries = view.legend(views::Theme::light());
    return std::ranges::any_of(entries, [](const auto& e) { return e.text.contains(QStringLiteral("published")); });
  };
  EXPECT_TRUE(words());
  view.choose_metric(views::SweepMetric::memory);
  EXPECT_TRUE(view.layout_on_screen().published.empty());
  EXPECT_FALSE(words());
  document.set_sweep(threads_sweep({"--set", "hidden=64"}), QStringLiteral("s.tide"));
  view.choose_metric(views::SweepMetric::step);
  EXPECT_TRUE(view.layout_on_screen().published.empty()) << "another network";
}

TEST(PublishedColours, QualitiesDifferInBothThemes) {
  for (const views::Theme* theme : {&views::Theme::light(), &views::Theme::dark()}) {
    for (int a = 0; a < profiler::kCellQualities; ++a) {
      for (int b = 0; b < a; ++b)
        EXPECT_NE(views::quality_colour(*theme, static_cast<profiler::CellQuality>(a)),
                  views::quality_colour(*theme, static_cast<profiler::CellQuality>(b)));
    }
  }
}

TEST(PublishedThreads, TimesOfOursAreDrawnAsTheTableHasThem) {
  const std::vector<profiler::OwnTime> own{
      {"FCN-R", "null", 1, 1e9}, {"FCN-R", "cpu", 1, 8e8}, {"FCN-R", "cpu", 2, 5e8}};
  const auto layout = views::layout_published_threads("FCN-R", own, QRectF(0, 0, 900, 500), views::data_font());
  ASSERT_FALSE(layout.plots.empty());
  for (const views::ThreadPlot& plot : layout.plots) {
    ASSERT_FALSE(plot.lines.empty());
    const views::ThreadLine& ours = plot.lines.back();
    ASSERT_EQ(ours.tool, -1);
    ASSERT_EQ(ours.dots.size(), 3u);
    EXPECT_DOUBLE_EQ(ours.dots[0].speed_up, 1);
    EXPECT_DOUBLE_EQ(ours.dots[1].speed_up, 1);
    EXPECT_DOUBLE_EQ(ours.dots[2].speed_up, 1.6) << "against one thread of the same device";
  }
}

}  // namespace
