// SPDX-License-Identifier: GPL-3.0-or-later
// The playground's buttons with the real program behind them, and where its boxes and arrows lie.
#include "app/gui/playground_panel.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>

#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

class PlaygroundPanelTest : public testing::Test {
 protected:
  PlaygroundPanelTest() {
    panel.resize(940, 520);
    panel.show();
    QCoreApplication::processEvents();
  }
  void click(const char* name) {
    QTest::mouseClick(&panel.button(name), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return !panel.busy(); }, 60000)) << panel.result().text().toStdString();
  }
  void run(const char* line) {
    QTest::keyClicks(&panel.line(), QLatin1String(line));
    QTest::keyClick(&panel.line(), Qt::Key_Return);
    ASSERT_TRUE(wait_for([&] { return !panel.busy(); }, 60000));
  }
  PlaygroundPanel panel;
};

TEST_F(PlaygroundPanelTest, ToShowsTheCopyAndTheSameTensor) {
  click("to");
  ASSERT_EQ(panel.chips().size(), 2U);
  EXPECT_EQ(panel.chips()[0].names, QStringLiteral("u = w"));
  EXPECT_EQ(panel.chips()[0].device, QStringLiteral("cpu"));
  EXPECT_EQ(panel.chips()[1].device, QStringLiteral("sim:0"));
  EXPECT_TRUE(panel.arrows().empty()) << "the last line copied nothing";
  run("v = u.to(sim:1)");
  ASSERT_EQ(panel.arrows().size(), 1U);
  EXPECT_EQ(panel.arrows()[0].words, QStringLiteral("12 B"));
}

TEST_F(PlaygroundPanelTest, ARefusedLineOffersTheCopyThatIsMissing) {
  click("add");
  EXPECT_TRUE(panel.result().text().startsWith(QStringLiteral("Refused")));
  ASSERT_TRUE(panel.button("remedy").isVisible());
  EXPECT_TRUE(panel.button("remedy").text().contains(QStringLiteral("y.to(cpu)")));
  click("remedy");
  EXPECT_FALSE(panel.button("remedy").isVisible());
  EXPECT_EQ(panel.chips().size(), 3U);
}

TEST_F(PlaygroundPanelTest, AHiddenCopyOfAScalarIsMarked) {
  click("scalar");
  ASSERT_EQ(panel.arrows().size(), 1U);
  EXPECT_TRUE(panel.arrows()[0].hidden);
  EXPECT_TRUE(panel.arrows()[0].words.contains(QStringLiteral("4 B")));
  click("restart");
  EXPECT_TRUE(panel.chips().empty());
  click("module");
  EXPECT_TRUE(std::ranges::any_of(panel.chips(), &PlaygroundChip::module));
}

TEST_F(PlaygroundPanelTest, AProgramThatEndsWithoutAnAnswerIsSaid) {
  const QTemporaryDir folder;
  const Environment cli("TENSORTIDE_CLI", write_script(folder, QStringLiteral("refuse"),
                                                       QStringLiteral("echo 'no such thing' >&2\nexit 2\n")));
  QTest::mouseClick(&panel.button("restart"), Qt::LeftButton);
  click("to");
  EXPECT_TRUE(wait_for([&] { return panel.result().text().contains(QStringLiteral("no such thing")); }));
}

TEST_F(PlaygroundPanelTest, NonsenseIsAnswered) {
  run("frobnicate");
  EXPECT_TRUE(panel.result().text().contains(QStringLiteral("frobnicate")));
  EXPECT_TRUE(panel.chips().empty());
}

TEST(PlaygroundLayout, BoxesAndArrowsDoNotOverlap) {
  const QStringList devices{QStringLiteral("cpu"), QStringLiteral("sim:0"), QStringLiteral("sim:1")};
  std::vector<PlaygroundChip> chips;
  for (int i = 0; i < 12; ++i) chips.push_back({QString::number(i), {}, {}, devices[i % 2], false});
  const std::vector<PlaygroundArrow> arrows{{devices[0], devices[1], QStringLiteral("12 B"), false},
                                            {devices[0], devices[2], QStringLiteral("4 B"), true}};
  for (const QRectF rect : {QRectF(0, 0, 900, 200), QRectF(0, 0, 600, 150), QRectF(0, 0, 1800, 700)}) {
    const PlaygroundLayout layout = layout_playground(rect, devices, chips, arrows, 16);
    ASSERT_EQ(layout.devices.size(), 3U);
    for (size_t i = 0; i + 1 < 3; ++i) EXPECT_LT(layout.devices[i].right(), layout.devices[i + 1].left());
    size_t shown = 0;
    for (size_t i = 0; i < layout.chips.size(); ++i) {
      if (layout.chips[i].isEmpty()) continue;
      ++shown;
      EXPECT_TRUE(layout.devices[i % 2].contains(layout.chips[i]));
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(layout.chips[i].intersects(layout.chips[j]));
    }
    EXPECT_EQ(shown + layout.left_out[0] + layout.left_out[1], chips.size()) << "what has no room is counted";
    for (const auto& arrow : layout.arrows) EXPECT_TRUE(rect.contains(arrow.label)) << arrow.label.top();
  }
}

}  // namespace
}  // namespace app::gui
