// SPDX-License-Identifier: GPL-3.0-or-later
// Five tasks of a newcomer and five of an engineer, done with clicks and keys from the first to the last. With
// TENSORTIDE_WALKTHROUGH=FOLDER every step leaves a picture; _SIZE (1280x720) and _THEME (light, dark) belong to it.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QTabWidget>
#include <QTimer>
#include <QTreeWidget>

#include "app/gui/command_palette.h"
#include "app/gui/learn_panel.h"
#include "app/gui/playground_panel.h"
#include "app/gui/report_dialog.h"
#include "app/gui/settings_dialog.h"
#include "app/gui/setup_panel.h"
#include "app/gui/sweep_dialog.h"
#include "app/gui/tool_dialog.h"
#include "profiler/lessons/lesson_reader.h"
#include "tests/app/gui/window_test.h"
#include "views/findings/findings_view.h"
#include "views/network/network_view.h"
#include "views/ops/ops_view.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/find_box.h"
#include "views/widgets/switch.h"
#include "views/widgets/table_view.h"

namespace app::gui {
namespace {

class Walkthrough : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    const QStringList size =
        qEnvironmentVariable("TENSORTIDE_WALKTHROUGH_SIZE", QStringLiteral("1280x720")).split(QLatin1Char('x'));
    ASSERT_EQ(size.size(), 2);
    window->resize(size[0].toInt(), size[1].toInt());
    const QString theme = qEnvironmentVariable("TENSORTIDE_WALKTHROUGH_THEME", QStringLiteral("light"));
    find<QAction>(("action.theme_" + theme.toStdString()).c_str())->trigger();
    cli = std::make_unique<Environment>("TENSORTIDE_CLI", real_program(folder));
    captures = QStringLiteral(TENSORTIDE_SOURCE_DIR) + QStringLiteral("/resources/captures/");
  }
  /// A picture of the window and of the dialog in front of it, where one is wanted.
  void snap(const char* step) {
    QCoreApplication::processEvents();
    wait_for([&] { return window->current_view() == nullptr || !window->current_view()->busy(); });
    QTest::qWait(1);
    const QString to = qEnvironmentVariable("TENSORTIDE_WALKTHROUGH");
    if (to.isEmpty()) return;
    QPixmap picture = window->grab();
    for (QWidget* top : QApplication::topLevelWidgets()) {
      if (top == window.get() || !top->isVisible() || qobject_cast<QDialog*>(top) == nullptr) continue;
      QPixmap dialog = top->grab();
      QPainter painter(&picture);
      const QPoint at((window->width() - top->width()) / 2, std::max(0, (window->height() - top->height()) / 2));
      painter.drawPixmap(at, dialog);
      painter.drawRect(QRect(at, top->size()).adjusted(-1, -1, 0, 0));
    }
    QDir().mkpath(to);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    EXPECT_TRUE(picture.save(QStringLiteral("%1/%2-%3-%4.png")
                                 .arg(to, QString::fromLatin1(test->name()))
                                 .arg(++step_)
                                 .arg(QString::fromLatin1(step))));
  }
  void trigger(const char* action) { find<QAction>((std::string("action.") + action).c_str())->trigger(); }
  template <class V>
  V* show(const char* key) {
    EXPECT_TRUE(window->show_view(QString::fromLatin1(key))) << key;
    QCoreApplication::processEvents();
    auto* view = qobject_cast<V*>(window->view(QString::fromLatin1(key)));
    EXPECT_NE(view, nullptr) << key;
    return view;
  }
  template <class D>
  D* dialog() {
    D* found = nullptr;
    EXPECT_TRUE(wait_for([&] { return (found = window->findChild<D*>()) != nullptr && found->isVisible(); }));
    return found;
  }
  static QPushButton* button(const QWidget* of, const QString& words) {
    for (auto* each : of->findChildren<QPushButton*>()) {
      if (each->isVisible() && each->text().remove(QLatin1Char('&')).contains(words)) return each;
    }
    ADD_FAILURE() << "no button " << words.toStdString();
    return nullptr;
  }
  bool ran() {
    return wait_for([&] { return window->document().loaded() && !window->recorder().running(); }, 120000);
  }
  /// The small network that starts from its card.
  void run_card() {
    QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
    ASSERT_TRUE(ran()) << window->messages()->text().toStdString();
  }

  std::unique_ptr<Environment> cli;
  QString captures;

 private:
  int step_ = 0;
};

TEST_F(Walkthrough, Newcomer1RunsANetwork) {
  snap("start");
  QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
  wait_for([&] { return window->recorder().running(); });
  QTest::qWait(300);
  snap("running");
  ASSERT_TRUE(ran()) << window->messages()->text().toStdString();
  snap("findings");
  EXPECT_EQ(window->document().capture().run().workload, "mlp");
  for (const char* view : {"traffic", "memory", "timeline", "network", "ops", "roofline", "hardware"}) {
    if (window->show_view(QString::fromLatin1(view))) snap(view);
  }
}

TEST_F(Walkthrough, Newcomer2FindsTheSlowestLayerAndWhy) {
  open(captures + QStringLiteral("cpu-training-step.tide"));
  auto* ops = show<views::OpsView>("ops");
  snap("ops");
  QTest::mouseClick(ops->roll_up().button(1), Qt::LeftButton);
  snap("by-layer");
  QTest::mouseClick(ops->roll_up().button(0), Qt::LeftButton);
  const QModelIndex slowest = ops->table().model()->index(0, 0);
  QTest::mouseClick(ops->table().viewport(), Qt::LeftButton, {}, ops->table().visualRect(slowest).center());
  snap("chosen");
  EXPECT_TRUE(window->document().selection().state().op.has_value());
  show<views::View>("roofline");
  snap("roofline");
  show<views::View>("cache");
  snap("cache");
}

TEST_F(Walkthrough, Newcomer3SweepsTheBatch) {
  window->choose_workload(QStringLiteral("mlp"));
  snap("form");
  trigger("sweep");
  auto* ask = dialog<SweepDialog>();
  ask->findChild<QLineEdit*>(QStringLiteral("sweep.values1"))->setText(QStringLiteral("1,2,4"));
  snap("asked");
  QTest::mouseClick(button(ask, QStringLiteral("Start")), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  QTest::qWait(500);
  snap("running");
  ASSERT_TRUE(wait_for([&] { return !window->recorder().running(); }, 300000));
  ASSERT_NE(window->document().sweep(), nullptr);
  EXPECT_EQ(window->document().sweep()->points.size(), 3u);
  show<views::View>("sweep");
  snap("own");
  window->open(captures + QStringLiteral("batch-sweep.tide"));
  ASSERT_TRUE(wait_for([&] { return window->document().sweep()->points.size() > 3 && window->document().loaded(); }));
  snap("recorded");
}

TEST_F(Walkthrough, Newcomer4ComparesTwoRuns) {
  run_card();
  const QString first = window->document().path();
  trigger("run_again");
  ASSERT_TRUE(wait_for([&] { return window->document().path() != first; }, 120000))
      << "the second run's capture is shown";
  ASSERT_TRUE(ran());
  show_runs();
  snap("runs");
  auto* runs = window->runs();
  for (int i = 0; i < runs->count(); ++i) {
    if (runs->path_at(i) == window->document().path()) continue;
    window->compare_with(runs->path_at(i));
    break;
  }
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  snap("compared");
}

TEST_F(Walkthrough, Newcomer5SendsAReport) {
  open(captures + QStringLiteral("cpu-training-step.tide"));
  const QString to = folder.filePath(QStringLiteral("report.html"));
  bool asked = false;
  // The two dialogs wait for their answers, so a timer gives them.
  QTimer answers;
  QObject::connect(&answers, &QTimer::timeout, window.get(), [&] {
    auto* front = QApplication::activeModalWidget();
    if (auto* files = qobject_cast<QFileDialog*>(front)) {
      answers.stop();
      snap("where");
      auto* name = files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
      name->setText(to);
      QTest::keyClick(name, Qt::Key_Return);
    } else if (auto* ask = qobject_cast<ReportDialog*>(front); ask != nullptr && !asked) {
      asked = true;
      snap("sections");
      EXPECT_FALSE(ask->request().sections->empty());
      QTest::mouseClick(button(ask, QStringLiteral("Save as…")), Qt::LeftButton);
    }
  });
  answers.start(50);
  trigger("save_report");
  ASSERT_TRUE(wait_for([&] { return QFileInfo::exists(to) && QFileInfo(to).size() > 10000; }));
  snap("saved");
}

TEST_F(Walkthrough, Engineer1FindsAKernelInATrace) {
  open(captures + QStringLiteral("gpu-trace.tide"));
  snap("findings");
  auto* timeline = show<views::TimelineView>("timeline");
  ASSERT_TRUE(wait_for([&] { return !timeline->busy(); }));
  snap("timeline");
  QTest::keyClick(timeline->area(), Qt::Key_Slash);
  QTest::keyClicks(timeline->find_box(), QStringLiteral("gemm"));
  QTest::keyClick(timeline->find_box(), Qt::Key_Return);
  snap("found");
  EXPECT_TRUE(timeline->area()->current().has_value());
  EXPECT_EQ(timeline->width(), timeline->parentWidget()->width()) << "a kernel's long name widens nothing";
  QTest::keyClick(timeline->find_box(), Qt::Key_Escape);
  QTest::keyClick(timeline->area(), Qt::Key_E);
  snap("events");
  QTest::keyClick(timeline->area(), Qt::Key_I);
  EXPECT_TRUE(wait_for(
      [&] {
        const QWidget* room = timeline->parentWidget();
        const QRect place(timeline->panel()->mapTo(room, QPoint()), timeline->panel()->size());
        return place.intersected(room->rect()).height() > 100;
      },
      2000))
      << "what one opens can be seen";
  QCoreApplication::processEvents();
  snap("details");
  show<views::View>("ops");
  snap("ops");
  show<views::View>("roofline");
  snap("roofline");
}

TEST_F(Walkthrough, Engineer2LooksAtANetworkAndItsTape) {
  window->choose_workload(QStringLiteral("transformer"));
  trigger("look");
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }, 60000)) << window->messages()->text().toStdString();
  auto* network = show<views::NetworkView>("network");
  ASSERT_TRUE(wait_for([&] { return !network->busy() && network->layout_on_screen() != nullptr; }, 60000));
  snap("network");
  QTest::mouseClick(&network->open_all(), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return !network->busy(); }, 60000));
  snap("opened");
  open(captures + QStringLiteral("cpu-training-step.tide"));
  network = show<views::NetworkView>("network");
  ASSERT_TRUE(wait_for([&] { return !network->busy() && network->layout_on_screen() != nullptr; }, 60000));
  QTest::mouseClick(&network->tape_button(), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return !network->busy(); }, 60000));
  snap("tape");
  trigger("storage");
  snap("storage");
}

TEST_F(Walkthrough, Engineer3TriesAnAdviceAndEndsIt) {
  open(captures + QStringLiteral("cpu-training-step.tide"));
  auto* findings = show<views::FindingsView>("findings");
  QPushButton* attempt = nullptr;
  for (int i = 1; i < 20 && attempt == nullptr; ++i) attempt = findings->button(i);
  ASSERT_NE(attempt, nullptr);
  snap("advice");
  ASSERT_TRUE(attempt->isEnabled()) << attempt->toolTip().toStdString();
  QTest::mouseClick(attempt, Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  QTest::qWait(2000);
  snap("trying");
  trigger("cancel");
  ASSERT_TRUE(wait_for([&] { return !window->recorder().running(); }, 60000));
  snap("ended");
}

TEST_F(Walkthrough, Engineer4AsksWithoutARun) {
  window->choose_workload(QStringLiteral("transformer"));
  for (const char* tool : {"fit", "predict", "number", "machine"}) {
    auto* action = window->findChild<QAction*>(QStringLiteral("action.tool_") + QLatin1String(tool));
    if (action == nullptr || !action->isEnabled()) continue;
    action->trigger();
    auto* asked = find<ToolDialog>((std::string("tool.") + tool).c_str());
    ASSERT_TRUE(wait_for([&] { return !asked->busy(); }, 60000));
    snap(tool);
    asked->close();
  }
  trigger("playground");
  QCoreApplication::processEvents();
  PlaygroundPanel* playground = nullptr;
  for (QWidget* top : QApplication::topLevelWidgets()) {
    if (auto* found = top->findChild<PlaygroundPanel*>()) playground = found;
  }
  ASSERT_NE(playground, nullptr);
  QTest::mouseClick(&playground->button("to"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return !playground->busy(); }, 60000));
  snap("playground");
}

TEST_F(Walkthrough, Engineer5MakesItTheirOwn) {
  open(captures + QStringLiteral("cpu-training-step.tide"));
  QTest::keyClick(window.get(), Qt::Key_Comma, Qt::ControlModifier);
  auto* settings = find<SettingsDialog>("settings");
  for (int page = 0; page < settings->findChild<QListWidget*>()->count(); ++page) {
    settings->findChild<QListWidget*>()->setCurrentRow(page);
    snap("settings");
  }
  settings->close();
  trigger("palette");
  auto* palette = find<CommandPalette>();
  QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("logits"));
  snap("palette");
  QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
  snap("gone-to");
  trigger("handbook");
  snap("handbook");
  for (QWidget* top : QApplication::topLevelWidgets()) {
    if (top != window.get() && qobject_cast<QDialog*>(top) != nullptr) top->close();
  }
  palette->hide();
  trigger("lessons");
  auto* learn = find<LearnPanel>();
  snap("lessons");
  auto* list = learn->findChild<QTreeWidget*>(QStringLiteral("learn.list"));
  ASSERT_GT(list->topLevelItemCount(), 0);
  list->setCurrentItem(list->topLevelItem(0)->childCount() > 0 ? list->topLevelItem(0)->child(0)
                                                               : list->topLevelItem(0));
  QTest::mouseClick(learn->findChild<QPushButton*>(QStringLiteral("learn.start")), Qt::LeftButton);
  snap("lesson");
  learn->go_on();
  snap("lesson-2");
}

TEST_F(Walkthrough, TeacherShowsALessonToAnAudience) {
  trigger("lessons");
  auto* learn = find<LearnPanel>();
  const auto read = profiler::open_lesson(QStringLiteral(TENSORTIDE_SOURCE_DIR).toStdString() +
                                          "/resources/lessons/4-numbers/one_point_four.md");
  ASSERT_TRUE(read.ok() && read->faults.empty());
  learn->start(read->lesson);
  const QSize size = window->size();
  learn->set_presenting(true);
  window->resize(size);  // a screen of that size
  snap("text");
  auto* act = learn->findChild<QPushButton*>(QStringLiteral("learn.act"));
  for (int page = 0; page < 6 && !learn->has_results(); ++page) {
    learn->go_on();
    snap("page");
    if (!act->isVisible() || act->text() != QStringLiteral("&Run")) continue;
    act->click();
    wait_for([&] { return learn->has_results(); });
  }
  ASSERT_TRUE(wait_for([&] { return learn->has_results(); }));
  snap("reveal");
  learn->set_presenting(false);
}

}  // namespace
}  // namespace app::gui
