// SPDX-License-Identifier: GPL-3.0-or-later
// Real clicks, drags and keys on the cache view; simulations on its thread; refusals.
#include "views/cache/cache_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>

#include "tests/support/sample_document.h"

namespace {

using tests::SampleOps;

class CacheViewTest : public testing::Test {
 protected:
  CacheViewTest() {
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    document.selection().select_op(SampleOps::linear);
    view.resize(1280, 720);
    view.show();
    settle();
  }
  void settle() {
    QApplication::processEvents();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.busy(); }, 10000));
    QApplication::processEvents();
  }
  views::Document document;
  views::CacheView view{document, nullptr};
};

TEST_F(CacheViewTest, SimulatesTheSelectedOpExactlyInTheEnd) {
  ASSERT_NE(view.simulation(), nullptr) << view.refusal().toStdString();
  EXPECT_TRUE(view.simulation()->classified);
  EXPECT_FALSE(view.simulation()->curve.points.empty());
  EXPECT_EQ(view.simulation()->title, document.capture().name(document.capture().ops()[SampleOps::linear].name));
  ASSERT_FALSE(view.tensors().rows().empty());
  EXPECT_FALSE(view.data().rows.empty());
  for (const auto& column : view.data().columns) EXPECT_NE(column.origin, profiler::Origin::modelled);
}

TEST_F(CacheViewTest, TheSelectionOfOtherViewsIsFollowed) {
  document.selection().select_op(SampleOps::relu);
  settle();
  ASSERT_NE(view.simulation(), nullptr);
  EXPECT_EQ(view.simulation()->title, document.capture().name(document.capture().ops()[SampleOps::relu].name));
  document.selection().clear();
  settle();
  EXPECT_TRUE(view.title().endsWith(QStringLiteral("the slowest op"))) << view.title().toStdString();
}

TEST_F(CacheViewTest, MovingASliderSimulatesAnewWithoutBlocking) {
  const double misses = view.figure().levels[0].misses;
  const auto machine = view.controls().config();
  view.controls().size_slider().setFocus();
  QTest::keyClick(&view.controls().size_slider(), Qt::Key_Home);  // 1 KiB
  EXPECT_TRUE(view.busy()) << "the window did not wait for the result";
  settle();
  EXPECT_EQ(view.simulation()->config.levels[0].size_bytes, view.controls().config().levels[0].size_bytes);
  EXPECT_LT(view.controls().config().levels[0].size_bytes, machine.levels[0].size_bytes);
  EXPECT_GE(view.figure().levels[0].misses, misses);
  QTest::mouseClick(&view.controls().reset_button(), Qt::LeftButton);
  settle();
  EXPECT_EQ(view.controls().config().levels, machine.levels);
  EXPECT_EQ(view.figure().levels[0].misses, misses);
}

TEST_F(CacheViewTest, WaysBackAndForthKeepTheSizeAskedFor) {
  const auto before = view.controls().config().levels[0];
  QSlider& ways = view.controls().ways_slider();
  const int home = ways.value();
  for (int i = 0; i <= ways.maximum(); ++i) ways.setValue(i);
  ways.setValue(home);
  EXPECT_EQ(view.controls().config().levels[0].size_bytes, before.size_bytes);
  EXPECT_EQ(view.controls().config().levels[0].ways, before.ways);
  settle();
}

TEST_F(CacheViewTest, APolicyThatDoesNotFitIsSaidAndTheOldPictureStays) {
  QSlider& ways = view.controls().ways_slider();
  ways.setValue(0);  // 1 way
  settle();
  const auto* shown = view.simulation();
  view.controls().policy().setCurrentIndex(view.controls().policy().findData(QStringLiteral("lru3plru4")));
  settle();
  EXPECT_TRUE(view.refusal().contains(QStringLiteral("LRU of PLRU trees"))) << view.refusal().toStdString();
  EXPECT_EQ(view.simulation(), shown);
  bool said = false;
  for (const auto& text : view.layout_on_screen().texts) said = said || text.text == view.refusal();
  EXPECT_TRUE(said);
}

TEST_F(CacheViewTest, LevelsAreChosenByButtonBarAndKey) {
  QTest::mouseClick(view.level_switch()->button(1), Qt::LeftButton);
  EXPECT_EQ(view.level(), 1u);
  const auto layout = view.layout_on_screen();
  QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, layout.bars[2].value.center().toPoint());
  EXPECT_EQ(view.level(), 2u);
  EXPECT_TRUE(view.level_switch()->button(2)->isChecked());
  QTest::keyClick(&view.canvas(), Qt::Key_Up);
  EXPECT_EQ(view.level(), 1u);
}

TEST_F(CacheViewTest, AccessesPlayStepAndScrub) {
  const size_t all = view.simulation()->first_accesses.size();
  ASSERT_GT(all, 100u);
  QTest::keyClick(&view.canvas(), Qt::Key_Home);
  EXPECT_EQ(view.shown_accesses(), 0u);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(view.shown_accesses(), 1u);
  view.speed_slider().setValue(view.speed_slider().maximum());
  QTest::mouseClick(&view.play_button(), Qt::LeftButton);
  EXPECT_EQ(view.play_button().text(), QStringLiteral("Pause"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.shown_accesses() == all; }, 5000));
  EXPECT_EQ(view.play_button().text(), QStringLiteral("Play"));
  const QRectF order = view.layout_on_screen().order;
  QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPointF(order.center().x(), order.top() + 4).toPoint());
  EXPECT_NEAR(static_cast<double>(view.shown_accesses()), static_cast<double>(all) / 2,
              static_cast<double>(all) * 0.01);
}

TEST_F(CacheViewTest, TensorsSelectAndWarmCachesMissLess) {
  ASSERT_FALSE(view.tensors().rows().empty());
  const double cold = view.figure().levels.back().misses;
  QTest::mouseClick(view.epoch_switch().button(1), Qt::LeftButton);
  EXPECT_LE(view.figure().levels.back().misses, cold);
  QTest::mouseClick(view.tensors().viewport(), Qt::LeftButton, {}, QPoint(40, 8));
  EXPECT_EQ(document.selection().state().tensor, view.tensors().rows().front().id);
}

TEST_F(CacheViewTest, LayersAndTheStepAreSimulatedOpByOp) {
  const uint64_t one = view.simulation()->accesses;
  QTest::mouseClick(view.scope_switch().button(2), Qt::LeftButton);
  settle();
  ASSERT_TRUE(view.refusal().isEmpty()) << view.refusal().toStdString();
  EXPECT_EQ(view.simulation()->title, "Whole step");
  EXPECT_GT(view.simulation()->accesses, 10 * one);
}

TEST_F(CacheViewTest, EveryPictureExplainsItself) {
  const auto layout = view.layout_on_screen();
  const auto tip = [&](QPointF at) {
    return views::cache_tip(*view.simulation(), view.figure(), layout, view.level(), at);
  };
  EXPECT_TRUE(tip(layout.bars[0].track.center()).contains(QStringLiteral("Not measured")));
  EXPECT_TRUE(tip(layout.cells.front().rect.center()).contains(QStringLiteral("simulated")));
  EXPECT_TRUE(tip(layout.dots[5].at).contains(QStringLiteral("Access")));
  EXPECT_FALSE(tip({layout.marks[0].x, layout.curve_axes.center().y()}).isEmpty());
}

TEST_F(CacheViewTest, AnOpWhoseAccessesAreUnknownSaysWhyAndWhatHelps) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "null";
  auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  document.set(profiler::analyze(*capture), QStringLiteral("null.tide"));
  settle();
  EXPECT_EQ(view.simulation(), nullptr);
  EXPECT_FALSE(view.refusal().isEmpty());
  EXPECT_FALSE(view.tensors().isVisible());
  document.set(nullptr, {});
  EXPECT_TRUE(view.refusal().isEmpty());
  view.grab();
  QTest::keyClick(&view.canvas(), Qt::Key_Space);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
}

TEST_F(CacheViewTest, PoliciesAreWordsAndTheLegendIsInThePicture) {
  view.controls().policy().setCurrentIndex(view.controls().policy().findData(QStringLiteral("fifo")));
  settle();
  const auto layout = view.layout_on_screen();
  bool named = false;
  for (const auto& text : layout.texts) named = named || text.text.contains(QStringLiteral("-way, FIFO"));
  EXPECT_TRUE(named);
  for (int i = 0; i < view.controls().policy().count(); ++i)
    EXPECT_FALSE(view.controls().policy().itemText(i).contains(QStringLiteral("LRU3")));
  EXPECT_EQ(views::policy_words("lru3plru4"), QStringLiteral("LRU of PLRU trees"));
  EXPECT_EQ(views::policy_words("qlru_h11_m1_r0_u0"), QStringLiteral("QLRU (H11, M1, R0, U0)"));
  for (const QRectF& swatch : layout.order_swatches) {
    EXPECT_LT(swatch.bottom(), layout.order.top());
    EXPECT_GT(swatch.bottom(), layout.order.top() - 60) << "beside what it explains";
  }
  ASSERT_FALSE(layout.set_scale.isEmpty());
  EXPECT_GT(layout.set_scale.top(), layout.sets.bottom() - 1);
  EXPECT_GT(layout.most_misses, 0);
}

TEST_F(CacheViewTest, DestroyedWhileSimulatingItEnds) {
  auto other = std::make_unique<views::CacheView>(document, nullptr);
  other->resize(1000, 600);
  other->show();
  QTest::mouseClick(other->scope_switch().button(2), Qt::LeftButton);
  QTest::qWait(120);  // until it has begun
  other.reset();
}

TEST_F(CacheViewTest, AStepShowsItsOffChipBytesWithBothEnds) {
  EXPECT_FALSE(view.curve_switch().isVisible()) << "it is of a step";
  QTest::mouseClick(view.scope_switch().button(2), Qt::LeftButton);
  settle();
  ASSERT_NE(view.simulation(), nullptr) << view.refusal().toStdString();
  ASSERT_TRUE(view.curve_switch().isVisible());
  QTest::mouseClick(view.curve_switch().button(1), Qt::LeftButton);
  const views::CacheLayout layout = view.layout_on_screen();
  const profiler::OnChipCurve& curve = view.on_chip();
  ASSERT_GE(curve.points.size(), 2u);
  EXPECT_EQ(layout.size_at(layout.curve_axes.left() + 1), 0);
  const auto marked = [&](const char* start) {
    return std::ranges::find_if(layout.marks,
                                [&](const views::CurveMark& m) { return m.text.startsWith(QLatin1String(start)); });
  };
  const auto none = marked("none: "), all = marked("all: ");
  ASSERT_NE(none, layout.marks.end());
  ASSERT_NE(all, layout.marks.end());
  EXPECT_NEAR(none->x, layout.curve_axes.left(), 0.01);
  EXPECT_NEAR(layout.size_at(all->x), curve.points.back().on_chip_bytes, 1e-6 * curve.points.back().on_chip_bytes);
  EXPECT_NEAR(none->dot.y(), layout.curve.front().y(), 0.01);
  EXPECT_NEAR(all->dot.y(), layout.curve.back().y(), 0.01);
  for (qsizetype i = 1; i < layout.curve.size(); ++i) {
    EXPECT_GE(layout.curve[i].y(), layout.curve[i - 1].y()) << "more memory, no more bytes";
    EXPECT_GE(layout.curve[i].x(), layout.curve[i - 1].x());
  }
  EXPECT_FALSE(view.grab().isNull());
  QTest::mouseClick(view.curve_switch().button(0), Qt::LeftButton);
  EXPECT_EQ(view.layout_on_screen().most_size, 0);
}

}  // namespace
