// SPDX-License-Identifier: GPL-3.0-or-later
// The tape under the network: steps by buttons and slider, the selection both ways, checkpoints from a planner.
#include "views/network/tape_panel.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>

#include "tests/support/network_lab.h"
#include "views/network/network_view.h"

namespace {

class TapePanelTest : public testing::Test {
 protected:
  TapePanelTest() {
    tests::NetworkLab lab;
    lab.training_step(3);
    document.set(lab.analyzed(), QStringLiteral("net.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
    QTest::mouseClick(&view.tape_button(), Qt::LeftButton);
    QApplication::processEvents();
  }
  views::TapePanel& tape() { return view.tape(); }
  views::Document document;
  views::NetworkView view{document, nullptr};
};

TEST_F(TapePanelTest, TheButtonShowsAndHidesIt) {
  EXPECT_TRUE(tape().isVisible());
  EXPECT_GT(tape().height(), 80);
  EXPECT_LE(tape().geometry().bottom(), view.height());
  EXPECT_EQ(view.area().geometry().bottom() + 1, tape().geometry().top()) << "nothing overlaps";
  QTest::mouseClick(&view.tape_button(), Qt::LeftButton);
  EXPECT_FALSE(tape().isVisible());
}

TEST_F(TapePanelTest, StepsForwardAndBackwardOpByOp) {
  EXPECT_EQ(tape().op(), 0U);
  EXPECT_FALSE(tape().back().isEnabled());
  QTest::mouseClick(&tape().forward(), Qt::LeftButton);
  QTest::mouseClick(&tape().forward(), Qt::LeftButton);
  EXPECT_EQ(tape().op(), 2U);
  EXPECT_EQ(document.selection().state().op, std::optional<profiler::OpId>(2));
  EXPECT_TRUE(tape().moment().text().startsWith(QStringLiteral("Op 3 of")));
  QTest::mouseClick(&tape().back(), Qt::LeftButton);
  EXPECT_EQ(tape().op(), 1U);
  QTest::mouseClick(&tape().to_peak(), Qt::LeftButton);
  EXPECT_EQ(tape().op(), tape().tape().peak_op);
  tape().position().setValue(tape().position().maximum());
  EXPECT_FALSE(tape().forward().isEnabled());
}

TEST_F(TapePanelTest, FollowsWhatIsSelectedElsewhere) {
  document.selection().select_op(5);
  EXPECT_EQ(tape().op(), 5U);
  EXPECT_EQ(tape().position().value(), 5);
}

TEST_F(TapePanelTest, AClickOnTheCurveGoesThere) {
  views::Canvas& canvas = tape().canvas();
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(canvas.width() - 2, canvas.height() / 2));
  EXPECT_EQ(tape().op(), document.capture().ops().size() - 1);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(0, canvas.height() / 2));
  EXPECT_EQ(tape().op(), 0U);
}

TEST_F(TapePanelTest, ANetworkWithoutTheSettingHasNoCheckpoints) {
  EXPECT_FALSE(tape().checkpoints().isEnabled());
  EXPECT_FALSE(tape().checkpoints().toolTip().isEmpty());
}

TEST(TapeLayout, TheCurveStaysInsideAndEveryOpCanBeHit) {
  profiler::Tape tape;
  for (int i = 0; i < 5000; ++i) tape.live_bytes.push_back(i % 100), tape.kept_bytes.push_back(i % 50);
  tape.peak_bytes = 99;
  const QRectF plot(10, 20, 300, 80);
  const auto layout = views::layout_tape(plot, tape, nullptr);
  for (const auto& list : {layout.live, layout.kept})
    for (const QPointF& point : list) EXPECT_TRUE(plot.adjusted(-0.1, -0.1, 0.1, 0.1).contains(point));
  EXPECT_LE(layout.live.size(), 600U) << "no more than pixels";
  for (const profiler::OpId op : {0U, 17U, 2500U, 4999U}) EXPECT_EQ(layout.op_at(layout.x_of(op)), op);
  EXPECT_EQ(layout.op_at(-50), 0U);
  EXPECT_EQ(layout.op_at(5000), 4999U);
  EXPECT_EQ(views::layout_tape(plot, {}, nullptr).op_at(20), profiler::kNoOp);
}

}  // namespace
