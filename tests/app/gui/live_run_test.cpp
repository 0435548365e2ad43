// SPDX-License-Identifier: GPL-3.0-or-later
// The start page and the page of a run in progress, as a user meets them: examples open, a run shows its steps and its
// loss, it is cancelled in the middle of the window, and what is refused is readable.
#include "app/gui/live_run.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "app/gui/setup_panel.h"
#include "app/gui/start_contents.h"
#include "tests/app/gui/window_test.h"
#include "views/base/paint.h"
#include "views/start/start_card.h"
#include "views/start/start_page.h"

namespace app::gui {
namespace {

class LiveRunTest : public WindowTest {
 protected:
  /// A stand-in that tells of a training and goes on until it is cancelled.
  QString trainer() {
    return write_script(
        folder, QStringLiteral("trainer"),
        QStringLiteral("trap 'cp \"%1\" \"$OUT\"; exit 0' INT\n"
                       "exec 1>&2\n"
                       "echo '{\"stage\":\"preparing\",\"fraction\":0.03,\"planned\":{\"ops\":9,\"flops\":2e9,"
                       "\"operand_bytes\":4e8,\"memory_bytes\":1e9}}'\n"
                       "echo '{\"stage\":\"warming up\",\"fraction\":0.05,\"last_step_ns\":3e7,"
                       "\"recent\":{\"steps\":1,\"shortest_ns\":3e7,\"longest_ns\":3e7},\"loss\":2.5}'\n"
                       "echo '{\"stage\":\"recording\",\"step\":4,\"steps\":20,\"fraction\":0.4,\"last_step_ns\":2e7,"
                       "\"recent\":{\"steps\":4,\"shortest_ns\":1.9e7,\"longest_ns\":2.2e7},\"loss\":2.25}'\n"
                       "while :; do sleep 0.05; done\n")
            .arg(save_sample(folder, QStringLiteral("kept.tide"))));
  }
  views::RunPage* page() { return find<views::RunPage>("run_page"); }
  QString text(const char* label) { return find<QLabel>(label)->text(); }
};

TEST_F(LiveRunTest, ARunShowsItsStepsItsLossAndItsBytesInTheMiddleAndIsCancelledThere) {
  const Environment cli("TENSORTIDE_CLI", trainer());
  QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return page()->history().steps() == 5; }));
  EXPECT_TRUE(page()->isVisible());
  EXPECT_FALSE(find<views::StartPage>()->isVisible());
  EXPECT_EQ(text("run_page.stage"), QStringLiteral("Recording: step 4 of 20"));
  EXPECT_EQ(text("run_page.time"), views::quantity(2e7, profiler::Quantity::duration_ns));
  EXPECT_EQ(text("run_page.measured"), QStringLiteral("4 of 20"));
  EXPECT_EQ(text("run_page.loss"), QStringLiteral("2.25"));
  EXPECT_EQ(text("run_page.rate"), views::quantity(1e11, profiler::Quantity::flop_per_s));
  EXPECT_TRUE(text("run_page.bytes").contains(views::quantity(2e10, profiler::Quantity::bytes_per_s)))
      << text("run_page.bytes").toStdString();
  EXPECT_EQ(page()->history().parts(), (std::vector<QString>{"Warming up", "Recording"}));
  auto* cancel = find<QPushButton>("run_page.cancel");
  QTest::mouseClick(cancel, Qt::LeftButton);
  EXPECT_FALSE(cancel->isEnabled()) << "one click is enough";
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); })) << window->messages()->text().toStdString();
  EXPECT_FALSE(page()->isVisible());
  EXPECT_TRUE(window->current_view()->isVisible());
}

TEST_F(LiveRunTest, WhatIsOnTheTableStaysAndTheRunIsOneClickAway) {
  const Environment cli("TENSORTIDE_CLI", trainer());
  open(save(QStringLiteral("sample.tide")));
  find<QAction>("action.run_again")->trigger();
  ASSERT_TRUE(wait_for([&] { return page()->history().steps() == 5; }));
  EXPECT_TRUE(window->current_view()->isVisible());
  window->set_mode(Mode::record);
  EXPECT_TRUE(page()->isVisible());
  window->set_mode(Mode::analyse);
  EXPECT_FALSE(page()->isVisible());
  window->cancel_run();
  ASSERT_TRUE(wait_for([&] { return !window->recorder().running(); }));
}

TEST_F(LiveRunTest, ANewRunBeginsWithNothingOfTheLast) {
  const Environment cli("TENSORTIDE_CLI", trainer());
  QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return page()->history().steps() == 5; }));
  window->cancel_run();
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }));
  window->close_capture();
  const Environment quiet("TENSORTIDE_CLI",
                          write_script(folder, QStringLiteral("quiet"), QStringLiteral("exec sleep 20\n")));
  QTest::mouseClick(find<QPushButton>("run.gemm"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  EXPECT_EQ(page()->history().steps(), 0);
  EXPECT_TRUE(page()->figures().isEmpty()) << page()->figures().toStdString();
  window->cancel_run();
  ASSERT_TRUE(wait_for([&] { return !window->recorder().running(); }));
  EXPECT_TRUE(find<views::StartPage>()->isVisible()) << "there is no capture of it";
}

TEST_F(LiveRunTest, TheRealProgramTellsItsStepsAndItsLoss) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  int steps = 0, losses = 0;
  bool planned = false;
  QObject::connect(&window->recorder(), &RecorderProcess::progressed, window.get(), [&](const RunProgress& p) {
    const views::RunNews news = run_news(p);
    steps += news.steps.steps;
    losses += std::isnan(news.steps.loss) ? 0 : 1;
    planned = planned || (news.needs && news.needs->flops > 0);
  });
  QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->document().loaded(); }, 60000)) << window->messages()->text().toStdString();
  EXPECT_EQ(steps, static_cast<int>(window->document().capture().steps().size()));
  EXPECT_GT(losses, 0);
  EXPECT_TRUE(planned);
}

TEST_F(LiveRunTest, WhatTheProgramRefusesIsASentenceInTheWindow) {
  for (const char* said : {R"({"error":{"message":"[--batch] it must be positive","kind":"usage"}})",
                           "tensortide: [--batch] it must be positive (see `tensortide run --help`)"}) {
    const Environment cli("TENSORTIDE_CLI",
                          write_script(folder, QStringLiteral("refuse"),
                                       QStringLiteral("echo '%1' >&2\nexit 2\n").arg(QString::fromLatin1(said))));
    window->messages()->dismiss();
    QTest::mouseClick(find<QPushButton>("run.mlp"), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible() && !window->recorder().running(); })) << said;
    EXPECT_EQ(window->messages()->text(), QStringLiteral("[--batch] it must be positive"));
  }
}

TEST_F(LiveRunTest, TheRoofsAreMeasuredFromTheStartPage) {
  const QString words = folder.filePath(QStringLiteral("words"));
  const Environment cli(
      "TENSORTIDE_CLI",
      write_script(folder, QStringLiteral("probe"),
                   QStringLiteral("printf '%s ' \"$@\" > '%1'\n"
                                  "echo '{\"stage\":\"measuring DRAM\",\"fraction\":0.5}' >&2\nsleep 0.2\n")
                       .arg(words)));
  bool shown = false;
  QObject::connect(&window->recorder(), &RecorderProcess::progressed, window.get(),
                   [&] { shown = shown || page()->isVisible(); });
  QTest::mouseClick(find<QPushButton>("start.probe"), Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return window->messages()->isVisible(); }));
  EXPECT_TRUE(shown);
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("were measured")))
      << window->messages()->text().toStdString();
  EXPECT_TRUE(find<views::StartPage>()->isVisible());
  QFile file(words);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), QByteArray("probe --again --progress json "));
}

TEST_F(LiveRunTest, TheThreeExamplesOpen) {
  const auto examples = example_files();
  ASSERT_EQ(examples.size(), 3U) << examples_folder().toStdString();
  for (size_t i = 0; i < examples.size(); ++i) {
    window->close_capture();
    QTest::mouseClick(find<QPushButton>(("start.example." + std::to_string(i)).c_str()), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return window->document().loaded(); })) << window->messages()->text().toStdString();
    const profiler::RunInfo& run = window->document().capture().run();
    for (const std::string& words : {run.command, run.workload})
      EXPECT_EQ(words.find('/'), std::string::npos) << words << ": of the machine it was made on";
    EXPECT_EQ(window->document().sweep() != nullptr, i == 2);
    EXPECT_EQ(run.source.empty(), i != 1);
  }
}

TEST_F(LiveRunTest, RecentFilesSayWhatTheyAreAndStayInGreyWhenTheyAreGone) {
  const QString one = save(QStringLiteral("one.tide")), two = save(QStringLiteral("two.tide"));
  open(one);
  open(two);
  QFile::remove(one);
  window = std::make_unique<MainWindow>();
  window->show();
  auto files = recent_files(Settings(), QDateTime::currentDateTime());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(files[0].there);
  EXPECT_FALSE(files[1].there);
  EXPECT_TRUE(files[1].title.contains(QStringLiteral("batch 16"))) << files[1].title.toStdString();
  EXPECT_TRUE(files[0].detail.contains(QStringLiteral("today"))) << files[0].detail.toStdString();
  EXPECT_FALSE(find<QPushButton>("start.recent.1")->isEnabled());
  EXPECT_TRUE(find<QPushButton>("start.recent.0")->isEnabled());
  open(two);
  EXPECT_EQ(recent_files(Settings(), QDateTime::currentDateTime()).size(), 2U) << "it is not forgotten by that";
}

TEST_F(LiveRunTest, TheStartPageFitsSmallScreensAndSaysNoOptions) {
  for (const QSize size : {QSize(960, 540), QSize(1280, 720), QSize(1920, 1080)}) {
    window->resize(size);
    QTest::qWait(30);
    EXPECT_EQ(window->size(), size);
    const auto* start = find<views::StartPage>();
    for (const auto* card : start->findChildren<views::WorkloadCard*>()) {
      if (!card->isVisible()) continue;
      const QRect at(card->mapTo(start, QPoint()), card->size());
      EXPECT_TRUE(start->rect().contains(at)) << card->objectName().toStdString() << " at " << size.width();
    }
    const auto* machine = find<QLabel>("start.machine");
    EXPECT_TRUE(start->rect().contains(QRect(machine->mapTo(start, QPoint()), machine->size())));
  }
  for (const views::StartCard& card : start_cards()) {
    for (const QString& words : {card.title, card.lesson, card.summary}) {
      EXPECT_FALSE(words.contains(QStringLiteral("--"))) << words.toStdString();
      EXPECT_FALSE(words.contains(QLatin1Char('`'))) << words.toStdString();
    }
    EXPECT_FALSE(card.lesson.isEmpty()) << card.key.toStdString();
  }
}

TEST(WhenText, DaysNearAreSaidInWords) {
  const QDateTime now(QDate(2026, 11, 23), QTime(9, 5));
  EXPECT_EQ(when_text(now.addSecs(-60), now), QStringLiteral("today 09:04"));
  EXPECT_EQ(when_text(now.addSecs(-10 * 3600), now), QStringLiteral("yesterday 23:05"));
  EXPECT_EQ(when_text(now.addDays(-9), now), QStringLiteral("14 Nov"));
  EXPECT_EQ(when_text(now.addDays(-400), now), QStringLiteral("19 Oct 2025"));
}

}  // namespace
}  // namespace app::gui
