// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of other tools opened in the window: by the menu's way, dropped, several as ranks, as a picture.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QImage>
#include <QMimeData>
#include <fstream>

#include "app/gui/command_line.h"
#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/settings.h"
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
    std::ofstream(file.toStdString()) << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5,"dur":9,"pid":1,"tid":1}]})";
    return file;
  }
  void drop(const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);  // makes the window the target
    QCoreApplication::sendEvent(window.get(), &enter);
    QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.get(), &event);
  }
  bool loaded() { return wait_for([&] { return window->document().loaded(); }); }

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
}

TEST_F(ForeignTraceTest, SeveralDroppedFilesAreTheRanksOfOneRun) {
  drop({small_trace(QStringLiteral("r0.json")), small_trace(QStringLiteral("r1.json"))});
  ASSERT_TRUE(loaded()) << window->messages()->text().toStdString();
  std::set<std::string> groups;
  for (const auto& track : window->document().capture().tracks()) groups.insert(track.group.substr(0, 6));
  EXPECT_TRUE(groups.contains("rank 0") && groups.contains("rank 1")) << *groups.begin();
  EXPECT_EQ(window->document().capture().activities().size(), 2u);
}

TEST_F(ForeignTraceTest, ARefusedTraceIsSaidAndNothingIsLeft) {
  const QString file = folder.filePath(QStringLiteral("broken.json"));
  std::ofstream(file.toStdString()) << R"({"traceEvents":[]})";
  window->open(file);
  ASSERT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("broken.json"))) << window->messages()->text().toStdString();
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
