// SPDX-License-Identifier: GPL-3.0-or-later
// Tables: order, filter, one unit per column, columns remembered, copy, many rows.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTest>
#include <limits>

#include "views/base/view_settings.h"
#include "views/widgets/table_view.h"

namespace {

using profiler::Cell;
using profiler::Origin;
using profiler::Quantity;
using Rows = std::vector<uint32_t>;

profiler::Table sample() {
  profiler::Table t;
  t.name = "ops";
  t.columns = {{"op", "Op", Quantity::text, Origin::exact, "what"},
               {"time_ns", "Time", Quantity::duration_ns, Origin::measured, "how long"},
               {"share_ratio", "Share", Quantity::percent_of, Origin::measured, "of the step"}};
  t.rows = {{std::string("conv A"), 3.5e6, 0.5},   {std::string("relu"), Cell(), Cell()},
            {std::string("conv B"), 1.25e6, 0.25}, {std::string("pool"), 3.5e6, 0.5},
            {std::string("bias"), 120.0, 0.00001}, {std::string("odd"), std::numeric_limits<double>::quiet_NaN(), 0.0}};
  return t;
}

TEST(TableView, AFullBarIsAllOfIt) {
  EXPECT_DOUBLE_EQ(views::share_bar(1.0, 80), 80);
  EXPECT_DOUBLE_EQ(views::share_bar(0.25, 80), 20);
  EXPECT_DOUBLE_EQ(views::share_bar(0.02, 80), 1.6) << "though it be the largest of its column";
  EXPECT_DOUBLE_EQ(views::share_bar(0.001, 80), 1) << "seen";
  EXPECT_DOUBLE_EQ(views::share_bar(1.3, 80), 80);
  EXPECT_DOUBLE_EQ(views::share_bar(0, 80), 0);
  EXPECT_DOUBLE_EQ(views::share_bar(std::numeric_limits<double>::quiet_NaN(), 80), 0);
}

TEST(TableOrder, SortsBothWaysWithUnknownLastAndTiesInOrder) {
  const auto table = sample();
  const views::TableOrder order(table);
  EXPECT_EQ(order.rows(-1, true, {}), (Rows{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order.rows(1, true, {}), (Rows{0, 3, 2, 4, 1, 5}));
  EXPECT_EQ(order.rows(1, false, {}), (Rows{4, 2, 0, 3, 1, 5}));
  EXPECT_EQ(order.rows(0, false, {}), (Rows{4, 0, 2, 5, 3, 1}));
}

TEST(TableOrder, FiltersByAllWordsInAnyCase) {
  const auto table = sample();
  const views::TableOrder order(table);
  EXPECT_EQ(order.rows(-1, true, QStringLiteral("CONV")), (Rows{0, 2}));
  EXPECT_EQ(order.rows(-1, true, QStringLiteral("b conv")), (Rows{2}));
  EXPECT_TRUE(order.rows(-1, true, QStringLiteral("nothing")).empty());
}

TEST(ColumnUnit, SuitsTheLargeNumbersAndKeepsDigitsInLine) {
  const auto table = sample();
  const auto time = views::column_unit(table, 1);
  EXPECT_EQ(views::column_title(table.columns[1], time), QStringLiteral("Time [ms]"));
  EXPECT_EQ(views::format_in(table.rows[0][1], time), QStringLiteral("3.50"));
  EXPECT_EQ(views::format_in(table.rows[2][1], time), QStringLiteral("1.25"));
  EXPECT_EQ(views::format_in(table.rows[4][1], time), QStringLiteral("120 ns")) << "no digit of it stands in ms";
  const auto share = views::column_unit(table, 2);
  EXPECT_EQ(views::format_in(table.rows[4][2], share), QStringLiteral("<0.1")) << "there is no smaller unit";
  EXPECT_EQ(views::format_in(table.rows[1][1], time), QStringLiteral("–"));
  EXPECT_EQ(views::format_in(table.rows[5][1], time), QStringLiteral("–"));
  EXPECT_EQ(views::format_in(table.rows[0][2], views::column_unit(table, 2)), QStringLiteral("50.0"));
  EXPECT_EQ(views::format_in(Cell(0.0), time), QStringLiteral("0.00"));
  EXPECT_EQ(views::format_in(Cell(12345678e6), {1e6, QStringLiteral("ms"), 0}), QStringLiteral("12,345,678"));
}

TEST(ColumnUnit, SuitsTheSmallestWhereEveryRowIsRead) {
  profiler::Table table{
      .name = "sweep",
      .columns = {{"step_ns", "Step", profiler::Quantity::duration_ns, profiler::Origin::measured, ""}},
      .rows = {},
      .row_ops = {}};
  for (const double ns : {15.9e6, 87.3e3, 10e6}) table.rows.push_back({Cell(ns)});
  const auto unit = views::column_unit(table, 0, true);
  EXPECT_EQ(unit.unit, QStringLiteral("µs"));
  EXPECT_EQ(views::format_in(table.rows[1][0], unit), QStringLiteral("87.3"));
  EXPECT_EQ(views::format_in(table.rows[0][0], unit), QStringLiteral("15,900.0"));
  EXPECT_EQ(views::format_in(table.rows[1][0], views::column_unit(table, 0)), QStringLiteral("0.1"))
      << "among ops the large ones count";
}

TEST(ColumnUnit, IsOneForColumnsThatAreReadWithinARow) {
  profiler::Table table{.name = "compare", .columns = {}, .rows = {}, .row_ops = {}};
  for (const char* key : {"before_ns", "after_ns", "difference_ns", "noise_ns"})
    table.columns.push_back({key, key, profiler::Quantity::duration_ns, profiler::Origin::measured, ""});
  table.columns.push_back({"after_bytes", "bytes", profiler::Quantity::bytes, profiler::Origin::exact, ""});
  for (int i = 0; i < 3; ++i) table.rows.push_back({Cell(107e6), Cell(9e3), Cell(9e3 - 107e6), Cell(9e3), Cell(5e3)});
  for (const size_t c : {0, 1, 2}) {
    EXPECT_EQ(views::column_unit(table, c).unit, QStringLiteral("ms")) << c;
    EXPECT_EQ(views::column_unit(table, c).decimals, views::column_unit(table, 0).decimals) << c;
  }
  EXPECT_EQ(views::column_unit(table, 3).unit, QStringLiteral("µs")) << "another figure";
  EXPECT_EQ(views::column_unit(table, 4).unit, QStringLiteral("kB"));
}

class TableViewTest : public testing::Test {
 protected:
  TableViewTest() {
    views::view_settings().clear();
    view.resize(600, 300);
    view.set_table(sample(), QStringLiteral("test/columns"), {QStringLiteral("time_ns")});
    view.show();
    QApplication::processEvents();
  }
  views::TableView view;
};

TEST_F(TableViewTest, ColumnsAreChosenAndRemembered) {
  EXPECT_TRUE(view.column_shown(QStringLiteral("op"))) << "the name always stays";
  EXPECT_FALSE(view.column_shown(QStringLiteral("share_ratio")));
  view.show_column(QStringLiteral("share_ratio"), true);
  view.show_column(QStringLiteral("time_ns"), false);
  views::TableView again;
  again.set_table(sample(), QStringLiteral("test/columns"), {QStringLiteral("time_ns")});
  EXPECT_TRUE(again.column_shown(QStringLiteral("share_ratio")));
  EXPECT_FALSE(again.column_shown(QStringLiteral("time_ns")));
}

TEST_F(TableViewTest, CopyTakesTheSelectedRowsWithUnits) {
  view.set_selected(2);
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("Op\tTime [ms]\nconv B\t1.25"));
  view.set_selected(std::nullopt);
  EXPECT_EQ(view.as_text().count(QLatin1Char('\n')), 6);
}

TEST_F(TableViewTest, HeaderClickSortsNumbersLargestFirst) {
  const int x = view.columnViewportPosition(1) + 20;
  QTest::mouseClick(view.horizontalHeader()->viewport(), Qt::LeftButton, {}, QPoint(x, 10));
  EXPECT_EQ(view.shown_rows().front(), 0u);
  QTest::mouseClick(view.horizontalHeader()->viewport(), Qt::LeftButton, {}, QPoint(x, 10));
  EXPECT_EQ(view.shown_rows().front(), 4u);
}

TEST_F(TableViewTest, ClickAndKeysChooseRowsOfTheTable) {
  Rows chosen;
  QObject::connect(&view, &views::TableView::chosen, [&](uint32_t row) { chosen.push_back(row); });
  view.sort(1, false);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(20, 24 + 12));
  QTest::keyClick(&view, Qt::Key_Down);
  view.set_selected(1);  // from outside: silent
  view.set_filter(QStringLiteral("conv"));
  EXPECT_EQ(chosen, (Rows{2, 0}));
}

/// Counts the cells that are painted.
class CountingDelegate : public QStyledItemDelegate {
 public:
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    ++painted;
    QStyledItemDelegate::paint(painter, option, index);
  }
  mutable int painted = 0;
};

TEST_F(TableViewTest, OfManyRowsOnlyThoseInSightArePainted) {
  profiler::Table big = sample();
  big.rows.clear();
  for (uint32_t i = 0; i < 200000; ++i) {
    big.rows.push_back(
        {std::string("op ") + std::to_string(i % 1000), static_cast<double>((i * 2654435761u) % 1000003), 0.5});
  }
  view.set_table(std::move(big), QStringLiteral("test/columns"), {QStringLiteral("time_ns")});
  view.sort(1, true);
  QApplication::processEvents();
  EXPECT_EQ(view.shown_rows().size(), 200000u);
  CountingDelegate cells;
  QAbstractItemDelegate* const own = view.itemDelegate();
  view.setItemDelegate(&cells);
  view.grab();
  view.setItemDelegate(own);
  EXPECT_GT(cells.painted, 0);
  EXPECT_LE(cells.painted, 3 * view.height()) << "painting must not depend on the number of rows";
}

TEST(TableView, SpareColumnsGoWhereThereIsNoRoomUntilTheUserChooses) {
  const QString key = QStringLiteral("test/spare");
  views::view_settings().remove(key);
  views::TableView view;
  view.spare_columns = {QStringLiteral("share_ratio")};
  view.resize(800, 200);
  view.show();
  view.set_table(sample(), key, {QStringLiteral("time_ns"), QStringLiteral("share_ratio")});
  QApplication::processEvents();
  EXPECT_TRUE(view.column_shown(QStringLiteral("share_ratio")));
  view.resize(190, 200);
  QApplication::processEvents();
  EXPECT_FALSE(view.column_shown(QStringLiteral("share_ratio")));
  EXPECT_TRUE(view.column_shown(QStringLiteral("time_ns"))) << "it is not to spare";
  view.resize(800, 200);
  QApplication::processEvents();
  EXPECT_TRUE(view.column_shown(QStringLiteral("share_ratio")));
  view.resize(190, 200);
  QApplication::processEvents();
  view.show_column(QStringLiteral("share_ratio"), true);
  EXPECT_TRUE(view.column_shown(QStringLiteral("share_ratio"))) << "the user wants it";
  views::view_settings().remove(key);
}

TEST(TableView, WhatWentForLackOfRoomIsNotRememberedAsSwitchedOff) {
  const QString key = QStringLiteral("test/spare2"), share = QStringLiteral("share_ratio"),
                time = QStringLiteral("time_ns");
  views::view_settings().remove(key);
  views::TableView view;
  view.spare_columns = {share};
  view.resize(190, 200);
  view.show();
  view.set_table(sample(), key, {time, share});
  QApplication::processEvents();
  ASSERT_FALSE(view.column_shown(share));
  view.show_column(time, false);
  view.show_column(time, true);
  EXPECT_FALSE(view.column_shown(share)) << "there is still no room";
  view.resize(800, 200);
  QApplication::processEvents();
  EXPECT_TRUE(view.column_shown(share)) << "it comes back where there is";
  views::TableView again;
  again.set_table(sample(), key, {time, share});
  EXPECT_TRUE(again.column_shown(share)) << "nobody switched it off";
  view.resize(190, 200);
  QApplication::processEvents();
  view.show_column(share, false);
  view.resize(800, 200);
  QApplication::processEvents();
  EXPECT_FALSE(view.column_shown(share)) << "now somebody did";
  views::view_settings().remove(key);
}

TEST(TableView, SentencesShareTheRoomThatTheOtherColumnsLeave) {
  const QString key = QStringLiteral("test/prose");
  views::view_settings().remove(key);
  const auto column = [](const char* name) {
    return profiler::Column{name, name, profiler::Quantity::text, profiler::Origin::exact, ""};
  };
  const std::string words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";
  profiler::Table table{.name = "t",
                        .columns = {column("part"), column("found"), column("helps")},
                        .rows = {{"DRAM", words, words}},
                        .row_ops = {}};
  views::TableView view;
  view.prose = true;
  view.resize(700, 200);
  view.show();
  view.set_table(table, key, {QStringLiteral("found"), QStringLiteral("helps")});
  QApplication::processEvents();
  EXPECT_LE(view.columnWidth(0) + view.columnWidth(1) + view.columnWidth(2), view.viewport()->width());
  EXPECT_LT(view.columnWidth(0), 150) << "as wide as its names";
  EXPECT_NEAR(view.columnWidth(1), view.columnWidth(2), 10);
  view.resize(2400, 200);
  QApplication::processEvents();
  EXPECT_GT(view.columnWidth(1), 400) << "whole where there is room";
  view.resize(100, 200);
  QApplication::processEvents();
  EXPECT_GE(view.columnWidth(2), 100) << "never to nothing";
  views::view_settings().remove(key);
}

TEST(TableView, AHeadingMayHaveASecondLine) {
  profiler::Table table;
  table.columns = {{"op", "Op", profiler::Quantity::text, profiler::Origin::exact, "The op"},
                   {"before_ns", "Before", profiler::Quantity::duration_ns, profiler::Origin::measured, "Time"}};
  table.rows = {{std::string("conv"), 2e6}};
  views::TableView plain, view;
  plain.set_table(table, QStringLiteral("test/plain"), {QStringLiteral("before_ns")});
  view.under_titles = {{QStringLiteral("before_ns"), QStringLiteral("lower quartile")}};
  view.set_table(table, QStringLiteral("test/under"), {QStringLiteral("before_ns")});
  const QString heading = view.model()->headerData(1, Qt::Horizontal, Qt::DisplayRole).toString();
  EXPECT_EQ(heading, QStringLiteral("Before [ms]\nlower quartile"));
  EXPECT_EQ(view.model()->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Op"));
  EXPECT_GT(view.horizontalHeader()->height(), plain.horizontalHeader()->height());
  EXPECT_GE(view.horizontalHeader()->height(), 2 * QFontMetrics(views::data_font()).height()) << "both lines have room";
  EXPECT_GE(view.columnWidth(1), QFontMetrics(views::data_font()).horizontalAdvance(QStringLiteral("lower quartile")));
  EXPECT_TRUE(view.as_text().startsWith(QStringLiteral("Op\tBefore [ms], lower quartile\n")))
      << view.as_text().toStdString();
}

}  // namespace
