// SPDX-License-Identifier: GPL-3.0-or-later
// The ops table: real clicks select, the selection is followed, filter and roll-up change the rows.
#include "views/ops/ops_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>

#include "profiler/analysis/tables/ops_bounds.h"
#include "tests/support/sample_document.h"
#include "views/base/view_settings.h"

namespace {

using tests::SampleOps;

class OpsViewTest : public testing::Test {
 protected:
  OpsViewTest() {
    views::view_settings().clear();
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    view.resize(1280, 720);
    view.show();
    view.roll_up().button(0)->click();  // op by op
    QApplication::processEvents();
  }
  profiler::OpId op_at(size_t shown) { return view.table().table().row_ops[view.table().shown_rows()[shown]]; }
  void click_row(int shown) {
    QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                      QPoint(30, view.table().rowViewportPosition(shown) + 10));
  }
  views::Document document;
  views::OpsView view{document, nullptr};
};

TEST(OpsView, OpensOnTypesAndFollowsTheTypeOfWhatIsSelected) {
  views::view_settings().clear();
  views::Document document;
  views::OpsView view(document, nullptr);
  view.resize(803, 500);
  view.show();
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  QApplication::processEvents();
  EXPECT_TRUE(view.roll_up().button(2)->isChecked());
  const auto type_at = [&](size_t shown) {
    return std::get<std::string>(view.table().table().rows[view.table().shown_rows()[shown]].front());
  };
  EXPECT_EQ(view.table().table().name, profiler::ops_table(document.analyzed(), profiler::OpsBy::type).name);
  document.selection().select_op(SampleOps::conv);
  ASSERT_TRUE(view.table().currentIndex().isValid());
  EXPECT_EQ(type_at(static_cast<size_t>(view.table().currentIndex().row())),
            document.capture().name(document.capture().ops()[SampleOps::conv].type));
}

/// Reason and gain of the fusion ledger are in sight in a small window, and no switch is cut.
TEST_F(OpsViewTest, TheFusionLedgerFitsASmallWindow) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  const profiler::Capture& c = builder.so_far();
  const auto conv = profiler::OpId{SampleOps::conv}, relu = profiler::OpId{SampleOps::relu};
  builder.add_fusion_pair({conv, relu, c.ops()[conv].name, c.ops()[relu].name, c.operands(c.ops()[conv]).back().tensor,
                           4096, 4096, engine::FusionOutcome::second_consumer});
  auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  document.set(profiler::analyze(*std::move(capture)), QStringLiteral("pairs.tide"));
  for (const QSize size : {QSize(803, 500), QSize(700, 360)}) {
    view.resize(size);
    view.roll_up().button(7)->click();
    QApplication::processEvents();
    for (int i = 0; i < 8; ++i) {
      const QAbstractButton* button = view.roll_up().button(i);
      if (button->isHidden()) continue;  // devices, where all ops are of one
      EXPECT_GE(button->width(), button->sizeHint().width()) << i;
      EXPECT_TRUE(view.rect().contains(QRect(button->mapTo(&view, QPoint(0, 0)), button->size()))) << i;
    }
    const auto& box = view.filter_box();
    EXPECT_LE(QFontMetrics(box.font()).horizontalAdvance(box.placeholderText()) + 12, box.width());
    const profiler::Table& table = view.table().table();
    for (const char* key : {"why", "predicted_ns"}) {
      const auto column =
          static_cast<int>(std::ranges::find(table.columns, key, &profiler::Column::key) - table.columns.begin());
      EXPECT_FALSE(view.table().isColumnHidden(column)) << key;
      EXPECT_LE(view.table().columnViewportPosition(column) + view.table().columnWidth(column),
                view.table().viewport()->width())
          << key << " at " << size.width();
    }
  }
}

TEST_F(OpsViewTest, EveryRollUpHasTheLongestFirst) {
  for (int by = 0; by < 5; ++by) {
    view.roll_up().button(by)->click();
    const profiler::Table& table = view.table().table();
    const auto time = static_cast<size_t>(std::ranges::find(table.columns, "time_ns", &profiler::Column::key) -
                                          table.columns.begin());
    double last = 1e300;
    for (const uint32_t row : view.table().shown_rows()) {
      const double* ns = std::get_if<double>(&table.rows[row][time]);
      if (ns == nullptr) continue;
      EXPECT_LE(*ns, last) << by;
      last = *ns;
    }
    EXPECT_LT(last, 1e300) << by;
  }
}

TEST(OpsTotal, SaysWhyAShareIsMoreThanAll) {
  profiler::Table table = profiler::ops_table(*tests::sample_analyzed(), profiler::OpsBy::type);
  EXPECT_FALSE(views::ops_total(table, {0, 1}).contains(QStringLiteral("100 %")));
  const auto share = static_cast<size_t>(std::ranges::find(table.columns, "share_ratio", &profiler::Column::key) -
                                         table.columns.begin());
  table.rows[1][share] = 1.31;
  EXPECT_TRUE(views::ops_total(table, {0, 1}).contains(QStringLiteral("ops run beside each other")));
  EXPECT_FALSE(views::ops_total(table, {0}).contains(QStringLiteral("100 %"))) << "that row is not shown";
}

TEST_F(OpsViewTest, SlowestOpFirstAndAClickSelects) {
  EXPECT_EQ(op_at(0), SampleOps::relu_gradient);
  EXPECT_EQ(op_at(1), SampleOps::relu);
  click_row(1);
  EXPECT_EQ(document.selection().state().op, SampleOps::relu);
  QTest::keyClick(&view.table(), Qt::Key_Down);
  EXPECT_EQ(document.selection().state().op, op_at(2));
}

TEST_F(OpsViewTest, FollowsTheSelectionSilently) {
  document.selection().select_op(SampleOps::conv);
  const int row = view.table().currentIndex().row();
  ASSERT_GE(row, 0);
  EXPECT_EQ(op_at(static_cast<size_t>(row)), SampleOps::conv);
  document.selection().clear();
  EXPECT_FALSE(view.table().currentIndex().isValid());
  EXPECT_TRUE(document.selection().state().empty());
}

TEST_F(OpsViewTest, CtrlFGoesToTheFilterWhoseHintIsNotCut) {
  view.resize(803, 500);  // what a window of 1280 x 720 leaves
  QApplication::processEvents();
  const auto& box = view.filter_box();
  EXPECT_LE(QFontMetrics(box.font()).horizontalAdvance(box.placeholderText()) + 12, box.width());
  view.activateWindow();
  view.table().setFocus();
  QTest::keyClick(&view.table(), Qt::Key_F, Qt::ControlModifier);
  EXPECT_TRUE(box.hasFocus());
  QTest::keyClicks(&view.filter_box(), QStringLiteral("sgd"));
  QTest::keyClick(&view.filter_box(), Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(box.selectedText(), QStringLiteral("sgd")) << "the next word replaces it";
}

TEST_F(OpsViewTest, FilterKeepsTheRowsWithItsWords) {
  QTest::keyClicks(&view.filter_box(), QStringLiteral("sgd"));
  EXPECT_EQ(view.table().shown_rows().size(), 3u);
  QTest::keyClicks(&view.filter_box(), QStringLiteral(" conv1"));
  ASSERT_EQ(view.table().shown_rows().size(), 1u);
  EXPECT_EQ(op_at(0), SampleOps::conv_update);
  EXPECT_TRUE(document.selection().state().empty()) << "filtering selects nothing";
}

TEST_F(OpsViewTest, RollsUpByLayerTypeKernelAndPhase) {
  const size_t ops = view.table().table().rows.size();
  for (int by = 1; by < 5; ++by) {
    QTest::mouseClick(view.roll_up().button(by), Qt::LeftButton);
    EXPECT_LT(view.table().table().rows.size(), ops) << by;
    EXPECT_GT(view.table().table().rows.size(), 1u) << by;
  }
  EXPECT_EQ(view.table().table().rows.size(), 3u) << "forward, backward, update";
}

TEST_F(OpsViewTest, ALayerRowSelectsTheLayer) {
  QTest::mouseClick(view.roll_up().button(1), Qt::LeftButton);
  QApplication::processEvents();
  click_row(0);
  ASSERT_TRUE(document.selection().state().layer.has_value());
  const auto first = std::get<std::string>(view.table().table().rows[view.table().shown_rows()[0]].front());
  EXPECT_EQ(document.selection().state().layer->toStdString(), first);
}

TEST_F(OpsViewTest, OpeningAGroupListsItsOps) {
  QTest::mouseClick(view.roll_up().button(2), Qt::LeftButton);
  QApplication::processEvents();
  const auto& rows = view.table().shown_rows();
  const auto type = std::get<std::string>(view.table().table().rows[rows[0]].front());
  emit view.table().opened(rows[0]);
  EXPECT_EQ(view.roll_up().current(), 0);
  EXPECT_EQ(view.filter_box().text().toStdString(), type);
  EXPECT_FALSE(view.table().shown_rows().empty());
}

TEST_F(OpsViewTest, AnUnprobedMachineShowsUnknownNotZero) {
  document.set(tests::unprobed_analyzed(), QStringLiteral("other.tide"));
  const auto& columns = view.table().table().columns;
  size_t checked = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].key != "dram_bytes" && columns[c].key != "roof_ratio") continue;
    ++checked;
    for (int r = 0; r < static_cast<int>(view.table().shown_rows().size()); ++r) {
      EXPECT_EQ(view.table().model()->index(r, static_cast<int>(c)).data().toString(), QStringLiteral("–"));
    }
  }
  EXPECT_EQ(checked, 2u);
  document.set(nullptr, {});
  EXPECT_TRUE(view.table().shown_rows().empty());
}

TEST(OpsTotal, AddsTheShownTimes) {
  const auto analyzed = tests::sample_analyzed();
  const auto table = profiler::ops_table(*analyzed, profiler::OpsBy::op);
  EXPECT_EQ(views::ops_total(table, {SampleOps::conv, SampleOps::relu}),
            QStringLiteral("2 of 16 rows, 4.01 ms summed"));
  // Layers contain each other, so their times are not added.
  const auto layers = profiler::ops_table(*analyzed, profiler::OpsBy::layer);
  EXPECT_EQ(views::ops_total(layers, {0}), QStringLiteral("1 of %1 rows").arg(layers.rows.size()));
}

TEST_F(OpsViewTest, TheFusionLedgerHasARowPerPair) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  const profiler::Capture& c = builder.so_far();
  const auto conv = profiler::OpId{SampleOps::conv}, relu = profiler::OpId{SampleOps::relu};
  builder.add_fusion_pair({conv, relu, c.ops()[conv].name, c.ops()[relu].name, c.operands(c.ops()[conv]).back().tensor,
                           4096, 4096, engine::FusionOutcome::second_consumer});
  auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  document.set(profiler::analyze(*std::move(capture)), QStringLiteral("pairs.tide"));
  view.roll_up().button(7)->click();
  ASSERT_EQ(view.table().shown_rows().size(), 1u);
  EXPECT_EQ(view.table().table().name, "fusion");
  click_row(0);
  EXPECT_EQ(document.selection().state().op, relu) << "the op that reads the value";
  view.roll_up().button(6)->click();
  EXPECT_TRUE(view.table().shown_rows().empty()) << "nothing is fused in this run";
  view.roll_up().button(0)->click();
  EXPECT_GT(view.table().shown_rows().size(), 5u);
}
TEST_F(OpsViewTest, TheChipHasTheColourOfTheBoundInEveryRollUp) {
  const auto theme = views::Theme::light();
  for (int by = 0; by < 5; ++by) {
    view.roll_up().set_current(by);
    QTest::mouseClick(view.roll_up().button(by), Qt::LeftButton);
    const auto bounds = profiler::ops_bounds(document.analyzed(), static_cast<profiler::OpsBy>(by));
    const profiler::Table& table = view.table().table();
    ASSERT_EQ(bounds.size(), table.rows.size()) << by;
    const auto verdict = std::ranges::find(table.columns, "verdict", &profiler::Column::key) - table.columns.begin();
    for (uint32_t row = 0; row < bounds.size(); ++row) {
      const auto* words = std::get_if<std::string>(&table.rows[row][static_cast<size_t>(verdict)]);
      EXPECT_EQ(bounds[row].has_value(), words != nullptr && !words->empty()) << by << " " << row;
      const auto chip = view.table().chip(row, theme);
      EXPECT_EQ(chip.has_value(), bounds[row].has_value());
      if (chip) {
        EXPECT_EQ(*chip, theme.bound(*bounds[row]));
      }
    }
  }
}

}  // namespace
