// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks and keys on the systolic array.
#include "views/systolic/systolic_panel.h"

#include <gtest/gtest.h>

#include <QTest>

namespace {

class SystolicPanelTest : public testing::Test {
 protected:
  SystolicPanelTest() {
    panel.resize(940, 520);
    panel.show();
    QCoreApplication::processEvents();
  }
  std::string facts() { return panel.facts().text().toStdString(); }
  bool shows(const char* words) { return panel.facts().text().contains(QString::fromUtf8(words)); }
  views::SystolicPanel panel;
};

TEST_F(SystolicPanelTest, StepsForthAndBackByButtonsAndKeys) {
  QTest::mouseClick(&panel.step_button(), Qt::LeftButton);
  EXPECT_EQ(panel.array().cycle(), 1);
  QTest::keyClick(&panel.canvas(), Qt::Key_Right);
  EXPECT_EQ(panel.array().cycle(), 2);
  QTest::keyClick(&panel.canvas(), Qt::Key_Left);
  QTest::mouseClick(&panel.back_button(), Qt::LeftButton);
  EXPECT_EQ(panel.array().cycle(), 0);
  EXPECT_FALSE(panel.back_button().isEnabled());
  QTest::keyClick(&panel.canvas(), Qt::Key_End);
  EXPECT_EQ(panel.array().cycle(), 8 + 8 + 2 * 8 - 2);
  EXPECT_FALSE(panel.step_button().isEnabled());
  EXPECT_TRUE(shows("equals the matrix multiplication")) << facts();
}

TEST_F(SystolicPanelTest, SixtyFourAsInTheIllustration) {
  panel.size_box().setValue(64);
  panel.rows_box().setValue(64);
  QTest::keyClick(&panel.canvas(), Qt::Key_End);
  EXPECT_TRUE(shows("254 of 254")) << facts();
  EXPECT_TRUE(shows("64 + 2·64 − 2 = 190")) << facts();
  EXPECT_TRUE(shows("4,096 of 4,096, each once")) << facts();
  EXPECT_TRUE(shows("524,288 reads")) << "2 x 64 x 64 x 64: " << facts();
  EXPECT_TRUE(shows("33.7 %") || shows("34 %")) << "64 / 190: " << facts();
  EXPECT_TRUE(panel.findChild<QLabel*>(QStringLiteral("systolic.teaches"))
                  ->text()
                  .contains(QStringLiteral("real arrays are 128 or 256 wide")));
}

TEST_F(SystolicPanelTest, TheSliderAndTheChartLeadToACycle) {
  panel.slider().setValue(10);
  EXPECT_EQ(panel.array().cycle(), 10);
  panel.slider().setValue(3);
  EXPECT_EQ(panel.array().cycle(), 3);
  const QRectF chart = panel.layout_on_screen().chart;
  QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {}, chart.center().toPoint());
  EXPECT_NEAR(static_cast<double>(panel.array().cycle()), static_cast<double>(panel.cycles()) / 2, 1);
  EXPECT_EQ(panel.slider().value(), panel.array().cycle());
}

TEST_F(SystolicPanelTest, PlaysToTheEndAndNotWhileItIsHidden) {
  panel.size_box().setValue(2);
  panel.rows_box().setValue(1);
  panel.findChild<QSlider*>(QStringLiteral("systolic.speed"))->setValue(60);
  QTest::keyClick(&panel.canvas(), Qt::Key_Space);
  EXPECT_TRUE(panel.plays());
  panel.hide();
  EXPECT_FALSE(panel.plays());
  panel.show();
  EXPECT_TRUE(panel.plays());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !panel.plays(); }, 20000));
  EXPECT_EQ(panel.array().cycle(), panel.cycles());
  QTest::mouseClick(&panel.play_button(), Qt::LeftButton);
  EXPECT_LT(panel.array().cycle(), panel.cycles()) << "from the end it plays again";
}

TEST_F(SystolicPanelTest, AnotherSizeBeginsAgain) {
  panel.slider().setValue(9);
  panel.size_box().setValue(16);
  EXPECT_EQ(panel.array().cycle(), 0);
  EXPECT_EQ(panel.array().rows(), 16);
  EXPECT_EQ(panel.slider().maximum(), panel.cycles());
}

TEST_F(SystolicPanelTest, IsDrawnAtEverySizeInBothThemes) {
  for (const int size : {2, 8, 33, 64}) {
    panel.size_box().setValue(size);
    for (int cycle = 0; cycle <= panel.cycles(); cycle += size) {
      panel.go_to(cycle);
      panel.set_theme(cycle % 2 == 0 ? views::Theme::light() : views::Theme::dark());
      EXPECT_FALSE(panel.grab().isNull());
    }
  }
  EXPECT_FALSE(panel.canvas().accessibleName().isEmpty());
}

}  // namespace
