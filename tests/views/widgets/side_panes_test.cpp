// SPDX-License-Identifier: GPL-3.0-or-later
// A divider dragged by the mouse: what it moves, what is kept, and the way back.
#include "views/widgets/side_panes.h"

#include <gtest/gtest.h>

#include <QTest>
#include <memory>

#include "views/base/view_settings.h"

namespace {

using views::SidePanes;

class SidePanesTest : public testing::Test {
 protected:
  SidePanesTest() { views::view_settings().clear(); }
  std::unique_ptr<SidePanes> make(QSize size = {1000, 500}) {
    auto panes = std::make_unique<SidePanes>(
        QStringLiteral("test"), new QWidget, new QLabel(QStringLiteral("title")), 26, new QWidget,
        [](const QSizeF& room) { return room.width() * 0.3; }, nullptr);
    panes->resize(size);
    panes->show();
    QApplication::processEvents();
    return panes;
  }
  static void drag(SidePanes& panes, QPoint by) {
    QWidget* handle = panes.handle(1);
    const QPoint at = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, at);
    for (int step = 1; step <= 4; ++step) {
      const QPoint to = handle->mapFromGlobal(panes.mapToGlobal(handle->pos() + at)) + by / 4;
      QMouseEvent move(QEvent::MouseMove, to, handle->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(handle, &move);
    }
    QTest::mouseRelease(handle, Qt::LeftButton, {}, at);
    QApplication::processEvents();
  }
};

TEST_F(SidePanesTest, TheDividerIsDraggedKeptAndPutBack) {
  auto panes = make();
  EXPECT_NEAR(panes->sizes()[1], 300, 6);
  drag(*panes, {-160, 0});
  const int dragged = panes->sizes()[1];
  EXPECT_NEAR(dragged, 460, 12);
  EXPECT_NEAR(panes->split(QRectF(0, 0, 1000, 500)).list.width(), dragged, 3) << "pictures are divided as the screen";
  panes->resize(2000, 500);
  QApplication::processEvents();
  EXPECT_NEAR(panes->sizes()[1], 2 * dragged, 12) << "a larger window enlarges both";
  auto second = make();
  EXPECT_NEAR(second->sizes()[1], dragged, 6) << "kept by the settings";
  QTest::mouseDClick(second->handle(1), Qt::LeftButton, {}, second->handle(1)->rect().center());
  EXPECT_NEAR(second->sizes()[1], 300, 6);
  EXPECT_NEAR(make()->sizes()[1], 300, 6);
}

TEST_F(SidePanesTest, NoPartIsDraggedAway) {
  auto panes = make();
  drag(*panes, {-2000, 0});
  EXPECT_GE(panes->sizes()[0], 100);
  drag(*panes, {4000, 0});
  EXPECT_GE(panes->sizes()[1], 100);
  panes->set_side_shown(false);
  QApplication::processEvents();
  EXPECT_EQ(panes->widget(0)->width(), 1000);
}

TEST_F(SidePanesTest, ANarrowRoomStacksItsPartsWithADividerOfTheirOwn) {
  auto panes = make();
  panes->stack_below(900, [](const QSizeF& room) { return room.height() * 0.25; });
  EXPECT_EQ(panes->orientation(), Qt::Horizontal);
  panes->resize(700, 600);
  QApplication::processEvents();
  EXPECT_EQ(panes->orientation(), Qt::Vertical);
  EXPECT_NEAR(panes->sizes()[1], 150, 6);
  drag(*panes, {0, -100});
  EXPECT_NEAR(panes->sizes()[1], 250, 12);
  panes->resize(1000, 600);
  QApplication::processEvents();
  EXPECT_NEAR(panes->sizes()[1], 300, 6) << "side by side it stands where it stood";
}

}  // namespace
