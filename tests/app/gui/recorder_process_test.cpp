// SPDX-License-Identifier: GPL-3.0-or-later
// The child process: progress lines, success, refusal, crash, cancel; with the real program and
// with stand-ins that misbehave.
#include "app/gui/recorder_process.h"

#include <gtest/gtest.h>

#include <QFileInfo>
#include <optional>

#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

class RecorderProcessTest : public ::testing::Test {
 protected:
  RunOutcome run(const QString& program, const QStringList& arguments,
                 const std::function<void(RecorderProcess&)>& on_progress = {}) {
    const Environment cli("TENSORTIDE_CLI", program);
    RecorderProcess recorder;
    std::optional<RunOutcome> outcome;
    int outcomes = 0;
    QObject::connect(&recorder, &RecorderProcess::finished, &recorder, [&](const RunOutcome& o) {
      outcome = o;
      ++outcomes;
    });
    QObject::connect(&recorder, &RecorderProcess::progressed, &recorder, [&](const RunProgress& p) {
      progress.push_back(p);
      if (on_progress) on_progress(recorder);
    });
    recorder.start(QStringLiteral("run"), arguments, folder.filePath(QStringLiteral("out.tide")));
    EXPECT_TRUE(wait_for([&] { return outcome.has_value(); }));
    QTest::qWait(20);
    EXPECT_EQ(outcomes, 1) << "told once";
    EXPECT_FALSE(recorder.running());
    return outcome.value_or(RunOutcome{});
  }
  QTemporaryDir folder;
  std::vector<RunProgress> progress;
};

TEST_F(RecorderProcessTest, RunsTheRealProgram) {
  const RunOutcome o =
      run(real_program(folder), {QStringLiteral("stream"), QStringLiteral("--set"), QStringLiteral("n=65536"),
                                 QStringLiteral("--steps"), QStringLiteral("6")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::done) << o.message.toStdString();
  EXPECT_TRUE(o.message.isEmpty());
  const auto capture = profiler::open_capture(o.file.toStdString());
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_EQ((*capture)->run().workload, "stream");
  ASSERT_FALSE(progress.empty());
  EXPECT_GT(progress.back().step, 0);
}

TEST_F(RecorderProcessTest, ARefusalIsTold) {
  const RunOutcome o = run(real_program(folder), {QStringLiteral("resnet51")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::refused);
  EXPECT_TRUE(o.file.isEmpty());
  EXPECT_TRUE(o.message.contains(QStringLiteral("resnet50"))) << o.message.toStdString();
}

TEST_F(RecorderProcessTest, CancelKeepsWhatWasRecorded) {
  const RunOutcome o = run(real_program(folder),
                           {QStringLiteral("stream"), QStringLiteral("--set"), QStringLiteral("n=1048576"),
                            QStringLiteral("--steps"), QStringLiteral("1000000")},
                           [&](RecorderProcess& r) {
                             if (progress.back().stage == QStringLiteral("recording") && progress.back().step > 3)
                               r.cancel();
                           });
  EXPECT_EQ(o.kind, RunOutcome::Kind::cancelled);
  const auto capture = profiler::open_capture(o.file.toStdString());
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_FALSE((*capture)->run().complete);
  EXPECT_FALSE((*capture)->steps().empty());
}

TEST_F(RecorderProcessTest, ARunCancelledByClosingTheWindowIsSignalledOnce) {
  // As the real program does: the first SIGINT asks it to finish, a second one would end it.
  const QString program =
      write_script(folder, QStringLiteral("slow"),
                   QStringLiteral("trap 'trap - INT; sleep 0.4; echo finished > \"$OUT\"; exit 0' INT\n"
                                  "echo '{\"stage\":\"recording\"}' >&2\n"
                                  "while :; do sleep 0.05; done\n"));
  const Environment cli("TENSORTIDE_CLI", program);
  const QString output = folder.filePath(QStringLiteral("out.tide"));
  {
    RecorderProcess recorder;
    bool started = false;
    QObject::connect(&recorder, &RecorderProcess::progressed, &recorder, [&] { started = true; });
    recorder.start(QStringLiteral("run"), {QStringLiteral("gemm")}, output);
    ASSERT_TRUE(wait_for([&] { return started; }));
    recorder.cancel();
    QTest::qWait(150);
  }
  EXPECT_GT(QFileInfo(output).size(), 0) << "it was not left time to write";
}

TEST_F(RecorderProcessTest, ACrashLeavesWhatWasWritten) {
  const QString sample = save_sample(folder);
  const QString program =
      write_script(folder, QStringLiteral("crash"),
                   QStringLiteral("cp '%1' \"$OUT\"\necho '{\"stage\":\"recording\",\"step\":2,\"fraction\":0.3}' "
                                  ">&2\necho 'bad things' >&2\nkill -SEGV $$\n")
                       .arg(sample));
  const RunOutcome o = run(program, {QStringLiteral("gemm")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::crashed);
  EXPECT_TRUE(QFileInfo::exists(o.file));
  EXPECT_TRUE(o.message.contains(QStringLiteral("bad things"))) << o.message.toStdString();
  EXPECT_EQ(progress.size(), 1u);
}

TEST_F(RecorderProcessTest, ACrashBeforeAnythingSaysSo) {
  const RunOutcome o =
      run(write_script(folder, QStringLiteral("crash"), QStringLiteral("kill -ABRT $$\n")), {QStringLiteral("gemm")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::crashed);
  EXPECT_TRUE(o.file.isEmpty());
}

TEST_F(RecorderProcessTest, AFailureWithoutJsonShowsItsText) {
  const RunOutcome o =
      run(write_script(folder, QStringLiteral("fail"), QStringLiteral("echo 'what I wanted to say' >&2\nexit 3\n")),
          {QStringLiteral("gemm")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::refused);
  EXPECT_EQ(o.message, QStringLiteral("what I wanted to say"));
}

TEST_F(RecorderProcessTest, GarbageOnTheChannelIsHarmless) {
  const QString sample = save_sample(folder);
  const QString program =
      write_script(folder, QStringLiteral("noise"),
                   QStringLiteral("head -c 3000000 /dev/zero >&2\necho >&2\necho '{\"stage\":' >&2\ncp '%1' "
                                  "\"$OUT\"\nprintf '{\"result\":{\"file\":\"%s\"}}' \"$OUT\" >&2\n")
                       .arg(sample));
  const RunOutcome o = run(program, {QStringLiteral("gemm")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::done) << o.message.toStdString();
  EXPECT_EQ(o.file, folder.filePath(QStringLiteral("out.tide"))) << "the last line needs no newline";
}

TEST_F(RecorderProcessTest, ATrialNamesItsSideWithoutOptions) {
  const QString line = QStringLiteral(R"(echo '{"stage":"%1","changed":%2,"fraction":0.1}' >&2)") + QLatin1Char('\n');
  run(write_script(folder, QStringLiteral("trial"),
                   line.arg(QStringLiteral("without the change"), QStringLiteral("false")) +
                       line.arg(QStringLiteral("with --batch 8"), QStringLiteral("true")) +
                       line.arg(QStringLiteral("recording"), QStringLiteral("null"))),
      {QStringLiteral("a.tide")});
  ASSERT_EQ(progress.size(), 3u);
  EXPECT_EQ(progress[0].stage, QStringLiteral("without the change"));
  EXPECT_EQ(progress[1].stage, QStringLiteral("with the change"));
  EXPECT_EQ(progress[2].stage, QStringLiteral("recording"));
}

TEST_F(RecorderProcessTest, AProgramThatCannotStartIsTold) {
  const RunOutcome o = run(folder.filePath(QStringLiteral("not-there")), {QStringLiteral("gemm")});
  EXPECT_EQ(o.kind, RunOutcome::Kind::refused);
  EXPECT_TRUE(o.message.contains(QStringLiteral("not-there"))) << o.message.toStdString();
}

}  // namespace
}  // namespace app::gui
