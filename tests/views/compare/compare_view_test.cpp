// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison's geometry as numbers, and real clicks on lanes and table.
#include "views/compare/compare_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "profiler/store/capture_file.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_document.h"
#include "views/base/paint.h"
#include "views/compare/compare_paint.h"

namespace {

using profiler::ChangeClass;
using tests::SampleOps;

/// Three ops; `factor` on the second, and with `extra` one op more.
std::shared_ptr<const profiler::Analyzed> lab(double factor, bool extra) {
  tests::OpLab net;
  net.op("matmul", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 4e6, 0, "fc1");
  net.op("relu", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e3, 2e6 * factor, 0, "fc2");
  net.op("matmul", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 4e6, 0, "fc3");
  if (extra) net.op("dropout", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e3, 1e6, 0, "drop");
  return profiler::analyze(net.finish());
}

class CompareViewTest : public testing::Test {
 protected:
  void open(std::shared_ptr<const profiler::Analyzed> before, std::shared_ptr<const profiler::Analyzed> after) {
    document.set(std::move(after), QStringLiteral("/nowhere/after.tide"));
    document.set_reference(std::move(before), QStringLiteral("/nowhere/before.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
  }
  views::Document document;
  views::CompareView view{document, nullptr};
};

TEST_F(CompareViewTest, OpsStartAtTheSamePlaceAndAreAsWideAsTheirTime) {
  open(lab(1, false), lab(4, true));
  const views::CompareLayout layout = view.layout_on_screen();
  ASSERT_EQ(layout.boxes.size(), 7u) << "three pairs, and one alone";
  for (size_t i = 0; i + 1 < 6; i += 2) {
    EXPECT_EQ(layout.boxes[i].row, layout.boxes[i + 1].row);
    EXPECT_DOUBLE_EQ(layout.boxes[i].rect.left(), layout.boxes[i + 1].rect.left());
  }
  EXPECT_NEAR(layout.boxes[3].rect.width(), 4 * layout.boxes[2].rect.width(), 0.01) << "four times slower";
  EXPECT_NEAR(layout.boxes[0].rect.width() * layout.ns_per_px, 4e6, 1);
  EXPECT_DOUBLE_EQ(layout.boxes[4].rect.left(), layout.boxes[3].rect.right()) << "the next waits for the slower";
  EXPECT_NEAR(layout.boxes[6].rect.right(), layout.after_lane.right(), 0.01) << "the scale is used up";
  EXPECT_TRUE(layout.boxes[6].after);
}

TEST_F(CompareViewTest, NothingOverlapsAtBothSizes) {
  open(tests::sample_analyzed(), tests::sample_analyzed());
  for (const QSize size :
       {QSize(803, 532), QSize(1280, 720), QSize(1920, 1080)}) {  // the first: what a window of 1280 x 720 leaves
    view.resize(size);
    QApplication::processEvents();
    const views::CompareLayout layout = view.layout_on_screen();
    std::vector<QRectF> rects{layout.caption,    layout.before_lane, layout.after_lane,   layout.before_name,
                              layout.after_name, layout.legend,      layout.bytes_caption};
    for (const auto& row : layout.bytes)
      rects.insert(rects.end(), {row.name, row.before, row.before_value, row.after, row.after_value, row.change});
    EXPECT_EQ(tests::first_overlap(rects), (std::pair(-1, -1)));
    for (const QRectF& rect : rects)
      EXPECT_TRUE(rect.width() == 0 || QRectF(view.picture().rect()).contains(rect)) << rect.top();
    EXPECT_EQ(layout.bytes.size(), 5u) << "compulsory and four links";
    EXPECT_GT(view.table().height(), 150);
  }
}

TEST_F(CompareViewTest, TheTableHasADozenRowsInASmallWindow) {
  open(tests::sample_analyzed(), tests::sample_analyzed());
  view.resize(803, 532);
  QApplication::processEvents();
  const views::CompareLayout layout = view.layout_on_screen();
  EXPECT_GT(layout.bytes_caption.left(), layout.before_lane.right()) << "bytes beside the lanes";
  EXPECT_GE(view.table().height(), 270);
  for (const auto& row : layout.bytes) {
    EXPECT_GE(row.before_value.width(), views::text_width(views::data_font(), row.before_text));
    EXPECT_GE(row.name.width(), views::text_width(views::data_font(), row.title));
  }
  view.resize(600, 532);
  QApplication::processEvents();
  EXPECT_GT(view.layout_on_screen().bytes_caption.top(), layout.after_lane.bottom()) << "too narrow for that";
}

TEST_F(CompareViewTest, TheAnswerIsOneLineAndTheRestUnfolds) {
  open(lab(1, false), lab(4, false));
  const QString answer = view.answer().headline();
  EXPECT_TRUE(answer.contains(QStringLiteral("slower"))) << answer.toStdString();
  EXPECT_FALSE(answer.contains(QLatin1Char('.')) && answer.contains(QStringLiteral(". "))) << "one sentence";
  EXPECT_EQ(view.answer().shown(), answer);
  EXPECT_LE(view.answer().height(), 40);
  const int table = view.table().height(), top = view.table().y();
  QTest::mouseClick(&view.answer().fold(), Qt::LeftButton);
  EXPECT_TRUE(view.answer().shown().contains(QStringLiteral("95 % interval")));
  EXPECT_FALSE(view.answer().shown().contains(QStringLiteral("takes -")));
  EXPECT_FALSE(view.answer().shown().contains(QStringLiteral("--repeat")));
  EXPECT_GT(view.answer().height(), 60);
  EXPECT_GE(view.table().y() + view.table().height(), top) << "still in the view";
  view.answer().fold().setFocus();
  QTest::keyClick(&view.answer().fold(), Qt::Key_Space);
  EXPECT_EQ(view.table().height(), table);
}

TEST_F(CompareViewTest, BytesSayWhatChanged) {
  open(tests::sample_analyzed(), tests::unprobed_analyzed());
  for (const auto& row : view.layout_on_screen().bytes) {
    EXPECT_EQ(row.change_text, QStringLiteral("same")) << "compulsory bytes are exact";
  }
  EXPECT_EQ(view.layout_on_screen().bytes.size(), 1u) << "a machine that was never probed has no links";
}

TEST_F(CompareViewTest, AClickOnALaneSelectsTheOpForTheWholeWindow) {
  open(tests::sample_analyzed(), tests::sample_analyzed());
  const views::CompareLayout layout = view.layout_on_screen();
  const auto widest = std::ranges::max_element(layout.boxes, {}, [](const auto& box) { return box.rect.width(); });
  QTest::mouseClick(&view.picture(), Qt::LeftButton, {}, widest->rect.center().toPoint());
  const auto op = document.selection().state().op;
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(view.comparison()->rows[widest->row].match.after.front(), *op);
  EXPECT_FALSE(view.picture().tip(widest->rect.center()).isEmpty());
}

TEST_F(CompareViewTest, TheTableNamesWhatIsSlower) {
  open(lab(1, false), lab(4, false));
  const profiler::Table table = view.data();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "whole step");
  EXPECT_EQ(std::get<std::string>(table.rows[1][3]), "SLOWER");
  EXPECT_EQ(table.row_ops[1], 1u);
  ASSERT_TRUE(view.table().chip(1, views::Theme::light()).has_value());
  EXPECT_NE(*view.table().chip(1, views::Theme::light()), *view.table().chip(2, views::Theme::light()));
}

TEST_F(CompareViewTest, SameAndUnsureDoNotLookAlike) {
  for (const views::Theme* theme : {&views::Theme::light(), &views::Theme::dark()}) {
    const QBrush same = views::change_brush(*theme, ChangeClass::same),
                 unsure = views::change_brush(*theme, ChangeClass::unsure);
    EXPECT_NE(same.color(), unsure.color());
    EXPECT_NE(same.style(), unsure.style());
  }
}

/// Three captures in a folder of its own, of which two lie in the repeats of the first.
class CompareRepeatsTest : public CompareViewTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.isValid());
    const std::filesystem::path root = folder.path().toStdString();
    std::filesystem::create_directory(root / "before.repeats");
    for (const char* file : {"before.tide", "before.repeats/0000.tide", "before.repeats/0001.tide"}) {
      const auto saved = profiler::save_capture(*lab(1, false)->capture, root / file);
      ASSERT_TRUE(saved.ok()) << saved.error().message;
    }
  }
  QString before() const { return folder.filePath(QStringLiteral("before.tide")); }
  QTemporaryDir folder;
};

TEST_F(CompareRepeatsTest, AreReadBesideTheWindowsThread) {
  document.set(lab(4, false), QStringLiteral("/nowhere/after.tide"));
  document.set_reference(lab(1, false), before());
  view.resize(1280, 720);
  view.show();
  EXPECT_TRUE(view.busy()) << "the window did not wait for the files";
  EXPECT_FALSE(view.table().isVisible());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view.busy(); }, 10000));
  ASSERT_NE(view.comparison(), nullptr);
  EXPECT_EQ(view.comparison()->total.change.before, 2) << "the repeats, in place of the first";
  EXPECT_TRUE(view.table().isVisible());
}

TEST_F(CompareRepeatsTest, WhatWasAskedForNextIsShown) {
  document.set(lab(4, false), QStringLiteral("/nowhere/after.tide"));
  document.set_reference(lab(1, false), before());
  view.show();
  document.set_reference(lab(1, false), QStringLiteral("/nowhere/other.tide"));  // while the first is being read
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view.busy(); }, 10000));
  EXPECT_EQ(view.comparison()->before, "other");
  document.set_reference(lab(1, false), before());
  EXPECT_EQ(view.comparison()->total.change.before, 2) << "who cannot wait gets it at once";
}

TEST_F(CompareViewTest, BytesAreWholeBesideManyWords) {
  tests::OpLab one, other;
  for (int i = 0; i < 8; ++i)
    one.op("relu" + std::to_string(i), {one.tensor(1 << 20)}, {one.tensor(1 << 20)}, 1e3, 1e6, 0, "a");
  for (int i = 0; i < 8; ++i)
    other.op("tanh" + std::to_string(i), {other.tensor(1 << 20)}, {other.tensor(1 << 20)}, 1e3, 1e6, 0, "b");
  for (const char* key : {"momentum", "hidden", "sequence", "vocabulary", "checkpointing"})
    other.builder().run().arguments[key] = std::string(60, 'x');
  open(profiler::analyze(one.finish()), profiler::analyze(other.finish()));
  view.resize(800, 540);  // what a window of 1280 x 720 leaves
  QApplication::processEvents();
  const views::CompareLayout layout = view.layout_on_screen();
  EXPECT_TRUE(QRectF(view.picture().rect()).contains(layout.bytes.back().name));
  EXPECT_GE(view.table().height(), 120);
}

TEST_F(CompareViewTest, NoLineOfTheWordsIsCutWhateverTheirFont) {
  tests::OpLab one, other;
  for (int i = 0; i < 8; ++i)
    one.op("relu" + std::to_string(i), {one.tensor(1 << 20)}, {one.tensor(1 << 20)}, 1e3, 1e6, 0, "a");
  for (int i = 0; i < 8; ++i)
    other.op("tanh" + std::to_string(i), {other.tensor(1 << 20)}, {other.tensor(1 << 20)}, 1e3, 1e6, 0, "b");
  for (const char* key : {"momentum", "hidden", "sequence", "vocabulary", "checkpointing"})
    other.builder().run().arguments[key] = std::string(60, 'x');
  open(profiler::analyze(one.finish()), profiler::analyze(other.finish()));
  view.answer().fold().click();
  const auto areas = view.findChildren<QScrollArea*>();
  const auto words =
      std::ranges::find(areas, QStringLiteral("Results of the comparison"), &QScrollArea::accessibleName);
  ASSERT_NE(words, areas.end());
  for (const int points : {9, 17, 70}) {  // the last: one line has more than the room that words get
    QFont font = view.font();
    font.setPointSize(points);
    view.setFont(font);
    view.resize(800, 540);
    QApplication::processEvents();
    view.resize(800, 541);
    QApplication::processEvents();
    const int line = (*words)->widget()->fontMetrics().lineSpacing();
    ASSERT_GT((*words)->widget()->height(), (*words)->height()) << "they scroll";
    EXPECT_GE((*words)->height(), line) << points;
    EXPECT_EQ((*words)->height() % line, 0) << points << ": " << line;
  }
}

TEST_F(CompareViewTest, WithoutAnotherItAsksForOne) {
  open(nullptr, tests::sample_analyzed());
  EXPECT_EQ(view.comparison(), nullptr);
  EXPECT_FALSE(view.table().isVisible());
  QSignalSpy asked(&document, &views::Document::reference_requested);
  QTest::mouseClick(&view.choose_button(), Qt::LeftButton);
  EXPECT_EQ(asked.count(), 1);
  document.set_reference(tests::sample_analyzed(), QStringLiteral("/nowhere/before.tide"));
  EXPECT_NE(view.comparison(), nullptr);
  EXPECT_TRUE(view.table().isVisible());
}

TEST_F(CompareViewTest, HeadingsSayThatTimesAreLowerQuartiles) {
  open(lab(1, false), lab(4, true));
  const auto& columns = view.table().table().columns;
  for (const char* key : {"before_ns", "after_ns"}) {
    const int at = static_cast<int>(std::ranges::find(columns, key, &profiler::Column::key) - columns.begin());
    EXPECT_TRUE(view.table()
                    .model()
                    ->headerData(at, Qt::Horizontal, Qt::DisplayRole)
                    .toString()
                    .endsWith(QStringLiteral("\nlower quartile")))
        << key;
    EXPECT_EQ(columns[static_cast<size_t>(at)].title.find("Q1"), std::string::npos) << "in words, once";
  }
}

}  // namespace
