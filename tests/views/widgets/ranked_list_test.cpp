// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked lists: names have the room they need, in two lines where one is too narrow.
#include "views/widgets/ranked_list.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>

#include "views/base/theme.h"

namespace {

using views::RankedRow;

std::vector<RankedRow> long_names() {
  std::vector<RankedRow> rows;
  for (const char* name : {"layer4.0.downsample.0/conv2d_grad_weight", "layer4.0.downsample.0/conv2d_grad_input",
                           "layer4.1.conv2/conv2d_grad_weight", "bn1/batch_norm_training"}) {
    RankedRow row;
    row.id = static_cast<uint32_t>(rows.size());
    row.text = QString::fromLatin1(name);
    row.detail = QStringLiteral("0.26 %");
    row.value = QStringLiteral("15.9 ms");
    rows.push_back(row);
  }
  return rows;
}

TEST(RankedList, LongPathsOfOpsStandWholeInTwoLinesOfANarrowList) {
  const QFont font = views::data_font();
  const std::vector<RankedRow> rows = long_names();
  for (const RankedRow& row : rows) {
    EXPECT_EQ(views::ranked_lines(row, 800, font), 1);
    if (row.text.startsWith(QStringLiteral("layer"))) {
      EXPECT_EQ(views::ranked_lines(row, 250, font), 2) << "what the roofline's list has in a window of 1280 pixels";
    }
    const auto texts = views::place_ranked_texts(QRectF(0, 0, 250, views::kTallRankedRowHeight), row, font, 2);
    EXPECT_EQ(texts.name_text + texts.kind_text, row.text);
    EXPECT_LE(views::text_width(font, texts.name_text), texts.name.width() + 0.5);
    EXPECT_LE(views::text_width(font, texts.kind_text), texts.kind.width() + 0.5);
    EXPECT_LE(texts.name.bottom(), texts.kind.top() + 0.5);
    EXPECT_LE(texts.kind.right(), texts.value.left());
    if (!texts.detail_text.isEmpty()) {
      EXPECT_LE(texts.name.right(), texts.detail.left());
    }
    EXPECT_LE(texts.value.right(), 250 - views::kGrid + 0.5);
  }
}

TEST(RankedList, ANameWithoutRoomKeepsItsEnd) {
  RankedRow row = long_names().front();
  const QFont font = views::data_font();
  const auto texts = views::place_ranked_texts(QRectF(0, 0, 150, views::kTallRankedRowHeight), row, font, 2);
  EXPECT_TRUE(texts.detail_text.isEmpty()) << "the name matters more";
  EXPECT_TRUE(texts.name_text.endsWith(QStringLiteral(".0/"))) << texts.name_text.toStdString();
  EXPECT_LE(views::text_width(font, texts.name_text), texts.name.width() + 0.5);
  row.text = QStringLiteral("encoder.layers.11.self_attention.query.weight");
  const auto tensor = views::place_ranked_texts(QRectF(0, 0, 200, views::kTallRankedRowHeight), row, font, 2);
  EXPECT_TRUE(tensor.name_text.endsWith(QStringLiteral("weight"))) << tensor.name_text.toStdString();
  EXPECT_TRUE(tensor.kind_text.isEmpty());
}

TEST(RankedList, RowsAreAsHighAsTheirLinesAndClicksFindThem) {
  views::RankedList list;
  std::vector<RankedRow> rows = long_names();
  rows[1].text = QStringLiteral("fc/add");
  rows[1].detail.clear();
  list.set_rows(rows);
  uint32_t chosen = 99;
  QObject::connect(&list, &views::RankedList::chosen, &list, [&](uint32_t id) { chosen = id; });
  const auto height = [&](int row) { return list.visualRect(list.model()->index(row, 0)).height(); };
  const auto click = [&](int row) {
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(row, 0)).center());
  };
  list.resize(800, 300);
  list.show();
  QApplication::processEvents();
  for (int row = 0; row < 4; ++row) EXPECT_EQ(height(row), views::kRankedRowHeight) << row;
  list.resize(250, 300);
  QApplication::processEvents();
  EXPECT_EQ(height(0), views::kTallRankedRowHeight);
  EXPECT_EQ(height(1), views::kRankedRowHeight) << "a short name takes no more than it needs";
  click(2);
  EXPECT_EQ(chosen, 2u);
  QTest::keyClick(&list, Qt::Key_Up);
  EXPECT_EQ(chosen, 1u);
  list.resize(800, 300);
  QApplication::processEvents();
  EXPECT_EQ(height(0), views::kRankedRowHeight);
  click(3);
  EXPECT_EQ(chosen, 3u);
}

}  // namespace
