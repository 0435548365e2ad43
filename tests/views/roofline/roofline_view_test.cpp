// SPDX-License-Identifier: GPL-3.0-or-later
// Real clicks on the roofline; verdict colours; unprobed machines.
#include "views/roofline/roofline_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <set>

#include "tests/support/sample_document.h"
#include "views/roofline/roofline_paint.h"

namespace {

using tests::SampleOps;

class RooflineViewTest : public testing::Test {
 protected:
  RooflineViewTest() {
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
    view.chart().replot();
  }
  QPoint dot_of(profiler::OpId op) const {
    for (const auto& dot : view.layout_on_screen().dots) {
      if (dot.op == op && dot.binds) return dot.centre.toPoint();
    }
    ADD_FAILURE() << "no dot for op " << op;
    return {};
  }
  views::Document document;
  views::RooflineView view{document, nullptr};
};

TEST_F(RooflineViewTest, ClickOnADotSelectsItsOp) {
  QTest::mouseClick(&view.chart(), Qt::LeftButton, {}, dot_of(SampleOps::relu_gradient));
  EXPECT_EQ(document.selection().state().op, SampleOps::relu_gradient);
}

TEST_F(RooflineViewTest, DraggingTheChartSelectsNothing) {
  const QPoint at = dot_of(SampleOps::relu);
  const double before = view.chart().range().x_low;
  QTest::mousePress(&view.chart(), Qt::LeftButton, {}, at);
  for (int step = 1; step <= 5; ++step) {
    const QPoint to = at + QPoint(20 * step, 0);
    QMouseEvent move(QEvent::MouseMove, to, view.chart().mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view.chart(), &move);
  }
  QTest::mouseRelease(&view.chart(), Qt::LeftButton, {}, at + QPoint(100, 0));
  EXPECT_TRUE(document.selection().state().empty());
  EXPECT_LT(view.chart().range().x_low, before) << "dragged to the right: smaller intensities come into view";
  QTest::mouseDClick(&view.chart(), Qt::LeftButton, {}, QPoint(500, 600));
  EXPECT_DOUBLE_EQ(view.chart().range().x_low, before);
}

TEST_F(RooflineViewTest, WinnableTimeIsRankedAndSelects) {
  const auto& rows = view.winnable().rows();
  ASSERT_GT(rows.size(), 3u);
  double before = 1e300;
  for (const auto& row : rows) {
    double winnable = 1e300;  // under the roof of the level that binds
    for (const auto& point : view.roofline().points) {
      if (point.op == row.id) winnable = std::min(winnable, point.winnable_ns);
    }
    EXPECT_LE(winnable, before);
    EXPECT_GT(winnable, 0);
    before = winnable;
  }
  QTest::mouseClick(view.winnable().viewport(), Qt::LeftButton, {},
                    view.winnable().visualRect(view.winnable().model()->index(1, 0)).center());
  EXPECT_EQ(document.selection().state().op, rows[1].id);
}

TEST_F(RooflineViewTest, LevelsAreSwitchedFarthestFirst) {
  EXPECT_EQ(view.level(), views::kAllLevels) << "every op at every level at first";
  QTest::mouseClick(view.level_switch()->button(1), Qt::LeftButton);
  EXPECT_EQ(view.level(), "DRAM");
  const QPoint at_dram = dot_of(SampleOps::conv);
  QTest::mouseClick(view.level_switch()->button(4), Qt::LeftButton);
  EXPECT_EQ(view.level(), "L1");
  EXPECT_NE(dot_of(SampleOps::conv).x(), at_dram.x());
  EXPECT_EQ(dot_of(SampleOps::conv).y(), at_dram.y());
}

TEST_F(RooflineViewTest, FollowsTheSelectionAndDrawsIt) {
  const QImage before = view.grab().toImage();
  document.selection().select_op(SampleOps::conv_weight_gradient);
  view.chart().replot();
  EXPECT_NE(view.grab().toImage(), before);
  EXPECT_TRUE(view.winnable().currentIndex().isValid());
}

TEST_F(RooflineViewTest, DotsAndRoofsExplainThemselves) {
  EXPECT_TRUE(view.chart().tip(dot_of(SampleOps::conv)).contains(QStringLiteral("features.conv1/conv2d")));
  const auto layout = view.layout_on_screen();
  const QPointF middle = (layout.roofs[0].from + layout.roofs[0].to) / 2;
  const QString tip = view.chart().tip(middle);
  EXPECT_TRUE(tip.contains(QStringLiteral("lowest")) || tip.contains(QStringLiteral("winnable"))) << tip.toStdString();
}

TEST_F(RooflineViewTest, TypeAndLayerFilterDotsAndList) {
  const size_t all = view.layout_on_screen().dots.size();
  const auto home = view.chart().range();
  const auto ops_shown = [&] {
    std::set<profiler::OpId> ops;
    for (const auto& dot : view.layout_on_screen().dots) ops.insert(dot.op);
    return ops;
  };
  const int conv = view.type_filter().findText(QStringLiteral("conv2d"));
  ASSERT_GT(conv, 0);
  view.type_filter().setFocus();
  for (int i = 0; i < conv; ++i) QTest::keyClick(&view.type_filter(), Qt::Key_Down);
  EXPECT_EQ(ops_shown(), std::set<profiler::OpId>{SampleOps::conv});
  for (const auto& row : view.winnable().rows()) EXPECT_EQ(row.id, profiler::OpId{SampleOps::conv});
  EXPECT_EQ(view.chart().range().x_low, home.x_low) << "the axes stay";
  for (int i = 0; i < conv; ++i) QTest::keyClick(&view.type_filter(), Qt::Key_Up);
  EXPECT_EQ(view.layout_on_screen().dots.size(), all);
  const int head = view.layer_filter().findText(QStringLiteral("head"));
  ASSERT_GT(head, 0);
  view.layer_filter().setFocus();
  for (int i = 0; i < head; ++i) QTest::keyClick(&view.layer_filter(), Qt::Key_Down);
  ASSERT_FALSE(ops_shown().empty());
  for (const profiler::OpId op : ops_shown()) {
    const auto& capture = document.capture();
    EXPECT_TRUE(capture.name(capture.ops()[op].layer).starts_with("head"));
  }
  document.set(tests::unprobed_analyzed(), QStringLiteral("other.tide"));
  EXPECT_EQ(view.layer_filter().currentIndex(), 0) << "another capture is shown whole";
}

/// Zoomed in until no other level of the op is in view, its name still stands at its dot.
TEST_F(RooflineViewTest, TheNameOfTheHoveredDotStaysWhenZoomedIn) {
  const views::ChartRange close{0.9, 1.1, 0.9, 1.1};
  profiler::Roofline one;
  profiler::RooflinePoint point;
  point.op = 0, point.level = "DRAM", point.intensity = 1, point.flop_per_s = 1e9, point.time_ns = 1;
  one.points = {point};
  const QRectF rect(0, 0, 400, 300);
  const auto layout = views::layout_roofline(one, "DRAM", close, rect, views::data_font());
  ASSERT_EQ(layout.dots.size(), 1u);
  const auto painted = [&](const QString& name) {
    QImage image(400, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter p(&image);
    views::RooflineMarks marks;
    marks.hover = 0;
    marks.hover_name = name;
    views::paint_roofline(p, one, layout, std::vector<profiler::Verdict>(1), marks, views::Theme::light());
    p.end();
    return image;
  };
  EXPECT_NE(painted(QStringLiteral("conv1/conv2d")), painted(QString()));
}

TEST_F(RooflineViewTest, WithoutAProbeDotsStayAndNothingIsWinnable) {
  document.set(tests::unprobed_analyzed(), QStringLiteral("unprobed.tide"));
  QApplication::processEvents();
  EXPECT_EQ(view.level(), "compulsory");
  EXPECT_FALSE(view.layout_on_screen().dots.empty());
  EXPECT_TRUE(view.layout_on_screen().roofs.empty());
  EXPECT_TRUE(view.winnable().rows().empty());
  EXPECT_TRUE(view.chart().tip(dot_of(SampleOps::conv)).contains(QStringLiteral("roof unknown")));
  bool said = false;
  for (const QLabel* label : view.findChildren<QLabel*>()) {
    said = said || label->text().contains(QStringLiteral("unknown: roofs not measured"));
    EXPECT_FALSE(label->text().contains(QStringLiteral("0 ns"))) << "unknown is not zero";
  }
  EXPECT_TRUE(said);
}

TEST_F(RooflineViewTest, SurvivesEverySizeWithoutComplaint) {
  static int complaints;
  complaints = 0;
  const auto before =
      qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) { ++complaints; });
  for (const QSize size : {QSize(0, 0), QSize(1, 30), QSize(300, 70), QSize(0, 500), QSize(1000, 600)}) {
    view.resize(size);
    view.chart().replot();
    QApplication::processEvents();
  }
  qInstallMessageHandler(before);
  EXPECT_EQ(complaints, 0) << "QCustomPlot must not paint into buffers without pixels";
  EXPECT_FALSE(view.layout_on_screen().dots.empty());
}

}  // namespace
