// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep's geometry as numbers, and real clicks on chart, heat map and table.
#include "views/sweep/sweep_view.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/sample_sweep.h"

namespace {

using profiler::Sweep;
using views::SweepMetric;

class SweepViewTest : public testing::Test {
 protected:
  void open(bool two_axes) {
    document.set_sweep(tests::sample_sweep(two_axes), QStringLiteral("/tmp/s.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
    view.chart().replot();
  }
  views::Document document;
  views::SweepView view{document, nullptr};
};

TEST_F(SweepViewTest, CurvesStandWhereTheNumbersSay) {
  open(false);
  const views::SweepLayout layout = view.layout_on_screen();
  ASSERT_EQ(layout.curves.size(), 1u);
  const auto& dots = layout.curves[0].dots;
  ASSERT_EQ(dots.size(), 5u) << "what does not fit has no dot";
  // Batches double: equal steps to the right. Plateau left of the knee, one factor of two per step beyond it.
  EXPECT_NEAR(dots[1].at.x() - dots[0].at.x(), dots[4].at.x() - dots[3].at.x(), 0.01);
  EXPECT_NEAR(dots[0].at.y(), dots[2].at.y(), 0.01);
  EXPECT_NEAR(dots[2].at.y() - dots[3].at.y(), dots[3].at.y() - dots[4].at.y(), 0.01);
  EXPECT_GT(dots[0].low_y, dots[0].at.y()) << "the fastest process lies below";
  EXPECT_LT(dots[0].high_y, dots[0].at.y());
  ASSERT_EQ(layout.curves[0].predicted.size(), 5u);
  EXPECT_GT(layout.curves[0].predicted[0].y(), dots[0].at.y()) << "the roofs said less";
  for (const auto& dot : dots) EXPECT_TRUE(layout.rect.contains(dot.at));
}

TEST_F(SweepViewTest, TheAnswerIsTheKneeAndWhatLimits) {
  open(false);
  EXPECT_TRUE(view.answer().headline().startsWith(QStringLiteral("Knee at batch = 4")))
      << view.answer().headline().toStdString();
  EXPECT_TRUE(view.answer().headline().contains(QStringLiteral("DRAM bandwidth limits below it, arithmetic above")));
  EXPECT_LE(view.answer().height(), 40);
  view.resize(700, 380);  // what a window of 960 x 540 leaves
  QApplication::processEvents();
  EXPECT_GE(view.table().height(), 140) << "its header and some rows";
  EXPECT_GE(view.chart().height(), 80);
  QTest::mouseClick(&view.answer().fold(), Qt::LeftButton);
  EXPECT_GT(view.answer().height(), 60);
  EXPECT_GE(view.table().height(), 140);
  QTest::mouseClick(&view.answer().fold(), Qt::LeftButton);
  open(true);
  EXPECT_TRUE(view.answer().headline().contains(QStringLiteral("batch = 4"))) << view.answer().headline().toStdString();
  EXPECT_TRUE(view.answer().headline().contains(QStringLiteral("batch = 2")));
}

TEST_F(SweepViewTest, TheAxisNamesTheValuesThatWereVaried) {
  open(false);
  const QVector<double> ticks = view.chart().xAxis->tickVector();
  for (const double batch : {1.0, 2.0, 4.0, 8.0, 16.0}) EXPECT_TRUE(ticks.contains(batch)) << batch;
  EXPECT_FALSE(ticks.contains(5.0)) << "no point is there";
}

TEST_F(SweepViewTest, InTheLeastRoomThatItAsksForTheCurvesAreReadable) {
  open(false);
  view.resize(620, view.minimumSizeHint().height());
  QApplication::processEvents();
  view.chart().replot();
  EXPECT_GE(view.chart().axisRect()->height(), 90);
  EXPECT_GE(view.table().height(), 120);
}

TEST_F(SweepViewTest, TheDividerMovesPictureAndTable) {
  open(false);
  QTest::mouseDClick(&view.divider(), Qt::LeftButton);  // wherever it was left
  const int table = view.table().height(), chart = view.chart().height();
  view.divider().setFocus();
  QTest::keyClick(&view.divider(), Qt::Key_Up);
  EXPECT_GT(view.table().height(), table);
  EXPECT_LT(view.chart().height(), chart);
  EXPECT_NEAR(view.chart().geometry().bottom() + 1, view.table().geometry().top(), 1);
  QTest::mouseDClick(&view.divider(), Qt::LeftButton);
  EXPECT_EQ(view.table().height(), table);
}

TEST_F(SweepViewTest, MarksNameKneeAndWhatDoesNotFitWithoutOverlap) {
  open(true);
  const views::SweepLayout layout = view.layout_on_screen();
  int knees = 0, lost = 0;
  for (const auto& mark : layout.marks) {
    knees += mark.kind == views::SweepMark::Kind::knee;
    lost += mark.kind == views::SweepMark::Kind::lost;
    for (const auto& other : layout.marks) {
      if (&mark != &other && !mark.label.isEmpty()) {
        EXPECT_FALSE(mark.label.intersects(other.label)) << mark.text.toStdString();
      }
    }
  }
  EXPECT_EQ(knees, 2);
  EXPECT_EQ(lost, 2);
}

TEST_F(SweepViewTest, LabelsOfMarksKeepOffTheCurveInALowChart) {
  open(false);
  std::vector<profiler::SweepSeries> series = view.series();
  series[0].machine_marks.clear();
  for (const double x : {5.5, 6.0, 6.5})
    series[0].machine_marks.push_back({x, "L3: 10.5 MB", profiler::Origin::measured});
  const auto range = views::sweep_range(*document.sweep(), series, SweepMetric::throughput);
  const auto layout = views::layout_sweep(*document.sweep(), series, SweepMetric::throughput, range,
                                          QRectF(0, 0, 720, 106), view.font());
  int labels = 0;
  for (const auto& mark : layout.marks) {
    if (mark.label.isEmpty()) continue;
    ++labels;
    for (const auto& dot : layout.curves[0].dots) EXPECT_FALSE(mark.label.contains(dot.at)) << mark.text.toStdString();
    for (size_t i = 0; i + 1 < layout.curves[0].dots.size(); ++i) {
      for (double t = 0; t <= 1; t += 0.01) {
        const QPointF at = layout.curves[0].dots[i].at * (1 - t) + layout.curves[0].dots[i + 1].at * t;
        EXPECT_FALSE(mark.label.adjusted(1, 1, -1, -1).contains(at)) << mark.text.toStdString();
      }
    }
  }
  EXPECT_GE(labels, 2);
}

TEST_F(SweepViewTest, AClickChoosesAndADoubleClickAsksForTheCapture) {
  open(false);
  QSignalSpy wanted(&document, &views::Document::point_requested);
  QTest::mouseClick(&view.chart(), Qt::LeftButton, {}, view.layout_on_screen().curves[0].dots[3].at.toPoint());
  const auto rows = view.table().selectionModel()->selectedRows();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(view.table().shown_rows()[static_cast<size_t>(rows[0].row())], 3u);
  emit view.table().opened(3);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].value<size_t>(), 3u);
}

TEST_F(SweepViewTest, EveryMetricHasValuesOrSaysSo) {
  open(false);
  for (int m = 0; m < views::kSweepMetrics; ++m) {
    if (static_cast<SweepMetric>(m) == SweepMetric::energy || static_cast<SweepMetric>(m) == SweepMetric::speed_up ||
        static_cast<SweepMetric>(m) == SweepMetric::loss)
      continue;  // no counter, no threads: below
    view.choose_metric(static_cast<SweepMetric>(m));
    const views::SweepLayout layout = view.layout_on_screen();
    const auto& dots = layout.curves[0].dots;
    EXPECT_GE(dots.size(), 5u) << m;
    for (const auto& dot : dots) EXPECT_TRUE(std::isfinite(dot.at.y())) << m;
  }
  const Sweep& sweep = *document.sweep();
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 3, SweepMetric::per_sample).value, 2e6 / 8);
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 3, SweepMetric::throughput).value, 8 / 2e-3);
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 3, SweepMetric::weight_bytes).value, 1e6 / 8);
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 3, SweepMetric::simulated_bytes).value, 1.5e6);
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 3, SweepMetric::simulated_rate).value, 1.5e6 / 2e-3);
  EXPECT_TRUE(std::isnan(views::sweep_value(sweep, 5, SweepMetric::step).value));
  EXPECT_DOUBLE_EQ(views::sweep_value(sweep, 5, SweepMetric::memory).value, 3e12) << "what it would need is known";
  view.choose_metric(SweepMetric::energy);
  EXPECT_TRUE(view.layout_on_screen().curves[0].dots.empty()) << "unknown is no zero";
  view.choose_metric(SweepMetric::speed_up);
  EXPECT_TRUE(view.layout_on_screen().curves[0].dots.empty()) << "no axis of threads";
  profiler::Sweep counted = sweep;
  for (auto& sample : counted.points[3].samples) sample.step_energy_j = 4;
  EXPECT_DOUBLE_EQ(views::sweep_value(counted, 3, SweepMetric::energy).value, 0.5);
}

TEST_F(SweepViewTest, HeatMapOfTwoAxes) {
  open(true);
  EXPECT_TRUE(view.shape_switch().isVisible());
  const views::HeatMap map =
      views::layout_heat_map(*document.sweep(), SweepMetric::per_sample, QRectF(0, 0, 900, 300), view.font());
  ASSERT_EQ(map.cells.size(), 12u);
  EXPECT_EQ(map.columns.size(), 6);
  EXPECT_EQ(map.rows, (QStringList{QStringLiteral("f32"), QStringLiteral("bf16")}));
  EXPECT_DOUBLE_EQ(map.cells[0].shade, 1) << "batch 1 costs most per sample";
  EXPECT_TRUE(std::isnan(map.cells[5].shade)) << "unknown has no shade";
  for (size_t a = 0; a < map.cells.size(); ++a) {
    for (size_t b = a + 1; b < map.cells.size(); ++b) EXPECT_FALSE(map.cells[a].rect.intersects(map.cells[b].rect));
  }
}

TEST_F(SweepViewTest, WithoutASweepItSaysHowToGetOne) {
  view.resize(800, 600);
  view.show();
  QImage image(800, 600, QImage::Format_ARGB32);
  QPainter p(&image);
  view.render_picture(p, QRectF(0, 0, 800, 600), views::Theme::light());
  EXPECT_TRUE(view.data().rows.empty());
  open(false);
  EXPECT_EQ(view.data().rows.size(), 6u);
  document.set_sweep(nullptr, {});
  EXPECT_TRUE(view.data().rows.empty());
}

/// Table 7's networks: no axis of numbers.
std::shared_ptr<const Sweep> networks() {
  auto sweep = std::make_shared<Sweep>();
  sweep->request.workload = "mlp";
  sweep->request.axes = {{"workload", {"mlp:fcn-s", "lstm:shi2016", "gemm"}}};
  for (const double batch : {64.0, 128.0, 2.0}) sweep->points.push_back(tests::sweep_point(batch, 4));
  sweep->points[2].outcome = profiler::PointOutcome::failed;
  sweep->points[2].samples.clear();
  sweep->points[2].message = "no such file";
  sweep->complete = true;
  return sweep;
}

TEST_F(SweepViewTest, WithoutNumbersPointsStandInRowsBesidePublishedTimes) {
  document.set_sweep(networks(), QStringLiteral("/tmp/s.tide"));
  view.resize(1280, 720);
  view.show();
  QApplication::processEvents();
  EXPECT_EQ(view.shape_switch().current(), 2);
  EXPECT_FALSE(view.shape_switch().button(0)->isVisible());
  const views::PointsPlot plot = view.points_on_screen();
  ASSERT_EQ(plot.rows.size(), 3u);
  EXPECT_EQ(plot.rows[0].label, QStringLiteral("FCN-S"));
  EXPECT_TRUE(plot.published);
  const auto times = [](const views::PointRow& row) { return row.published.size(); };
  EXPECT_GT(times(plot.rows[0]), 50u);
  EXPECT_EQ(times(plot.rows[2]), 0u);
  EXPECT_TRUE(std::isnan(plot.rows[2].x));
  EXPECT_TRUE(plot.rows[2].note.contains(QStringLiteral("no such file")));
  for (const auto& row : plot.rows) {
    for (const auto& mark : row.published)
      EXPECT_TRUE(plot.plot.adjusted(-1, -1, 1, 1).contains(mark.at)) << mark.cell->seconds;
  }
  // 16 ms stand left of all published seconds of FCN-S on processors.
  for (const auto& mark : plot.rows[0].published) {
    if (mark.cell->threads == 0) continue;
    EXPECT_LT(plot.rows[0].x, mark.at.x());
  }
  for (const auto& tick : plot.ticks) EXPECT_TRUE(plot.plot.left() <= tick.x && tick.x <= plot.plot.right());
  QTest::mouseClick(&view.heat_map(), Qt::LeftButton, {}, plot.rows[1].lane.center().toPoint());
  const auto rows = view.table().selectionModel()->selectedRows();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(view.table().shown_rows()[static_cast<size_t>(rows[0].row())], 1u);
}

TEST_F(SweepViewTest, TrajectoriesClimbTheSlope) {
  open(true);
  view.shape_switch().button(3)->click();
  view.chart().replot();
  const views::Trajectories all = view.trajectories_on_screen();
  ASSERT_EQ(all.paths.size(), 2u);
  ASSERT_EQ(all.paths[0].stops.size(), 5u);
  for (const auto& path : all.paths) {
    for (size_t i = 1; i < path.stops.size(); ++i) {
      EXPECT_GT(path.stops[i].intensity, path.stops[i - 1].intensity) << "a larger batch uses each byte more often";
      EXPECT_LE(path.stops[i].at.y(), path.stops[i - 1].at.y() + 0.01);
    }
    for (const auto& stop : path.stops) EXPECT_TRUE(QRectF(view.chart().axisRect()->rect()).contains(stop.at));
  }
  EXPECT_DOUBLE_EQ(all.paths[0].stops[3].gflop_per_s, 8e6 / 2e6);
  EXPECT_EQ(all.stop_at(all.paths[0].stops[2].at)->point, all.paths[0].stops[2].point);
  EXPECT_TRUE(all.roofs.empty()) << "this machine was not probed";
}

TEST_F(SweepViewTest, NoisyPointsAreHollowAndSaidToBe) {
  open(false);
  const auto says = [&] {
    return std::ranges::any_of(view.legend(views::Theme::light()),
                               [](const auto& entry) { return entry.text.contains(QStringLiteral("hollow")); });
  };
  EXPECT_FALSE(says()) << "no point is";
  auto sweep = std::make_shared<Sweep>(*document.sweep());
  for (auto& sample : sweep->points[1].samples) sample.foreign_load_ratio = 0.8;  // which did nothing to its times
  sweep->points[2].samples[0].step_ns *= 0.5;
  document.set_sweep(sweep, QStringLiteral("/tmp/noisy.tide"));
  const auto layout = view.layout_on_screen();
  for (const auto& dot : layout.curves[0].dots) EXPECT_EQ(dot.noisy, dot.point == 2) << dot.point;
  ASSERT_TRUE(says());
  const auto legend = view.legend(views::Theme::light());
  const auto entry =
      std::ranges::find(legend, views::SweepView::LegendEntry::Sign::hollow, &views::SweepView::LegendEntry::sign);
  ASSERT_NE(entry, legend.end());
  EXPECT_TRUE(entry->text.contains(QStringLiteral("1 of 5"))) << entry->text.toStdString();
  const profiler::Table shown = view.table().table();
  const auto outcome =
      static_cast<size_t>(std::ranges::find(shown.columns, "outcome", &profiler::Column::key) - shown.columns.begin());
  EXPECT_EQ(std::get<std::string>(shown.rows[2][outcome]), "noisy");
  EXPECT_EQ(std::get<std::string>(shown.rows[1][outcome]), "measured");
  EXPECT_TRUE(view.table().column_shown(QStringLiteral("outcome")));
  view.choose_metric(SweepMetric::memory);
  EXPECT_FALSE(says()) << "what is counted has no noise";
  const auto counted = view.layout_on_screen();
  for (const auto& dot : counted.curves[0].dots) EXPECT_FALSE(dot.noisy);
}

/// The thread counts 1, 2 and 4 of a machine with two cores.
std::shared_ptr<const Sweep> over_threads() {
  auto sweep = std::make_shared<Sweep>();
  sweep->request.workload = "mlp";
  sweep->request.axes = {{"threads", {"1", "2", "4"}}};
  sweep->machine.info.cores = 2;
  for (const double scale : {1.0, 0.6, 0.55}) {
    profiler::SweepPoint point = tests::sweep_point(1, 4);
    for (profiler::SweepSample& sample : point.samples) sample.step_ns = scale * 1e6 * (1 + 0.01 * sample.round);
    sweep->points.push_back(point);
  }
  return sweep;
}

TEST_F(SweepViewTest, AmdahlsLawIsDrawnUpToTheCoresAndTheRestIsMarked) {
  document.set_sweep(over_threads(), QStringLiteral("/tmp/t.tide"));
  view.resize(1280, 720);
  view.show();
  QApplication::processEvents();
  view.chart().replot();
  view.choose_metric(SweepMetric::step);
  const views::SweepLayout layout = view.layout_on_screen();
  ASSERT_TRUE(layout.shared_cores);
  ASSERT_EQ(layout.curves.size(), 1u);
  const auto& dots = layout.curves[0].dots;
  EXPECT_NEAR(layout.shared_cores->rect.left(), dots[1].at.x(), 0.01) << "from two cores on";
  EXPECT_NEAR(layout.shared_cores->rect.right(), layout.rect.right(), 0.01);
  const auto& law = layout.curves[0].law;
  ASSERT_GT(law.size(), 2u);
  EXPECT_NEAR(law.front().y(), dots[0].at.y(), 0.01);
  EXPECT_NEAR(law.back().x(), dots[1].at.x(), 0.01);
  EXPECT_NEAR(law.back().y(), dots[1].at.y(), 0.01) << "two counts lie on their law";
  bool said = false;
  for (const auto& entry : view.legend(views::Theme::light()))
    said = said || entry.text.startsWith(QStringLiteral("dotted: Amdahl's law, serial part 20 % ("));
  EXPECT_TRUE(said);
  view.choose_metric(SweepMetric::memory);
  EXPECT_TRUE(view.layout_on_screen().curves[0].law.empty()) << "a law of times";
}

/// Two presets over two seeds.
std::shared_ptr<const Sweep> trainings() {
  auto sweep = std::make_shared<Sweep>();
  sweep->request.workload = "half_training";
  sweep->request.axes = {{"preset", {"f32", "f16"}}, {"seed", {"1", "2"}}};
  for (int point = 0; point < 4; ++point) {
    profiler::SweepPoint p = tests::sweep_point(1, 4);
    const double last = point < 2 ? 0.01 * (point + 1) : 2.3;
    for (profiler::SweepSample& sample : p.samples) sample.losses = {{1, 2.3}, {10, 1.0}, {100, last}};
    sweep->points.push_back(p);
  }
  return sweep;
}

TEST_F(SweepViewTest, LossCurvesOfAllSeedsStandInOnePicture) {
  document.set_sweep(trainings(), QStringLiteral("/tmp/l.tide"));
  view.resize(1280, 720);
  view.show();
  QApplication::processEvents();
  view.chart().replot();
  EXPECT_EQ(view.shape_switch().current(), 4) << "a sweep over seeds opens with its losses";
  EXPECT_TRUE(view.answer().headline().startsWith(QStringLiteral("Loss after 100 steps: 0.015 (preset=f32)")))
      << view.answer().headline().toStdString();
  const views::LossLayout layout = view.losses_on_screen();
  ASSERT_EQ(layout.curves.size(), 2u);
  EXPECT_EQ(layout.curves[0].runs.size(), 2u);
  EXPECT_EQ(layout.dots.size(), 2u * 2 * 3);
  const QPolygonF& median = layout.curves[0].median;
  ASSERT_EQ(median.size(), 3);
  // Both axes are logarithmic: 1 to 10 steps is as wide as 10 to 100.
  EXPECT_NEAR(median[1].x() - median[0].x(), median[2].x() - median[1].x(), 0.01);
  EXPECT_LT(layout.curves[0].runs[1].last().y(), median.last().y()) << "0.02 lies above 0.015";
  EXPECT_GT(layout.curves[0].runs[0].last().y(), median.last().y());
  // A dot chooses the point of its seed, and the row of its curve.
  QTest::mouseClick(&view.chart(), Qt::LeftButton, {}, layout.curves[0].runs[1].last().toPoint());
  EXPECT_EQ(view.data().name, "losses");
  EXPECT_EQ(view.table().table().name, "final_losses");
  EXPECT_EQ(view.table().currentIndex().row(), 0) << "the row of its curve";
  EXPECT_FALSE(view.grab().isNull());
  view.set_theme(views::Theme::dark());
  EXPECT_FALSE(view.grab().isNull());
}

TEST_F(SweepViewTest, TheLossIsAMetricOfAnySweepOfTrainings) {
  auto sweep = std::make_shared<Sweep>(*tests::sample_sweep(false));
  EXPECT_FALSE(views::has_metric(*sweep, SweepMetric::loss));
  for (profiler::SweepPoint& point : sweep->points) {
    double loss = 0.5;
    for (profiler::SweepSample& sample : point.samples) sample.losses = {{1, 2.3}, {5, loss += 0.1}};
  }
  const views::SweepValue value = views::sweep_value(*sweep, 2, SweepMetric::loss);
  EXPECT_DOUBLE_EQ(value.value, 0.7);
  EXPECT_DOUBLE_EQ(value.low, 0.6);
  EXPECT_DOUBLE_EQ(value.high, 0.8);
  EXPECT_TRUE(views::has_metric(*sweep, SweepMetric::loss));
  for (const SweepMetric metric : {SweepMetric::loss, SweepMetric::step, SweepMetric::memory}) {
    const views::SweepValues values(*sweep, metric);
    for (size_t i = 0; i < sweep->points.size(); ++i) {
      const views::SweepValue each = views::sweep_value(*sweep, i, metric), all = values(i);
      EXPECT_TRUE(each.value == all.value || (std::isnan(each.value) && std::isnan(all.value))) << i;
    }
  }
  document.set_sweep(sweep, QStringLiteral("/tmp/m.tide"));
  view.choose_metric(SweepMetric::loss);
  EXPECT_EQ(view.metric(), SweepMetric::loss);
}

}  // namespace
