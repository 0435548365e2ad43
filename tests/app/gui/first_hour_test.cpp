// SPDX-License-Identifier: GPL-3.0-or-later
// The window in its first hour of use: runs are chosen and compared with the mouse, captures are opened one after the
// other, the keyboard walks through the views, screens are small.
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QWindow>

#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "engine/workloads/workload.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/app/gui/window_test.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/sample_sweep.h"
#include "views/base/change_words.h"
#include "views/base/paint.h"
#include "views/summary/summary_strip.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"
#include "views/traffic/traffic_view.h"
#include "views/widgets/canvas.h"

namespace app::gui {
namespace {

using tests::SampleOps;

class FirstHourTest : public WindowTest {
 protected:
  /// All views have something to show.
  void fill_all_views() {
    open(save(QStringLiteral("sample.tide")));
    window->show_sweep(tests::sample_sweep(true), QStringLiteral("/nowhere/sweep.tide"));
    window->document().set_reference(window->document().shared(), QStringLiteral("/nowhere/other.tide"));
  }
  QPoint row_center(const QString& file) {
    RunList* runs = window->runs();
    for (int i = 0; i < runs->count(); ++i)
      if (runs->path_at(i) == file) return runs->visualItemRect(runs->item(i)).center();
    ADD_FAILURE() << file.toStdString() << " is not in the list";
    return {};
  }
  /// As the system does it: the window gets the press, and what is under it the request for a menu.
  QMenu* menu_by_right_click(QWidget* on, QPoint at) {
    QTest::mouseClick(window->windowHandle(), Qt::RightButton, {}, on->mapTo(window.get(), at));
    return open_menu();
  }
  QMenu* open_menu() {
    wait_for([] { return QApplication::activePopupWidget() != nullptr; }, 2000);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
  }
  void choose(QMenu* menu, const QString& words) {
    for (QAction* action : menu->actions()) {
      if (!action->text().contains(words)) continue;
      EXPECT_TRUE(action->isEnabled()) << words.toStdString();
      QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
      return;
    }
    ADD_FAILURE() << "no " << words.toStdString();
  }
};

TEST_F(FirstHourTest, ARightClickedRunIsComparedWithTheOneShownAndShowsNoOther) {
  const QString one = save(QStringLiteral("one.tide")), two = save(QStringLiteral("two.tide")),
                three = save(QStringLiteral("three.tide"));
  for (const QString& file : {one, two, three}) open(file);
  show_runs();
  RunList* runs = window->runs();
  ASSERT_EQ(runs->shown(), three);
  const int current = runs->currentRow();
  QMenu* menu = menu_by_right_click(runs->viewport(), row_center(one));
  ASSERT_NE(menu, nullptr);
  EXPECT_EQ(window->document().path(), three);
  EXPECT_EQ(runs->currentRow(), current) << "the highlight stays at the run that is shown";
  choose(menu, QStringLiteral("Compare"));
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  EXPECT_EQ(window->document().reference_path(), one);
  EXPECT_EQ(window->document().path(), three);
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("compare")));
  // The one shown is not compared with itself.
  menu = menu_by_right_click(runs->viewport(), row_center(three));
  ASSERT_NE(menu, nullptr);
  EXPECT_FALSE(menu->actions().last()->isEnabled());
  menu->close();
}

TEST_F(FirstHourTest, ARunIsComparedByKeysAlone) {
  const QString one = save(QStringLiteral("one.tide")), two = save(QStringLiteral("two.tide"));
  for (const QString& file : {one, two}) open(file);
  show_runs();
  RunList* runs = window->runs();
  runs->setFocus();
  QTest::keyClick(runs, Qt::Key_Down);
  EXPECT_EQ(window->document().path(), two) << "moving through the list opens nothing";
  EXPECT_EQ(runs->shown(), two);
  EXPECT_EQ(runs->path_at(runs->currentRow()), one);
  QContextMenuEvent by_key(QContextMenuEvent::Keyboard, QPoint(), QPoint());
  QApplication::sendEvent(runs->viewport(), &by_key);
  QMenu* menu = open_menu();
  ASSERT_NE(menu, nullptr);
  choose(menu, QStringLiteral("Compare"));
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  EXPECT_EQ(window->document().reference_path(), one);
  window->runs()->setFocus();
  QTest::keyClick(runs, Qt::Key_Return);
  ASSERT_TRUE(wait_for([&] { return window->document().path() == one; }));
}

TEST_F(FirstHourTest, TheRightButtonChoosesNothingInAnyList) {
  fill_all_views();
  window->document().selection().select_op(SampleOps::relu);
  const views::SelectionState before = window->document().selection().state();
  int lists = 0;
  for (const auto& entry : views::view_catalog()) {
    window->show_view(entry.key);
    QCoreApplication::processEvents();
    for (auto* list : window->view(entry.key)->findChildren<QAbstractItemView*>()) {
      if (!list->isVisible() || list->model() == nullptr) continue;
      for (int row = 0; row < std::min(3, list->model()->rowCount()); ++row) {
        const QRect rect = list->visualRect(list->model()->index(row, 0));
        if (rect.isEmpty() || !list->viewport()->rect().contains(rect.center())) continue;
        QTest::mouseClick(list->viewport(), Qt::RightButton, {}, rect.center());
        QTest::mouseClick(list->viewport(), Qt::MiddleButton, {}, rect.center());
        EXPECT_EQ(window->document().selection().state(), before) << entry.key.toStdString() << ", row " << row;
        ++lists;
      }
    }
  }
  EXPECT_GT(lists, 8);
}

TEST_F(FirstHourTest, ADoubleClickOpensTheRunUnderThePointer) {
  QStringList files;
  for (const char* name : {"a.tide", "b.tide", "c.tide", "d.tide"}) files << save(QString::fromLatin1(name));
  for (const QString& file : files) open(file);
  show_runs();
  RunList* runs = window->runs();
  QStringList order;
  for (int i = 0; i < runs->count(); ++i) order << runs->path_at(i);
  const QPoint at = row_center(files[1]);
  const QPoint in_window = runs->viewport()->mapTo(window.get(), at);
  for (int press = 0; press < 2; ++press) {
    QTest::mouseClick(window->windowHandle(), Qt::LeftButton, {}, in_window);
    QTest::qWait(50);  // the run is shown meanwhile
  }
  QTest::qWait(100);
  EXPECT_EQ(window->document().path(), files[1]);
  EXPECT_EQ(runs->shown(), files[1]);
  QStringList now;
  for (int i = 0; i < runs->count(); ++i) now << runs->path_at(i);
  EXPECT_EQ(now, order) << "what is under the pointer stays there";
  QTest::mouseDClick(window->windowHandle(), Qt::LeftButton, {},
                     runs->viewport()->mapTo(window.get(), row_center(files[2])));
  ASSERT_TRUE(wait_for([&] { return window->document().path() == files[2]; }));
  QTest::qWait(100);
  EXPECT_EQ(runs->shown(), files[2]);
}

TEST_F(FirstHourTest, ASecondPressOnRunDoesNotCancelWhatTheFirstStarted) {
  const Environment cli("TENSORTIDE_CLI",
                        write_script(folder, QStringLiteral("slow"), QStringLiteral("exec sleep 20\n")));
  window->setup()->choose(QStringLiteral("gemm"));
  auto* run = find<QPushButton>("setup.run");
  const QPoint at = run->mapTo(window.get(), run->rect().center());
  QTest::mouseDClick(window->windowHandle(), Qt::LeftButton, {}, at);
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  QTest::qWait(150);
  EXPECT_TRUE(window->recorder().running());
  QTest::mouseClick(run, Qt::LeftButton);
  EXPECT_TRUE(wait_for([&] { return !window->recorder().running(); })) << "a later press cancels";
}

TEST_F(FirstHourTest, AComparisonEndsWithTheCaptureItWasOf) {
  const QString one = save(QStringLiteral("one.tide")), two = save(QStringLiteral("two.tide")),
                three = save(QStringLiteral("three.tide"));
  window->open_all({one, two});
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  EXPECT_EQ(window->document().path(), two);
  EXPECT_EQ(window->document().reference_path(), one);
  open(three);
  EXPECT_EQ(window->document().reference(), nullptr) << "of two, not of the third";
  EXPECT_FALSE(find<QAction>("action.compare_end")->isEnabled());
  window->open_all({one, two});
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  open(one);
  EXPECT_EQ(window->document().reference(), nullptr) << "the reference itself is compared with nothing";
  window->compare_with(one);
  EXPECT_TRUE(window->messages()->isVisible());
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("one.tide")))
      << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().reference(), nullptr);
  // Nor does one that is still being read come to the next.
  window->compare_with(save(QStringLiteral("late.tide")));
  open(two);
  QTest::qWait(300);
  EXPECT_EQ(window->document().reference(), nullptr);
  window->compare_with(one);
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  window->close_capture();
  EXPECT_EQ(window->document().reference(), nullptr);
}

TEST_F(FirstHourTest, WhatWasAskedOfACaptureIsNotAskedOfTheNext) {
  open(save(QStringLiteral("one.tide")));
  window->show_view(QStringLiteral("timeline"));
  auto* timeline = qobject_cast<views::TimelineView*>(window->view(QStringLiteral("timeline")));
  QTest::keyClicks(timeline->find_box(), QStringLiteral("conv"));
  EXPECT_NE(timeline->area()->scene().matches, nullptr);
  window->show_view(QStringLiteral("ops"));
  auto* filter = window->view(QStringLiteral("ops"))->findChild<QLineEdit*>();
  auto* table = window->view(QStringLiteral("ops"))->findChild<QAbstractItemView*>();
  const int all = table->model()->rowCount();
  QTest::keyClicks(filter, QStringLiteral("conv"));
  EXPECT_LT(table->model()->rowCount(), all);
  window->document().selection().select_op(SampleOps::relu);
  open(save(QStringLiteral("two.tide")));
  EXPECT_TRUE(timeline->find_box()->text().isEmpty());
  EXPECT_EQ(timeline->area()->scene().matches, nullptr);
  EXPECT_TRUE(filter->text().isEmpty());
  EXPECT_EQ(table->model()->rowCount(), all);
  EXPECT_TRUE(window->document().selection().state().empty());
  EXPECT_FALSE(window->document().selection().can_go_back()) << "nor by going back";
}

TEST_F(FirstHourTest, TheKeyboardsFrameChangesNoColourOfData) {
  fill_all_views();
  show_runs();
  window->document().selection().select_op(SampleOps::conv);
  int canvases = 0;
  for (const auto& entry : views::view_catalog()) {
    window->show_view(entry.key);
    QTest::qWait(60);
    for (auto* canvas : window->view(entry.key)->findChildren<views::Canvas*>()) {
      if (!canvas->isVisible() || canvas->focusPolicy() == Qt::NoFocus || canvas->width() < 40 || canvas->height() < 40)
        continue;
      const auto picture = [&] { return canvas->grab().toImage().convertToFormat(QImage::Format_RGB32); };
      window->runs()->setFocus(Qt::TabFocusReason);
      const QImage without = picture();
      canvas->setFocus(Qt::TabFocusReason);
      ASSERT_TRUE(canvas->hasFocus());
      const QImage with = picture();
      const QRect inside =
          with.rect().adjusted(views::kFocusFrame, views::kFocusFrame, -views::kFocusFrame, -views::kFocusFrame);
      EXPECT_EQ(with.copy(inside), without.copy(inside))
          << entry.key.toStdString() << ": " << canvas->accessibleName().toStdString();
      EXPECT_NE(with, without) << entry.key.toStdString() << ": the focus is seen";
      ++canvases;
    }
  }
  EXPECT_GE(canvases, 5);
}

/// Controls that are cut: smaller than they need, or out of what is around them.
QStringList cut_controls(const QWidget& view) {
  QStringList cut;
  for (auto* control : view.findChildren<QAbstractButton*>()) {
    if (!control->isVisible()) continue;
    const QRect in_view(control->mapTo(&view, QPoint()), control->size());
    const bool scrolled = control->parentWidget()->height() > view.height();
    if (control->width() + 1 < control->minimumSizeHint().width() || in_view.right() > view.width() ||
        (!scrolled && in_view.bottom() > view.height()))
      cut << QStringLiteral("%1 at %2,%3 %4x%5, needs %6")
                 .arg(control->text())
                 .arg(in_view.x())
                 .arg(in_view.y())
                 .arg(control->width())
                 .arg(control->height())
                 .arg(control->minimumSizeHint().width());
  }
  for (auto* line : view.findChildren<QLineEdit*>())
    if (line->isVisible() && line->width() < 100) cut << QStringLiteral("a line of %1 px").arg(line->width());
  return cut;
}

TEST_F(FirstHourTest, TheWindowFitsSmallScreensInEveryView) {
  fill_all_views();
  window->document().selection().select_op(SampleOps::conv);
  const auto look = [&](const views::ViewEntry& entry, QSize size) {
    window->show_view(entry.key);
    QTest::qWait(20);
    const std::string where = entry.key.toStdString() + " at " + std::to_string(size.width());
    EXPECT_EQ(window->size(), size) << where << " makes the window grow";
    const views::View& view = *window->view(entry.key);
    EXPECT_GE(view.width(), view.minimumSizeHint().width()) << where << " is cut and cannot be scrolled";
    EXPECT_GE(view.height(), view.minimumSizeHint().height()) << where << " is cut and cannot be scrolled";
    EXPECT_LE(window->minimumSizeHint().width(), 900) << where;
    EXPECT_LE(window->minimumSizeHint().height(), 540) << where;
    const QStringList cut = cut_controls(view) + cut_controls(*find<QWidget>("runbar"));
    const auto* bar = find<QTabWidget>("tabs")->tabBar();
    if (!window->runs()->isVisible()) {
      EXPECT_LE(bar->tabRect(bar->count() - 1).right(), bar->parentWidget()->width()) << where << ": tabs are cut";
    }
    EXPECT_TRUE(cut.isEmpty()) << where << ": " << cut.join(QStringLiteral("; ")).toStdString();
  };
  for (const bool with_runs : {false, true}) {
    if (with_runs) show_runs();
    // 2x, 1.75x and 1.5x of 1920x1080; 1.25x of 1366x768.
    for (const QSize size : {QSize(960, 540), QSize(1093, 614), QSize(1097, 617), QSize(1280, 720)}) {
      window->resize(size);
      for (const auto& entry : views::view_catalog()) look(entry, size);
      auto* strip = window->findChild<views::SummaryStrip*>();
      EXPECT_TRUE(cut_controls(*strip).isEmpty()) << cut_controls(*strip).join(QStringLiteral("; ")).toStdString();
      const auto* inspector = find<QDockWidget>("dock.inspector");
      EXPECT_TRUE(window->rect().contains(QRect(inspector->mapTo(window.get(), QPoint()), inspector->size())));
    }
  }
}

TEST_F(FirstHourTest, TheFormFitsSmallScreensWithAllItsParts) {
  for (const char* part : {"setup.show_collect", "setup.show_more"})
    QTest::mouseClick(find<QToolButton>(part), Qt::LeftButton);
  for (const auto& workload : engine::workloads()) {
    window->setup()->choose(QString::fromStdString(workload.name));
    window->resize(960, 540);
    QTest::qWait(10);
    EXPECT_EQ(window->size(), QSize(960, 540)) << workload.name;
    const QPushButton* run = find<QPushButton>("setup.run");
    EXPECT_TRUE(window->rect().contains(QRect(run->mapTo(window.get(), QPoint()), run->size()))) << workload.name;
    EXPECT_GT(window->runs()->height(), 20) << workload.name;
  }
}

TEST_F(FirstHourTest, ASmallWindowIsForTheViewsMoreThanForWhatIsAroundThem) {
  open(save(QStringLiteral("sample.tide")));
  auto* inspector = find<QDockWidget>("dock.inspector");
  for (const QSize size : {QSize(960, 540), QSize(1280, 720)}) {
    window->resize(size);
    QTest::qWait(50);
    const auto* room = window->current_view()->parentWidget();
    EXPECT_GT(room->width(), size.width() * 2 / 3);
    EXPECT_GT(room->height(), size.height() / 2);
    EXPECT_FALSE(inspector->isHidden());
  }
  // Closed, it stays so with the next capture.
  inspector->toggleViewAction()->trigger();
  open(save(QStringLiteral("other.tide")));
  EXPECT_TRUE(inspector->isHidden());
}

TEST_F(FirstHourTest, TheWholePictureCanBeScrolledToOnASmallScreen) {
  open(save(QStringLiteral("sample.tide")));
  window->resize(960, 540);
  window->show_view(QStringLiteral("traffic"));
  QTest::qWait(30);
  auto* traffic = qobject_cast<views::TrafficView*>(window->view(QStringLiteral("traffic")));
  const auto layout = traffic->layout_on_screen();
  const QRectF canvas(traffic->canvas().rect());
  EXPECT_TRUE(canvas.contains(layout.phases.back().rect)) << "the scrubber";
  for (const auto& box : layout.boxes) EXPECT_TRUE(canvas.contains(box.rect));
  for (const auto& cell : layout.cells) EXPECT_TRUE(canvas.contains(cell.rect)) << cell.text.toStdString();
  auto* room = qobject_cast<QScrollArea*>(traffic->parentWidget()->parentWidget());
  ASSERT_NE(room, nullptr);
  room->ensureVisible(0, traffic->canvas().mapTo(room->widget(), layout.phases.back().rect.bottomLeft().toPoint()).y(),
                      0, 0);
  const QPoint foot = traffic->canvas().mapTo(window.get(), layout.phases.back().rect.bottomLeft().toPoint());
  EXPECT_TRUE(window->rect().contains(foot));
  EXPECT_LT(foot.y(), room->mapTo(window.get(), QPoint(0, room->height())).y() + 1);
}

TEST_F(FirstHourTest, LargeLettersDoNotPushTheInspectorOffTheScreen) {
  const QFont before = QApplication::font();
  QFont large = before;
  large.setPointSizeF(before.pointSizeF() * 160 / 96);
  QApplication::setFont(large);
  {
    MainWindow wide;
    wide.resize(1920, 1048);
    wide.show();
    wide.show_capture(profiler::analyze(tests::sample_capture()), QStringLiteral("/nowhere/sample.tide"));
    for (const auto& entry : views::view_catalog()) {
      wide.show_view(entry.key);
      QTest::qWait(20);
      EXPECT_EQ(wide.size(), QSize(1920, 1048)) << entry.key.toStdString();
      EXPECT_LE(wide.minimumSizeHint().width(), 1366) << entry.key.toStdString();
    }
  }
  QApplication::setFont(before);
}

TEST_F(FirstHourTest, TheAdviceAndTheButtonBesideItAreOneChange) {
  open(save(QStringLiteral("one.tide")));
  auto* strip = window->findChild<views::SummaryStrip*>();
  const auto findings = profiler::findings(window->document().analyzed());
  const profiler::RunFinding* first = profiler::first_to_try(findings);
  ASSERT_NE(first, nullptr);
  ASSERT_TRUE(strip->try_button()->isVisible());
  EXPECT_TRUE(strip->try_button()->text().contains(views::change_words(*first->change)))
      << strip->try_button()->text().toStdString();
  EXPECT_FALSE(strip->try_button()->text().contains(QStringLiteral("--"))) << "no options on buttons";
  EXPECT_TRUE(strip->sentence().contains(QString::fromStdString(first->advice)) ||
              !profiler::roofs_weakness(window->document().capture().machine()).empty())
      << strip->sentence().toStdString();
}
TEST_F(FirstHourTest, ARunKeepsItsWordsAfterARestartUntilItIsRecordedAnew) {
  const QString one = save(QStringLiteral("one.tide"));
  open(one);
  const QString said = window->runs()->item(0)->text();
  EXPECT_TRUE(said.contains(QStringLiteral("median step"))) << said.toStdString();
  window = std::make_unique<MainWindow>();
  ASSERT_GE(window->runs()->count(), 1);
  EXPECT_EQ(window->runs()->item(0)->text(), said);
  QFile file(one);
  ASSERT_TRUE(file.open(QIODevice::Append));
  file.write("x");
  file.close();
  window = std::make_unique<MainWindow>();
  EXPECT_EQ(window->runs()->item(0)->text(), QStringLiteral("one")) << "of what is in it now nothing is known";
}

TEST_F(FirstHourTest, TheListOfRunsCutsNothingAndItsRowsStayWhereTheyAre) {
  QStringList files;
  for (const char* name : {"a.tide", "b.tide", "c.tide"}) files << save(QString::fromLatin1(name));
  for (const QString& file : files) open(file);
  show_runs();
  RunList* runs = window->runs();
  std::vector<QRect> rows;
  for (int i = 0; i < runs->count(); ++i) {
    rows.push_back(runs->visualItemRect(runs->item(i)));
    const QFont font = runs->item(i)->font();
    const QRect needs = QFontMetrics(font).boundingRect(QRect(0, 0, rows.back().width() - 8, 10000), Qt::TextWordWrap,
                                                        runs->item(i)->text());
    EXPECT_LE(needs.height(), rows.back().height()) << runs->item(i)->text().toStdString();
    EXPECT_LE(needs.width(), rows.back().width());
  }
  open(files[0]);
  QCoreApplication::processEvents();
  for (int i = 0; i < runs->count(); ++i)
    EXPECT_EQ(runs->visualItemRect(runs->item(i)), rows[static_cast<size_t>(i)]) << "bold words take no more room";
}

TEST_F(FirstHourTest, APointOfASweepIsCalledByItsSettings) {
  const auto sweep = tests::sample_sweep(false);
  const QString file = folder.filePath(QStringLiteral("s.tide"));
  ASSERT_TRUE(QDir(folder.path()).mkpath(QStringLiteral("s.points")));
  const QString point = save(QStringLiteral("s.points/0000.tide"));
  window->show_sweep(sweep, file);
  window->show_capture(profiler::analyze(tests::sample_capture()), point);
  QStringList texts;
  for (int i = 0; i < window->runs()->count(); ++i) texts << window->runs()->item(i)->text();
  EXPECT_TRUE(texts.first().contains(QStringLiteral("batch=1"))) << texts.join(QStringLiteral(" | ")).toStdString();
  EXPECT_TRUE(texts.first().contains(QStringLiteral("sweep s"))) << texts.join(QStringLiteral(" | ")).toStdString();
  EXPECT_FALSE(texts.first().contains(QStringLiteral("0000"))) << texts.join(QStringLiteral(" | ")).toStdString();
}

TEST(OpenFilters, TheFirstShowsAllThatIsOpened) {
  const QStringList filters = open_filters();
  for (const char* pattern : {"*.tide", "*.json", "*.gz", "*.sqlite", "*.onnx", "*.png"})
    EXPECT_TRUE(filters.first().contains(QLatin1String(pattern))) << pattern;
}

}  // namespace
}  // namespace app::gui
