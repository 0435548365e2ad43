// SPDX-License-Identifier: GPL-3.0-or-later
// The window under real clicks: choose a workload, run it, cancel it, open files good and bad, one
// selection everywhere, keyboard.
#include "app/gui/main_window.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include "app/gui/command_palette.h"
#include "app/gui/data_dialog.h"
#include "app/gui/integer_box.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/setup_panel.h"
#include "tests/app/gui/window_test.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_sweep.h"
#include "views/inspector/inspector.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"
#include "views/traffic/traffic_view.h"

namespace app::gui {
namespace {

using tests::SampleOps;

class MainWindowTest : public WindowTest {
 protected:
  void open_sample() { open(save(QStringLiteral("sample.tide"))); }
  void type(const char* field, const QString& text) {
    auto* box = find<IntegerBox>(field);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, text);
  }
  void set_up_small_stream(const char* steps) {
    window->setup()->choose(QStringLiteral("stream"));
    type("setup.n", QStringLiteral("262144"));
    SetupPanel* panel = window->setup();
    const auto boxes = panel->findChildren<IntegerBox*>();
    for (IntegerBox* b : boxes)
      if (b->toolTip().startsWith(QStringLiteral("Timed steps"))) b->set_value_text(QString::fromLatin1(steps));
    ASSERT_TRUE(panel->ready());
  }
};

TEST_F(MainWindowTest, StartsWithAStartPageThatChoosesAWorkload) {
  EXPECT_TRUE(find<views::StartPage>()->isVisible());
  QTest::mouseClick(find<QPushButton>("card.gemm"), Qt::LeftButton, {}, QPoint(20, 20));
  EXPECT_EQ(window->setup()->values().workload, QStringLiteral("gemm"));
}

TEST_F(MainWindowTest, RunsAWorkloadAndOpensItsCapture) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  set_up_small_stream("6");
  QTest::mouseClick(find<QPushButton>("setup.run"), Qt::LeftButton);
  EXPECT_TRUE(window->recorder().running());
  EXPECT_EQ(find<QPushButton>("setup.run")->text(), QStringLiteral("■ Cancel"));
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); })) << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().capture().run().workload, "stream");
  EXPECT_TRUE(find<views::SummaryStrip>()->isVisible());
  EXPECT_FALSE(find<views::SummaryStrip>()->sentence().isEmpty());
  EXPECT_EQ(window->runs()->path_at(0), window->document().path());
  EXPECT_EQ(find<QPushButton>("setup.run")->text(), QStringLiteral("▶ Run"));
  EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("STREAM"))) << window->windowTitle().toStdString();
}

TEST_F(MainWindowTest, TheButtonOfAnEmptyTrafficRowRunsTheWorkloadAgain) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  set_up_small_stream("3");
  QTest::mouseClick(find<QPushButton>("setup.run"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->document().loaded() && !window->recorder().running(); }));
  const QString first = window->document().path();
  window->show_view(QStringLiteral("traffic"));
  QCoreApplication::processEvents();
  auto* view = qobject_cast<views::TrafficView*>(window->view(QStringLiteral("traffic")));
  ASSERT_NE(view, nullptr);
  QToolButton& simulate = view->fill_button(views::FigureRow::simulated);
  ASSERT_TRUE(simulate.isVisible() && simulate.isEnabled()) << simulate.toolTip().toStdString();
  window->setup()->choose(QStringLiteral("gemm"));  // the form has no part in it
  QTest::mouseClick(&simulate, Qt::LeftButton);
  EXPECT_TRUE(window->recorder().running());
  EXPECT_FALSE(simulate.isEnabled()) << "one run at a time";
  ASSERT_TRUE(wait_for([&] { return window->document().path() != first; })) << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().capture().run().workload, "stream");
  EXPECT_NE(window->document().capture().traffic_of(profiler::Origin::simulated), nullptr);
  EXPECT_TRUE(view->fill_button(views::FigureRow::simulated).isHidden()) << "the row is filled";
}

TEST_F(MainWindowTest, CancelKeepsWhatWasRecorded) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  set_up_small_stream("1000000");
  bool recording = false;
  QObject::connect(&window->recorder(), &RecorderProcess::progressed, window.get(), [&](const RunProgress& p) {
    recording = recording || (p.stage == QStringLiteral("recording") && p.step > 3);
  });
  QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(wait_for([&] { return recording; })) << window->messages()->text().toStdString();
  QTest::mouseClick(find<QPushButton>("setup.run"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); })) << window->messages()->text().toStdString();
  EXPECT_FALSE(window->document().capture().run().complete);
  EXPECT_FALSE(window->recorder().running());
}

TEST_F(MainWindowTest, ARefusedRunIsSaidInTheWindow) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  window->setup()->choose(QStringLiteral("gemm"));
  for (const char* field : {"setup.m", "setup.n", "setup.k"}) type(field, QStringLiteral("1000000"));
  QTest::mouseClick(find<QPushButton>("setup.run"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("B"))) << window->messages()->text().toStdString();
  EXPECT_FALSE(window->document().loaded());
  EXPECT_TRUE(find<views::StartPage>()->isVisible());
}

TEST_F(MainWindowTest, ACrashedRunIsSaidAndItsPartOpened) {
  const QString sample = save_sample(folder);
  const Environment cli(
      "TENSORTIDE_CLI",
      write_script(folder, QStringLiteral("crash"), QStringLiteral("cp '%1' \"$OUT\"\nkill -SEGV $$\n").arg(sample)));
  window->run();
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }));
  EXPECT_TRUE(window->messages()->isVisible());
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("crashed")));
}

TEST_F(MainWindowTest, BadFilesAreSaidInTheWindowAndTheOldCaptureStays) {
  open_sample();
  const QString good = window->document().path();
  QFile bad(folder.filePath(QStringLiteral("bad.tide")));
  ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
  bad.write(QByteArray(5000, 'x'));
  bad.close();
  for (const QString& file : {bad.fileName(), folder.filePath(QStringLiteral("absent.tide")), folder.path(),
                              folder.filePath(QStringLiteral("absent.onnx"))}) {
    window->messages()->dismiss();
    window->open(file);
    ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible(); })) << file.toStdString();
    EXPECT_TRUE(window->messages()->text().contains(QFileInfo(file).fileName()))
        << window->messages()->text().toStdString();
    EXPECT_EQ(window->document().path(), good);
  }
  EXPECT_EQ(window->findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly), nullptr) << "no modal piles";
}

TEST_F(MainWindowTest, ACaptureRecordedAnewUnderItsNameIsReadAnew) {
  open_sample();
  const auto* before = &window->document().capture();
  window->close_capture();
  QTest::qWait(20);  // so that the file is of another time
  window->open(save_sample(folder));
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }));
  EXPECT_NE(&window->document().capture(), before);
  const auto* shown = &window->document().capture();
  window->open(folder.filePath(QStringLiteral("sample.tide")));
  EXPECT_EQ(&window->document().capture(), shown) << "read again without need";
}

TEST_F(MainWindowTest, ACaptureClosedWhileItIsReadStaysClosed) {
  window->open(save_sample(folder));
  window->close_capture();
  QTest::qWait(300);
  EXPECT_FALSE(window->document().loaded());
}

TEST_F(MainWindowTest, ACaptureToCompareWithIsLoadedBesideTheOneShownAndLetGo) {
  open_sample();
  QAction* end = find<QAction>("action.compare_end");
  EXPECT_FALSE(end->isEnabled());
  window->compare_with(folder.filePath(QStringLiteral("absent.tide")));
  ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("absent.tide")))
      << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().reference(), nullptr);
  const QString shown = window->document().path();
  const QString other = folder.filePath(QStringLiteral("other.tide"));
  ASSERT_TRUE(QFile::copy(shown, other));
  window->compare_with(other);
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  EXPECT_EQ(window->document().path(), shown);
  EXPECT_EQ(window->document().reference_path(), other);
  EXPECT_EQ(window->document().reference()->capture->ops().size(), SampleOps::count);
  end->trigger();
  EXPECT_EQ(window->document().reference(), nullptr);
  EXPECT_FALSE(end->isEnabled());
}

TEST_F(MainWindowTest, SelectingAnOpInOneViewShowsItInTheOthers) {
  open_sample();
  ASSERT_TRUE(window->show_view(QStringLiteral("timeline")));
  QCoreApplication::processEvents();
  auto* area = qobject_cast<views::TimelineView*>(window->view(QStringLiteral("timeline")))->area();
  const int lane = area->scene().model->op_lane;
  const auto spans = area->scene().model->lanes[static_cast<size_t>(lane)].lane.spans();
  area->fit_all();
  const auto relu = std::ranges::find_if(spans, [](const auto& s) { return s.op == SampleOps::relu; });
  ASSERT_NE(relu, spans.end());
  const QPoint at = area->span_rect({lane, static_cast<size_t>(relu - spans.begin())}).center().toPoint();
  QTest::mouseClick(area->viewport(), Qt::LeftButton, {}, at);
  EXPECT_EQ(window->document().selection().state().op, SampleOps::relu);
  EXPECT_EQ(find<views::Inspector>()->content().title, QStringLiteral("features.relu1/relu"));
  window->document().set_reference(window->document().shared(), QStringLiteral("/other.tide"));
  // Every view follows: its picture changes when the selection is cleared.
  for (const auto& entry : views::view_catalog()) {
    if (entry.of == views::ViewEntry::Of::sweep) continue;
    const auto picture = [&] { return window->view(entry.key)->grab().toImage(); };
    window->document().selection().select_op(SampleOps::relu);
    window->show_view(entry.key);
    QTest::qWait(30);
    const QImage with = picture();
    window->document().selection().clear();
    QTest::qWait(30);
    EXPECT_NE(with, picture()) << entry.key.toStdString() << " shows no difference";
  }
}

TEST_F(MainWindowTest, KeyboardClearsAndWalksTheHistory) {
  open_sample();
  auto& selection = window->document().selection();
  selection.select_op(SampleOps::conv);
  selection.select_op(SampleOps::linear);
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(selection.state().op, SampleOps::conv);
  QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(selection.state().op, SampleOps::linear);
  QTest::keyClick(window.get(), Qt::Key_Escape);
  EXPECT_TRUE(selection.state().empty());
}

TEST_F(MainWindowTest, TabsAreReachedByKeyAndClick) {
  open_sample();
  const auto catalog = views::view_catalog();
  auto* tabs = find<QTabWidget>("tabs");
  for (size_t i = 0; i < std::min<size_t>(10, catalog.size()); ++i) {  // as many as there are digits
    QTest::keyClick(window.get(), static_cast<Qt::Key>(Qt::Key_0 + (i + 1) % 10), Qt::AltModifier);
    EXPECT_EQ(window->current_view(), window->view(catalog[i].key)) << catalog[i].key.toStdString();
  }
  QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(0).center());
  EXPECT_EQ(tabs->currentIndex(), 0);
}

TEST_F(MainWindowTest, PaletteFindsAndRunsCommands) {
  open_sample();
  window->document().selection().select_op(SampleOps::conv);
  QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* palette = find<CommandPalette>();
  ASSERT_TRUE(palette->isVisible());
  auto* line = palette->findChild<QLineEdit*>();
  QTest::keyClicks(line, QStringLiteral("clear the sel"));
  ASSERT_GE(palette->findChild<QListWidget*>()->count(), 1);
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_FALSE(palette->isVisible());
  EXPECT_TRUE(window->document().selection().state().empty());
}

TEST_F(MainWindowTest, NoKeyIsGivenTwice) {
  open_sample();
  std::map<QString, QString> taken;
  for (const Command& c : commands(*window)) {
    if (c.action->shortcutContext() != Qt::WindowShortcut) continue;
    for (const QKeySequence& k : c.action->shortcuts()) {
      const auto [at, is_new] = taken.try_emplace(k.toString(), c.title);
      EXPECT_TRUE(is_new) << k.toString().toStdString() << ": " << c.title.toStdString() << " and "
                          << at->second.toStdString();
    }
    EXPECT_FALSE(c.action->objectName().isEmpty());
  }
  EXPECT_GT(taken.size(), 12u);
}

TEST_F(MainWindowTest, AWideWindowHasWiderPanels) {
  const auto width_of_panel = [](int window_width) {
    MainWindow wide;
    wide.resize(window_width, 900);
    wide.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&wide));
    QCoreApplication::processEvents();
    return wide.findChild<QDockWidget*>(QStringLiteral("dock.setup"))->width();
  };
  EXPECT_LE(width_of_panel(1280), 230);
  EXPECT_GE(width_of_panel(1920), 260);
}

TEST_F(MainWindowTest, QuestionMarkAndF1OpenTheShortcutPage) {
  for (const Qt::Key key : {Qt::Key_Question, Qt::Key_F1}) {
    QTest::keyClick(window.get(), key);
    auto* dialog = find<QDialog>("shortcuts");
    EXPECT_TRUE(dialog->isVisible()) << key;
    delete dialog;
  }
}

TEST_F(MainWindowTest, ShowDataListsWhatIsDrawn) {
  open_sample();
  window->show_sweep(tests::sample_sweep(true), QStringLiteral("/sweep.tide"));
  window->document().set_reference(window->document().shared(), QStringLiteral("/other.tide"));
  for (const auto& entry : views::view_catalog()) {
    window->show_view(entry.key);
    find<QAction>("action.show_data")->trigger();
    auto* dialog = find<QDialog>("data");
    auto* table = dialog->findChild<QTableView*>();
    EXPECT_GT(table->model()->rowCount(), 0) << entry.key.toStdString();
    for (int c = 0; c < table->model()->columnCount(); ++c)
      EXPECT_FALSE(table->model()->headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty())
          << entry.key.toStdString() << " column " << c;
    delete dialog;
  }
}

TEST_F(MainWindowTest, DataThatDoNotFitOnTheDiskAreNamed) {
  profiler::Table table;
  table.name = "ops";
  table.columns = {{"op", "Op", profiler::Quantity::text, profiler::Origin::exact, "Name"}};
  table.rows = {{std::string("a")}};
  const QString file = folder.filePath(QStringLiteral("data.csv"));
  EXPECT_EQ(save_csv(table, file), QStringLiteral("Saved to %1").arg(file));
  const auto bytes = [&] {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
  };
  const QByteArray before = bytes();
  EXPECT_FALSE(before.isEmpty());
  table.rows.assign(1000, {std::string("b")});
  QString said;
  {
    const tests::FullDisk disk(16);
    ASSERT_TRUE(disk.works());
    said = save_csv(table, file);
  }
  EXPECT_TRUE(said.contains(file) && said.contains(QString::fromStdString(tests::FullDisk::words())))
      << said.toStdString();
  EXPECT_EQ(bytes(), before) << "what was there stays";
}

TEST_F(MainWindowTest, EveryViewExportsPictureAndData) {
  open_sample();
  window->show_sweep(tests::sample_sweep(false), QStringLiteral("/sweep.tide"));
  window->document().set_reference(window->document().shared(), QStringLiteral("/other.tide"));
  for (const auto& entry : views::view_catalog())
    for (const char* suffix : {"png", "svg", "pdf", "csv"}) {
      const QString file = folder.filePath(entry.key + QLatin1Char('.') + QLatin1String(suffix));
      const auto done = views::export_view(*window->view(entry.key), file, window->theme(), {800, 500});
      EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
      EXPECT_GT(QFileInfo(file).size(), 100) << file.toStdString();
    }
}

TEST_F(MainWindowTest, DroppedFilesAreOpened) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(save_sample(folder, QStringLiteral("one.tide"))),
                QUrl::fromLocalFile(save_sample(folder, QStringLiteral("two.tide")))});
  QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window.get(), &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window.get(), &drop);
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }));
  EXPECT_TRUE(window->document().path().endsWith(QStringLiteral("two.tide")));
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; })) << "several: compared";
  EXPECT_TRUE(window->document().reference_path().endsWith(QStringLiteral("one.tide")));
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("compare")));
  EXPECT_EQ(window->runs()->count(), 2);
  show_runs();
  QTest::mouseClick(window->runs()->viewport(), Qt::LeftButton, {},
                    window->runs()->visualItemRect(window->runs()->item(1)).center());
  EXPECT_TRUE(wait_for([&] { return window->document().path().endsWith(QStringLiteral("one.tide")); }));
}

TEST_F(MainWindowTest, AModelFileBecomesAWorkload) {
  QFile model(folder.filePath(QStringLiteral("net.onnx")));
  ASSERT_TRUE(model.open(QIODevice::WriteOnly));
  model.write("x");
  model.close();
  window->open(model.fileName());
  EXPECT_EQ(window->setup()->values().workload, model.fileName());
  EXPECT_TRUE(window->setup()->ready());
  EXPECT_EQ(run_arguments(window->setup()->values()).front(), model.fileName());
}

TEST_F(MainWindowTest, ANetworkInJsonIsRunAndSeen) {
  const QString file = folder.filePath(QStringLiteral("net.json"));
  QFile network(file);
  ASSERT_TRUE(network.open(QIODevice::WriteOnly));
  network.write(
      R"({"name": "mine", "input": [12], "batch": 4, "layers": [{"type": "linear", "units": 16}, {"type": "relu"}, {"type": "linear", "units": 3}]})");
  network.close();
  window->open(file);
  EXPECT_EQ(window->setup()->values().workload, file);
  ASSERT_TRUE(window->setup()->ready());
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  for (IntegerBox* box : window->setup()->findChildren<IntegerBox*>())
    if (box->toolTip().startsWith(QStringLiteral("Timed steps"))) box->set_value_text(QStringLiteral("2"));
  window->run();
  ASSERT_TRUE(wait_for([&] { return window->document().loaded() && !window->document().capture().steps().empty(); }));
  EXPECT_EQ(window->document().capture().run().title, "mine");
  EXPECT_TRUE(window->document().capture().run().complete);
  EXPECT_EQ(window->document().capture().run().arguments.at("batch"), "4");
}

TEST_F(MainWindowTest, ThemeIsRememberedAndReachesEverything) {
  open_sample();
  find<QAction>("action.theme_dark")->trigger();
  EXPECT_EQ(&window->theme(), &views::Theme::dark());
  EXPECT_LT(qGray(window->grab().toImage().pixel(window->width() / 2, window->height() / 2)), 128);
  MainWindow second;
  EXPECT_EQ(&second.theme(), &views::Theme::dark());
  find<QAction>("action.theme_light")->trigger();
  EXPECT_EQ(&window->theme(), &views::Theme::light());
}

TEST_F(MainWindowTest, CloseGoesBackToTheStartPageWithTheFileInIt) {
  open_sample();
  find<QAction>("action.close")->trigger();
  EXPECT_TRUE(find<views::StartPage>()->isVisible());
  EXPECT_FALSE(find<QAction>("action.export_picture")->isEnabled());
  EXPECT_TRUE(window->runs()->selectedItems().isEmpty());
}

TEST_F(MainWindowTest, NothingOverlapsOrIsCutAt1280x720) {
  open_sample();
  window->resize(1280, 720);
  QCoreApplication::processEvents();
  EXPECT_LE(window->minimumSizeHint().width(), 1280);
  EXPECT_LE(window->minimumSizeHint().height(), 720);
  EXPECT_EQ(window->size(), QSize(1280, 720));
  EXPECT_GE(window->centralWidget()->width(), 700) << "the views get most of the window";
}

}  // namespace
}  // namespace app::gui
