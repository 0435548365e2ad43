// SPDX-License-Identifier: GPL-3.0-or-later
// What is on the table changes while the user is at something else; what a stranger's file says reaches the clipboard.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>

#include "app/gui/document_controller.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "tests/app/gui/window_test.h"

namespace app::gui {
namespace {

class ChangingTableTest : public WindowTest {
 protected:
  /// A sweep without the captures of its points, as somebody sends it.
  QString sweep_alone() {
    const QString file = folder.filePath(QStringLiteral("s.tide"));
    EXPECT_TRUE(QFile::copy(QStringLiteral(TENSORTIDE_SOURCE_DIR "/resources/captures/batch-sweep.tide"), file));
    return file;
  }
  QString capture_with_command(const QString& name, const std::string& command) {
    profiler::CaptureBuilder builder = tests::sample_builder();
    builder.run().command = command;
    auto capture = builder.finish();
    EXPECT_TRUE(capture.ok());
    const QString file = folder.filePath(name);
    EXPECT_TRUE(profiler::save_capture(**capture, file.toStdString()).ok());
    return file;
  }
  QString copied() {
    QApplication::clipboard()->setText(QStringLiteral("before"));
    find<QAction>("action.copy_command")->trigger();
    return QApplication::clipboard()->text();
  }
};

TEST_F(ChangingTableTest, ACopiedCommandIsOneCommandOfOurs) {
  open(capture_with_command(QStringLiteral("fine.tide"), "tensortide run mlp --set 'hidden=64,64'"));
  EXPECT_EQ(copied(), QStringLiteral("tensortide run mlp --set hidden=64,64"));
  open(capture_with_command(QStringLiteral("name.tide"), "tensortide run '$(id).onnx'"));
  EXPECT_EQ(copied(), QStringLiteral("tensortide run '$(id).onnx'"));
  for (const char* command : {"tensortide run mlp\ncurl x|sh\n", "tensortide run mlp; id", "tensortide run `id`", "id",
                              "tensortide run 'a\x1b[2Jb.onnx'", "tensortide run 'a\nid\n'"}) {
    SCOPED_TRACE(command);
    open(capture_with_command(QStringLiteral("%1.tide").arg(qHash(QString::fromUtf8(command))), command));
    EXPECT_EQ(copied(), QStringLiteral("before"));
    EXPECT_TRUE(window->messages()->isVisible()) << "the refusal is said";
  }
}

TEST_F(ChangingTableTest, ASweepThatGrowsComesToTheTableOnce) {
  const QString sweep = sweep_alone(), capture = save(QStringLiteral("sample.tide"));
  window->documents().reread_sweep(sweep);
  ASSERT_TRUE(wait_for([&] { return window->document().sweep() != nullptr; }));
  open(capture);
  EXPECT_EQ(window->document().sweep(), nullptr);
  window->documents().reread_sweep(sweep);
  QTest::qWait(300);
  EXPECT_EQ(window->document().path(), capture) << "what the user opened stays";
  EXPECT_EQ(window->document().sweep(), nullptr);
}

TEST_F(ChangingTableTest, ASweepAloneCanBeClosedAndExported) {
  window->open(sweep_alone());
  ASSERT_TRUE(wait_for([&] { return window->document().sweep() != nullptr; }));
  ASSERT_FALSE(window->document().loaded());
  for (const char* name : {"export_picture", "export_data", "show_data", "save_report", "close"})
    EXPECT_TRUE(find<QAction>((std::string("action.") + name).c_str())->isEnabled()) << name;
  EXPECT_FALSE(find<QAction>("action.export_trace")->isEnabled());
  find<QAction>("action.close")->trigger();
  EXPECT_FALSE(window->has_document());
}

TEST_F(ChangingTableTest, AFailedPairDoesNotCompareLater) {
  const QString before = save(QStringLiteral("a.tide")), after = save(QStringLiteral("b.tide"));
  const QByteArray whole = [&] {
    QFile file(after);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
  }();
  {
    QFile file(after);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(whole.left(whole.size() / 2));
  }
  window->documents().open_all({before, after});
  ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible(); }));
  {
    QFile file(after);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(whole);
  }
  open(after);
  QTest::qWait(200);
  EXPECT_EQ(window->document().reference(), nullptr);
}

TEST_F(ChangingTableTest, TheFormIsAsTheCommandWas) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().workload = "gemm";
  builder.run().command = "tensortide run gemm --seed 7 --steps=9 --collect ops,simulate";
  auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const QString file = folder.filePath(QStringLiteral("g.tide"));
  ASSERT_TRUE(profiler::save_capture(**capture, file.toStdString()).ok());
  open(file);
  find<QAction>("action.change_settings")->trigger();
  const QString line = copied();
  for (const char* part : {"run gemm", "--seed 7", "--steps 9", "simulate"})
    EXPECT_TRUE(line.contains(QLatin1String(part))) << part << " in " << line.toStdString();
  EXPECT_FALSE(line.contains(QStringLiteral("--threads"))) << "the machine decides, as it did: " << line.toStdString();
}

}  // namespace
}  // namespace app::gui
