// SPDX-License-Identifier: GPL-3.0-or-later
// Clicks on the ops of the byte map: what is a view, what copies, what is refused.
#include "views/storage/storage_panel.h"

#include <gtest/gtest.h>

#include <QTest>

namespace {

class StoragePanelTest : public testing::Test {
 protected:
  StoragePanelTest() {
    panel.resize(940, 520);
    panel.show();
    QCoreApplication::processEvents();
    click("restart");  // the first tensor alone
  }
  void choose(const char* start) {
    for (int i = 0; i < panel.examples().count(); ++i)
      if (panel.examples().itemText(i).startsWith(QLatin1String(start))) panel.examples().setCurrentIndex(i);
  }
  void click(const char* op) { QTest::mouseClick(&panel.button(op), Qt::LeftButton); }
  QString cell(int row, int column) { return panel.list().item(row, column)->text(); }
  void type(const char* shape) {
    panel.shape_box().selectAll();
    QTest::keyClicks(&panel.shape_box(), QLatin1String(shape));
  }
  views::StoragePanel panel;
};

TEST_F(StoragePanelTest, TransposeIsAViewAndTheReshapeOfItACopy) {
  click("transpose");
  ASSERT_EQ(panel.list().rowCount(), 2);
  EXPECT_EQ(cell(1, 3), QStringLiteral("1, 6"));
  EXPECT_EQ(cell(1, 5), QStringLiteral("A"));
  EXPECT_EQ(cell(1, 6), QStringLiteral("nothing"));
  EXPECT_TRUE(panel.result().text().contains(QStringLiteral("no byte was moved")));
  type("24");
  click("reshape");
  ASSERT_EQ(panel.list().rowCount(), 3);
  EXPECT_EQ(cell(2, 5), QStringLiteral("B"));
  EXPECT_EQ(cell(2, 6), QStringLiteral("96 B"));
  EXPECT_TRUE(panel.result().text().contains(QStringLiteral("copied to buffer B")));
}

TEST_F(StoragePanelTest, OpsWorkOnTheTensorThatIsChosen) {
  click("slice");
  panel.list().setCurrentCell(0, 0);
  EXPECT_EQ(panel.selected(), 0U);
  type("2x12");
  click("reshape");
  EXPECT_EQ(cell(2, 1), QStringLiteral("x.reshape(2, 12)"));
  EXPECT_EQ(panel.selected(), 2U);
}

TEST_F(StoragePanelTest, RefusalsSayWhyAndMakeNothing) {
  type("5x5");
  click("reshape");
  EXPECT_EQ(panel.list().rowCount(), 1);
  EXPECT_TRUE(panel.result().text().contains(QStringLiteral("5x5"))) << panel.result().text().toStdString();
  type("4xseven");
  click("expand");
  EXPECT_TRUE(panel.result().text().contains(QStringLiteral("seven")));
}

TEST_F(StoragePanelTest, EveryExampleIsDrawnAtEverySize) {
  for (int i = 0; i < panel.examples().count(); ++i) {
    panel.examples().setCurrentIndex(i);
    for (const QSize size : {QSize(640, 400), QSize(1600, 900)}) {
      panel.resize(size);
      QCoreApplication::processEvents();
      EXPECT_FALSE(panel.grab().isNull());
      EXPECT_EQ(panel.layout_on_screen().cells.empty(), panel.model().buffers()[0].elements == 0);
    }
  }
}

TEST_F(StoragePanelTest, WritingThroughAViewShowsInTheBase) {
  click("slice");
  click("write");
  EXPECT_EQ(panel.model().value(0, 0), -1);
  click("restart");
  EXPECT_EQ(panel.list().rowCount(), 1);
  EXPECT_EQ(panel.model().value(0, 0), 0);
}

TEST_F(StoragePanelTest, AnExampleShowsItsViewsAndItsCopyAtOnce) {
  choose("Fifty");
  ASSERT_EQ(panel.list().rowCount(), 8);
  EXPECT_EQ(cell(0, 3), QStringLiteral("2304, 768, 32, 1"));
  EXPECT_EQ(cell(1, 0), QStringLiteral("one_image"));
  EXPECT_EQ(cell(1, 4), QString::number(7 * 2304));
  for (int row = 1; row < 7; ++row) EXPECT_EQ(cell(row, 6), QStringLiteral("nothing")) << row;
  EXPECT_EQ(cell(6, 3), QStringLiteral("2304, 32, 1, 768")) << "N, rows, columns, channels";
  EXPECT_EQ(cell(7, 5), QStringLiteral("B"));
  EXPECT_EQ(cell(7, 6), QStringLiteral("460,800 B"));
}

TEST_F(StoragePanelTest, ATensorOfACaptureIsOffered) {
  profiler::TensorRecord record;
  record.shape = {2, 3, 4, 5};
  record.strides = {60, 1, 15, 3};  // channels last
  panel.offer(QStringLiteral("conv1.out"), record);
  EXPECT_TRUE(panel.examples().currentText().contains(QStringLiteral("conv1.out")));
  EXPECT_EQ(cell(0, 3), QStringLiteral("60, 1, 15, 3"));
  type("2x60");
  click("reshape");
  EXPECT_EQ(cell(1, 6), QStringLiteral("480 B")) << "channels last: a plain reshape copies";
}

TEST_F(StoragePanelTest, ControlsHaveNamesAndThePictureSaysBytes) {
  EXPECT_FALSE(panel.examples().accessibleName().isEmpty());
  EXPECT_FALSE(panel.canvas().accessibleName().isEmpty());
  choose("Fifty");
  EXPECT_EQ(panel.layout_on_screen().per_cell > 1, true);
}

}  // namespace
