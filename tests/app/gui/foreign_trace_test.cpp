// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of other tools opened in the window: by the menu's way, dropped, several as ranks, as a picture.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <fstream>

#include "app/gui/command_line.h"
#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/run_list.h"
#include "app/gui/settings.h"
#include "app/gui/setup_panel.h"
#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

const QString kTrace = QStringLiteral(TENSORTIDE_TEST_DATA "/traces/kineto_h100_bert_small.pt.trace.json.gz");

class ForeignTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Settings().clear_recent();
    Settings().set_captures_folder(folder.path());
    window = std::make_unique<MainWindow>();
    window->show();
  }
  void TearDown() override { window.reset(); }
  QString small_trace(const QString& name) {
    const QString file = folder.filePath(name);
    std::ofstream(file.toStdString())
        << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5,"dur":9,"pid":1,"tid":1}]})";
    return file;
  }
  void drop(const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton,
                          Qt::NoModifier);  // makes the window the target
    QCoreApplication::sendEvent(window.get(), &enter);
    QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.get(), &event);
  }
  /// Clicks a button of the question that several traces raise.
  void answer(const char* button) {
    auto* box = window->findChild<QMessageBox*>(QStringLiteral("several_traces"));
    ASSERT_NE(box, nullptr);
    auto* choice = box->findChild<QPushButton*>(QString::fromLatin1(button));
    ASSERT_NE(choice, nullptr);
    choice->click();
  }
  bool loaded() {
    return wait_for([&] { return window->document().loaded(); });
  }

  QTemporaryDir folder;
  const Environment cli{"TENSORTIDE_CLI", QStringLiteral(TENSORTIDE_BINARY_DIR "/bin/tensortide")};
  std::unique_ptr<MainWindow> window;
};

TEST_F(ForeignTraceTest, OpeningOneImportsIt) {
  window->open(kTrace);
  ASSERT_TRUE(loaded()) << window->messages()->text().toStdString();
  EXPECT_TRUE(window->document().path().startsWith(folder.path())) << window->document().path().toStdString();
  EXPECT_TRUE(window->document().path().endsWith(QStringLiteral(".tide")));
  EXPECT_EQ(window->document().capture().gpu().kernels.size(), 60u);
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("timeline")))
      << "what a trace of another tool says most about";
  EXPECT_FALSE(window->setup()->isVisible()) << "the form is of a new run, not of this trace";
  const auto* again = window->findChild<QToolButton*>(QStringLiteral("runbar.again"));
  ASSERT_NE(again, nullptr);
  EXPECT_FALSE(again->isVisible()) << "nor can it be run again";
  window->run();
  EXPECT_FALSE(window->recorder().running()) << "what would run is shown first";
  EXPECT_TRUE(window->setup()->isVisible());
  EXPECT_TRUE(window->document().loaded());
}

TEST_F(ForeignTraceTest, ViewsThatHaveNothingOfItHaveNoTab) {
  const auto shown = [&] {
    QStringList keys;
    for (const auto& entry : views::view_catalog())
      if (window->tab_shown(entry.key)) keys << entry.key;
    return keys.join(QLatin1Char(' '));
  };
  const QString all = shown();
  window->show_capture(profiler::analyze(tests::sample_capture()), QStringLiteral("/nowhere/own.tide"));
  EXPECT_EQ(shown(), all) << "of a run of our own every view has something, or can be given it";
  auto* hidden = window->findChild<QToolButton*>(QStringLiteral("tabs.without_data"));
  ASSERT_NE(hidden, nullptr);
  EXPECT_FALSE(hidden->isVisible());
  window->show_view(QStringLiteral("cache"));
  const QString marks = folder.filePath(QStringLiteral("marks.json"));
  std::ofstream(marks.toStdString())
      << R"({"traceEvents":[{"ph":"X","cat":"app","name":"parse","ts":5,"dur":9,"pid":1,"tid":1}]})";
  window->open(marks);
  ASSERT_TRUE(wait_for([&] {
    return window->document().loaded() && !window->document().capture().run().source.empty();
  })) << window->messages()->text().toStdString();
  EXPECT_EQ(shown(), QStringLiteral("timeline compare"));
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("timeline")))
      << "the one that was in front has nothing";
  EXPECT_TRUE(hidden->isVisible());
  EXPECT_EQ(hidden->menu()->actions().size(), static_cast<qsizetype>(views::view_catalog().size()) - 2);
  for (const QAction* action : hidden->menu()->actions())
    EXPECT_GT(action->text().count(QLatin1Char('.')), 1) << "why, and what helps: " << action->text().toStdString();
  hidden->menu()->actions().first()->trigger();
  EXPECT_NE(window->current_view(), window->view(QStringLiteral("timeline")))
      << "asked for, it is shown with its words";
  window->show_capture(profiler::analyze(tests::sample_capture()), QStringLiteral("/nowhere/own.tide"));
  EXPECT_EQ(shown(), all);
}

TEST_F(ForeignTraceTest, SeveralDroppedFilesMayBeTheRanksOfOneRun) {
  drop({small_trace(QStringLiteral("r0.json")), small_trace(QStringLiteral("r1.json"))});
  answer("ranks");
  ASSERT_TRUE(loaded()) << window->messages()->text().toStdString();
  std::set<std::string> groups;
  for (const auto& track : window->document().capture().tracks()) groups.insert(track.group.substr(0, 6));
  EXPECT_TRUE(groups.contains("rank 0") && groups.contains("rank 1")) << *groups.begin();
  EXPECT_EQ(window->document().capture().activities().size(), 2u);
}

TEST_F(ForeignTraceTest, SeveralDroppedFilesMayBeRunsToCompare) {
  drop({small_trace(QStringLiteral("before.json")), small_trace(QStringLiteral("after.json"))});
  answer("runs");
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr && window->document().loaded(); }))
      << window->messages()->text().toStdString();
  EXPECT_TRUE(window->document().path().endsWith(QStringLiteral("after.tide")))
      << "the last is compared with the first";
  EXPECT_EQ(window->document().reference()->capture->run().workload, "before.json");
  EXPECT_EQ(window->current_view(), window->view(QStringLiteral("compare")));
}

TEST_F(ForeignTraceTest, ARefusedOneEndsTheComparisonAndIsSaid) {
  const QString broken = folder.filePath(QStringLiteral("broken.json"));
  std::ofstream(broken.toStdString()) << R"({"traceEvents":[]})";
  window->import_to_compare({broken, small_trace(QStringLiteral("after.json"))});
  ASSERT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty() && !window->recorder().running(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("broken.json")));
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("after.tide"))));
}

TEST_F(ForeignTraceTest, TheSelectedRangeIsExportedAlone) {
  window->open(kTrace);
  ASSERT_TRUE(loaded()) << window->messages()->text().toStdString();
  const auto spans_in = [&](bool range_only) {
    const QString file = folder.filePath(QStringLiteral("part.json"));
    QFile::remove(file);
    window->export_trace(file, range_only);
    EXPECT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty(); }));
    EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("part.json")))
        << window->messages()->text().toStdString();
    QFile text(file);
    EXPECT_TRUE(text.open(QIODevice::ReadOnly));
    return text.readAll().count("\"ph\": \"X\"");
  };
  const auto& capture = window->document().capture();
  const int64_t begin = capture.begin_ns(), span = capture.end_ns() - begin;
  window->document().selection().select_range({begin + span / 3, begin + span / 2});
  const auto all = spans_in(false), part = spans_in(true);
  EXPECT_GT(part, 0);
  EXPECT_LT(part, all / 2);
}

TEST_F(ForeignTraceTest, CancelEndsAnImportAndLeavesNothing) {
  const QString file = folder.filePath(QStringLiteral("long.json"));
  {
    std::ofstream out(file.toStdString());
    out << "[";
    for (int i = 0; i < 400'000; ++i)
      out << R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":)" << i << R"(,"dur":1,"pid":1,"tid":1},)";
    out << "{}]";
  }
  window->open(file);
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  window->cancel_run();
  ASSERT_TRUE(wait_for([&] { return !window->recorder().running() && !window->messages()->text().isEmpty(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("nothing was imported")))
      << window->messages()->text().toStdString();
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("long.tide"))));
}

TEST_F(ForeignTraceTest, ARefusedTraceIsSaidAndNothingIsLeft) {
  const QString file = folder.filePath(QStringLiteral("broken.json"));
  std::ofstream(file.toStdString()) << R"({"traceEvents":[]})";
  window->open(file);
  ASSERT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("broken.json")))
      << window->messages()->text().toStdString();
  EXPECT_FALSE(window->document().loaded());
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("broken.tide"))));
}

TEST_F(ForeignTraceTest, APictureNeedsNoImportBefore) {
  CommandLine line;
  line.screenshot = QStringLiteral("timeline");
  line.output = folder.filePath(QStringLiteral("t.png"));
  line.files = {kTrace};
  line.size = {900, 500};
  const auto done = take_screenshot(line);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(QImage(line.output).width(), 900);
}

}  // namespace
}  // namespace app::gui
