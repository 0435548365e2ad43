// SPDX-License-Identifier: GPL-3.0-or-later
// The divider between a picture and its table: dragged, moved by keys, remembered, put back by a double click.
#include "views/widgets/pane_divider.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWidget>

#include "views/base/view_settings.h"

namespace views {
namespace {

class PaneDividerTest : public testing::Test {
 protected:
  PaneDividerTest() {
    box.resize(400, 300);
    box.show();
    place();
    QObject::connect(&divider, &PaneDivider::moved, &box, [this] { place(); });
  }
  void place() {
    table = divider.table_height(300, 100, 120, 50);
    divider.place(QRectF(0, 0, 400, 300), table);
  }
  QPoint middle() const { return divider.rect().center(); }
  void drag(int dy) {
    const QPoint from = divider.mapTo(&box, middle());
    QTest::mousePress(&divider, Qt::LeftButton, {}, middle());
    QMouseEvent move(QEvent::MouseMove, divider.mapFrom(&box, from + QPoint(0, dy)),
                     box.mapToGlobal(from + QPoint(0, dy)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&divider, &move);
    QTest::mouseRelease(&divider, Qt::LeftButton, {}, middle());
  }
  const bool forgotten_ = (view_settings().clear(), true);  // before the divider asks where it was
  QWidget box;
  PaneDivider divider{QStringLiteral("test"), &box};
  double table = 0;
};

TEST_F(PaneDividerTest, ADragMovesItByAsMuchAndAnotherStartHasItThere) {
  EXPECT_EQ(table, 100);
  drag(-40);
  EXPECT_NEAR(table, 140, 1);
  EXPECT_NEAR(divider.geometry().center().y(), 300 - table, 2) << "it follows the pointer";
  const PaneDivider again(QStringLiteral("test"), nullptr);
  EXPECT_NEAR(again.table_height(300, 100, 120, 50), table, 1e-6);
  EXPECT_NEAR(again.table_height(600, 100, 120, 50), 2 * table, 1e-6) << "its share, not its pixels";
}

TEST_F(PaneDividerTest, NeitherPartIsDraggedAway) {
  drag(-280);
  EXPECT_EQ(table, 180);
  drag(290);
  EXPECT_EQ(table, 50);
}

TEST_F(PaneDividerTest, KeysMoveItAndADoubleClickPutsItBack) {
  divider.setFocus();
  QTest::keyClick(&divider, Qt::Key_Up);
  EXPECT_GT(table, 100);
  QTest::keyClick(&divider, Qt::Key_Down);
  QTest::keyClick(&divider, Qt::Key_Down);
  EXPECT_LT(table, 100);
  QTest::mouseDClick(&divider, Qt::LeftButton, {}, middle());
  EXPECT_EQ(table, 100);
  EXPECT_FALSE(view_settings().contains(QStringLiteral("panes/test")));
}

}  // namespace
}  // namespace views
