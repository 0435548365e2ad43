// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo by keys and menu: rows and marks of the timeline, filters of Ops and Roofline.
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>

#include "tests/app/gui/window_test.h"
#include "views/ops/ops_view.h"
#include "views/roofline/roofline_view.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_edits.h"

namespace app::gui {
namespace {

class UndoTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(save(QStringLiteral("sample.tide")));
  }
  void press(Qt::Key key, Qt::KeyboardModifiers with = {}) {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : window.get(), key, with);
    QApplication::processEvents();
  }
  void undo() { press(Qt::Key_Z, Qt::ControlModifier); }
  void redo() { press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); }
  QString menu_text(const char* action) { return find<QAction>(action)->text().remove(QLatin1Char('&')); }
};

TEST_F(UndoTest, AHiddenRowComesBackAndTheMenuNamesTheStep) {
  window->show_view(QStringLiteral("timeline"));
  auto* area = find<views::TimelineArea>();
  ASSERT_TRUE(wait_for([&] { return area->scene().model != nullptr; }));
  EXPECT_FALSE(find<QAction>("action.undo")->isEnabled());
  EXPECT_EQ(menu_text("action.undo"), QStringLiteral("Undo"));
  area->setFocus();
  const std::string row = views::row_key(*area->scene().model, area->scene().geometry.rows.back());
  area->edits()->hide_row(row);
  EXPECT_TRUE(area->notes().rows.hidden.contains(row));
  EXPECT_EQ(menu_text("action.undo"), QStringLiteral("Undo: hide the row"));
  undo();
  EXPECT_FALSE(area->notes().rows.hidden.contains(row));
  EXPECT_EQ(menu_text("action.redo"), QStringLiteral("Redo: hide the row"));
  redo();
  EXPECT_TRUE(area->notes().rows.hidden.contains(row));
  // Another view has changes of its own.
  window->show_view(QStringLiteral("ops"));
  EXPECT_FALSE(find<QAction>("action.undo")->isEnabled());
  undo();
  EXPECT_TRUE(area->notes().rows.hidden.contains(row));
  window->show_view(QStringLiteral("timeline"));
  find<QAction>("action.undo")->trigger();
  EXPECT_FALSE(area->notes().rows.hidden.contains(row));
}

TEST_F(UndoTest, AFilterOfOpsIsOneStep) {
  window->show_view(QStringLiteral("ops"));
  auto* view = find<views::OpsView>();
  view->roll_up().button(0)->click();
  const size_t all = view->table().shown_rows().size();
  view->filter_box().setFocus();
  QTest::keyClicks(&view->filter_box(), QStringLiteral("gemm"));
  QTest::keyClick(&view->filter_box(), Qt::Key_Return);
  const size_t some = view->table().shown_rows().size();
  ASSERT_LT(some, all);
  view->table().setFocus();
  EXPECT_EQ(menu_text("action.undo"), QStringLiteral("Undo: filter"));
  undo();
  EXPECT_TRUE(view->filter_box().text().isEmpty());
  EXPECT_EQ(view->table().shown_rows().size(), all);
  redo();
  EXPECT_EQ(view->filter_box().text(), QStringLiteral("gemm"));
  EXPECT_EQ(view->table().shown_rows().size(), some);
  undo();
  undo();
  EXPECT_NE(view->roll_up().current(), 0) << "the choice of rows was the step before";
  // It was asked of this capture.
  open(save(QStringLiteral("other.tide")));
  EXPECT_FALSE(find<QAction>("action.undo")->isEnabled());
}

TEST_F(UndoTest, AChosenTypeOfTheRooflineIsTakenBack) {
  window->show_view(QStringLiteral("roofline"));
  auto* view = find<views::RooflineView>();
  const size_t all = view->roofline().points.size();
  auto& types = view->type_filter();
  ASSERT_GT(types.count(), 2);
  types.setFocus();
  QTest::keyClick(&types, Qt::Key_Down);
  ASSERT_EQ(types.currentIndex(), 1);
  const size_t some = view->roofline().points.size();
  ASSERT_LT(some, all);
  undo();
  EXPECT_EQ(types.currentIndex(), 0);
  EXPECT_EQ(view->roofline().points.size(), all);
  redo();
  EXPECT_EQ(types.currentIndex(), 1);
  EXPECT_EQ(view->roofline().points.size(), some);
}

}  // namespace
}  // namespace app::gui
