// SPDX-License-Identifier: GPL-3.0-or-later
// Real clicks and keys on the traffic view.
#include "views/traffic/traffic_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <cmath>

#include "tests/support/sample_document.h"
#include "tests/support/sample_sweep.h"

namespace {

using tests::SampleOps;

class TrafficViewTest : public testing::Test {
 protected:
  TrafficViewTest() {
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
  }
  void click(QPointF at) { QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, at.toPoint()); }
  void click_op(size_t index) {
    const QRectF strip = view.layout_on_screen().scrubber;
    click({strip.left() + strip.width() * (static_cast<double>(index) + 0.5) / static_cast<double>(view.ops().size()),
           strip.center().y()});
  }
  views::Document document;
  views::TrafficView view{document, nullptr};
};

TEST_F(TrafficViewTest, ClickOnARibbonListsItsTensors) {
  const auto layout = view.layout_on_screen();
  click(layout.ribbons[3].slot.center());  // L2 -> L3, written
  EXPECT_EQ(view.chosen_ribbon(), 3u);
  double listed = 0, drawn = layout.ribbons[3].bytes;
  for (const auto& part : view.figure().traffic.tensors[1]) listed += part.modelled_written;
  EXPECT_NEAR(listed, drawn, 1e-6 * drawn);
  ASSERT_FALSE(view.tensors().rows().empty());
  EXPECT_TRUE(view.tensors().rows().front().detail.startsWith(QStringLiteral("written")));
}

/// A step that its caches hold moves nothing from memory: the list begins where bytes do, not empty.
TEST_F(TrafficViewTest, TheListBeginsAtTheFirstLinkThatBytesCross) {
  views::TrafficFigure figure = view.figure();
  EXPECT_EQ(view.chosen_ribbon(), 2 * figure.beyond) << "DRAM's, here";
  ASSERT_GT(figure.links.size(), figure.beyond + 2);
  figure.links[figure.beyond].read = {};
  EXPECT_EQ(views::first_busy_link(figure), figure.beyond + 1);
  for (auto& link : figure.links) link.read = {};
  EXPECT_EQ(views::first_busy_link(figure), figure.beyond) << "nothing is read";
  for (auto& link : figure.links) link.read.fill(std::nan(""));
  EXPECT_EQ(views::first_busy_link(figure), figure.beyond) << "nothing is known";
}

TEST_F(TrafficViewTest, TensorsAreRankedAndAClickSelectsOne) {
  view.choose_ribbon(0);
  const auto& rows = view.tensors().rows();
  ASSERT_GT(rows.size(), 3u);
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i].ratio, rows[i - 1].ratio);
  QTest::mouseClick(view.tensors().viewport(), Qt::LeftButton, {},
                    view.tensors().visualRect(view.tensors().model()->index(2, 0)).center());
  EXPECT_EQ(document.selection().state().tensor, rows[2].id);
  QTest::keyClick(&view.tensors(), Qt::Key_Down);
  EXPECT_EQ(document.selection().state().tensor, rows[3].id);
}

TEST_F(TrafficViewTest, ScrubberSelectsTheOpAndTheScopeFollows) {
  EXPECT_EQ(view.scope_switch().current(), 0);
  EXPECT_FALSE(view.scope_switch().button(2)->isEnabled());
  const double step_bytes = view.figure().links.front().bytes.modelled_total();
  click_op(1);
  EXPECT_EQ(document.selection().state().op, SampleOps::relu);
  EXPECT_EQ(view.scope_switch().current(), 2);
  EXPECT_EQ(view.figure().scope.op, SampleOps::relu);
  EXPECT_LT(view.figure().links.front().bytes.modelled_total(), step_bytes);
  QTest::mouseClick(view.scope_switch().button(1), Qt::LeftButton);
  EXPECT_EQ(view.figure().scope.layer, "features.relu1");
  QTest::mouseClick(view.scope_switch().button(0), Qt::LeftButton);
  EXPECT_TRUE(view.figure().scope.all());
  EXPECT_EQ(document.selection().state().op, SampleOps::relu) << "looking at the step keeps the selection";
}

TEST_F(TrafficViewTest, DragScrubsAndCountsAsOneStepBack) {
  const QRectF strip = view.layout_on_screen().scrubber;
  const auto at = [&](double t) { return QPointF(strip.left() + strip.width() * t, strip.center().y()).toPoint(); };
  QTest::mousePress(&view.canvas(), Qt::LeftButton, {}, at(0.05));
  for (double t = 0.1; t < 0.95; t += 0.1) {
    QMouseEvent move(QEvent::MouseMove, at(t), view.canvas().mapToGlobal(at(t)), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QApplication::sendEvent(&view.canvas(), &move);
  }
  QTest::mouseRelease(&view.canvas(), Qt::LeftButton, {}, at(0.9));
  EXPECT_GT(*document.selection().state().op, SampleOps::relu_gradient);
  document.selection().back();
  EXPECT_TRUE(document.selection().state().empty());
  EXPECT_EQ(view.scope_switch().current(), 0);
}

TEST_F(TrafficViewTest, KeysWalkOpsAndRibbons) {
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(document.selection().state().op, SampleOps::conv);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(document.selection().state().op, SampleOps::relu);
  QTest::keyClick(&view.canvas(), Qt::Key_End);
  EXPECT_EQ(document.selection().state().op, SampleOps::bias_update);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(document.selection().state().op, SampleOps::bias_update);
  QTest::keyClick(&view.canvas(), Qt::Key_Down);
  EXPECT_EQ(view.chosen_ribbon(), 1u);
  QTest::keyClick(&view.canvas(), Qt::Key_Up);
  QTest::keyClick(&view.canvas(), Qt::Key_Up);
  EXPECT_EQ(view.chosen_ribbon(), view.figure().links.size() * 2 - 1);
}

TEST_F(TrafficViewTest, PlayGoesThroughTheStepAndStops) {
  QTest::mouseClick(&view.play_button(), Qt::LeftButton);
  EXPECT_EQ(view.play_button().text(), QStringLiteral("Pause"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return document.selection().state().op == SampleOps::bias_update; }, 8000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.play_button().text() == QStringLiteral("Play step"); }, 2000));
}

TEST_F(TrafficViewTest, FollowsTheSelectionOfOtherViews) {
  document.selection().select_layer(QStringLiteral("head"));
  EXPECT_EQ(view.scope_switch().current(), 1);
  EXPECT_EQ(view.figure().scope.layer, "head");
  document.selection().select_op(SampleOps::linear);
  EXPECT_EQ(view.figure().scope.layer, "head.fc") << "a layer scope stays one";
  document.selection().clear();
  EXPECT_TRUE(view.figure().scope.all());
}

TEST_F(TrafficViewTest, EverySpotOfThePictureExplainsItself) {
  const auto layout = view.layout_on_screen();
  const auto tip = [&](QPointF at) {
    return views::traffic_tip(view.figure(), layout, view.ops(), document.capture(), at);
  };
  for (const auto& box : layout.boxes) EXPECT_FALSE(tip(box.rect.center()).isEmpty());
  EXPECT_TRUE(tip(layout.boxes[1].rect.center()).contains(QStringLiteral("OS claims 32 MiB")));
  for (const auto& ribbon : layout.ribbons) EXPECT_TRUE(tip(ribbon.slot.center()).contains(QStringLiteral("modelled")));
  for (const auto& cell : layout.cells) EXPECT_TRUE(tip(cell.rect.center()).contains(QStringLiteral("Origin")));
}

TEST_F(TrafficViewTest, WidthsAreInProportionUntilTheLogScaleIsChosen) {
  EXPECT_EQ(view.scale_switch().current(), 0);
  EXPECT_EQ(view.scale_switch().button(0)->text(), QStringLiteral("Linear"));
  const auto ratio = [&] {
    const auto layout = view.layout_on_screen();
    double least = 1e300, most = 0;
    for (const auto& ribbon : layout.ribbons) {
      if (!(ribbon.width > views::kThinnestLogRibbon)) continue;
      least = std::min(least, ribbon.width / ribbon.bytes);
      most = std::max(most, ribbon.width / ribbon.bytes);
    }
    return most / least;
  };
  EXPECT_NEAR(ratio(), 1, 1e-6);
  QTest::mouseClick(view.scale_switch().button(1), Qt::LeftButton);
  EXPECT_GT(ratio(), 1.5);
}

TEST_F(TrafficViewTest, ComparingAddsARowAndTheButtonEndsIt) {
  bool asked = false;
  QObject::connect(&document, &views::Document::reference_requested, [&] { asked = true; });
  QTest::mouseClick(&view.compare_button(), Qt::LeftButton);
  EXPECT_TRUE(asked);
  const size_t rows = view.figure().rows.size();
  document.set_reference(tests::sample_analyzed(), QStringLiteral("other.tide"));
  EXPECT_EQ(view.figure().rows.size(), rows + 1);
  EXPECT_FALSE(view.figure().other_title.isEmpty());
  click_op(1);
  EXPECT_NEAR(view.figure().links.front().difference(), 0, 1e-6) << "the same op of the other run";
  const auto layout = view.layout_on_screen();
  const auto& cell = layout.cells.back();
  ASSERT_EQ(cell.row, views::FigureRow::difference);
  EXPECT_TRUE(views::traffic_tip(view.figure(), layout, view.ops(), document.capture(), cell.rect.center())
                  .contains(view.figure().other_title));
  QTest::mouseClick(&view.compare_button(), Qt::LeftButton);
  EXPECT_EQ(document.reference(), nullptr);
  EXPECT_EQ(view.figure().rows.size(), rows);
}

TEST_F(TrafficViewTest, ButtonsOfEmptyRowsAskForTheirCollector) {
  EXPECT_TRUE(view.fill_button(views::FigureRow::simulated).isHidden()) << "nobody here runs workloads";
  QStringList asked;
  QObject::connect(&document, &views::Document::collect_requested, [&](const QString& name) { asked << name; });
  document.set_collect_refusal([](const QString& collector) {
    return collector == QLatin1String("perf") ? QStringLiteral("The counters are closed.") : QString();
  });
  QApplication::processEvents();
  QToolButton &simulate = view.fill_button(views::FigureRow::simulated),
              &measure = view.fill_button(views::FigureRow::measured);
  ASSERT_TRUE(simulate.isVisible() && measure.isVisible());
  EXPECT_FALSE(measure.isEnabled());
  EXPECT_TRUE(measure.toolTip().contains(QStringLiteral("The counters are closed.")));
  EXPECT_FALSE(simulate.accessibleName().isEmpty());
  QTest::mouseClick(&measure, Qt::LeftButton);
  QTest::mouseClick(&simulate, Qt::LeftButton);
  EXPECT_EQ(asked, QStringList{QStringLiteral("simulate")});
  view.resize(960, 900);  // stacked: the rows are elsewhere
  QApplication::processEvents();
  const auto layout = view.layout_on_screen();
  ASSERT_EQ(layout.fills.size(), 2u);
  EXPECT_EQ(simulate.geometry(), layout.fills[0].button.toRect());
  document.set(nullptr, {});
  EXPECT_TRUE(simulate.isHidden());
}

TEST_F(TrafficViewTest, TheBatchSliderAsksForThePointItRestsOn) {
  EXPECT_FALSE(view.batches().isVisible());
  document.set_sweep(tests::sample_sweep(false), QStringLiteral("/tmp/sweep.tide"));
  EXPECT_TRUE(view.batches().isVisible());
  std::vector<size_t> asked;
  QObject::connect(&document, &views::Document::point_requested, [&](size_t point) { asked.push_back(point); });
  view.batches().slider().setFocus();
  QTest::keyClick(&view.batches().slider(), Qt::Key_Right);
  QTest::keyClick(&view.batches().slider(), Qt::Key_Right);
  EXPECT_TRUE(view.batches().words().contains(QStringLiteral("batch 4"))) << view.batches().words().toStdString();
  EXPECT_TRUE(view.batches().words().contains(QStringLiteral("250 kB per sample")))
      << view.batches().words().toStdString();
  EXPECT_TRUE(asked.empty()) << "not before it rests";
  EXPECT_TRUE(QTest::qWaitFor([&] { return !asked.empty(); }, 2000));
  EXPECT_EQ(asked, std::vector<size_t>{2});
  document.set_sweep(nullptr, {});
  EXPECT_FALSE(view.batches().isVisible());
}

TEST_F(TrafficViewTest, AShorterCaptureReplacesALongerOneSafely) {
  document.selection().select_op(SampleOps::bias_update);
  view.choose_ribbon(7);
  document.set(tests::unprobed_analyzed(), QStringLiteral("other.tide"));
  EXPECT_TRUE(view.figure().scope.all());
  document.set(nullptr, {});
  view.grab();
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  QTest::keyClick(&view.canvas(), Qt::Key_Space);
  click({100, 100});
  EXPECT_TRUE(document.selection().state().empty());
}

}  // namespace
