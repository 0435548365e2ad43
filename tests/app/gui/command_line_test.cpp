// SPDX-License-Identifier: GPL-3.0-or-later
// The window's command line and screenshot mode, as the program itself.
#include "app/gui/command_line.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <filesystem>

#include "app/gui/command_palette.h"
#include "app/gui/recorder_process.h"
#include "profiler/store/capture_file.h"
#include "tests/app/gui/gui_test_support.h"
#include "tests/support/sample_capture.h"
#include "views/base/file_name.h"
#include "views/base/view.h"

namespace app::gui {
namespace {

std::string message(const QStringList& arguments) {
  const auto line = parse_command_line(arguments);
  return line.ok() ? "" : line.error().message;
}

struct Ended {
  int code;
  QString error;
};

Ended start(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(QLatin1String(name));
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(TENSORTIDE_BINARY_DIR "/bin/tensortide-gui"), arguments);
  EXPECT_TRUE(process.waitForFinished(60000));
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

TEST(CommandLineTest, ReadsFilesAndOptions) {
  const auto line =
      parse_command_line({"--screenshot", "timeline", "-o", "a.png", "--size=800x600", "--theme", "dark", "x.tide"});
  ASSERT_TRUE(line.ok()) << line.error().message;
  EXPECT_EQ(line->screenshot, QStringLiteral("timeline"));
  EXPECT_EQ(line->size, QSize(800, 600));
  EXPECT_EQ(line->files, QStringList{"x.tide"});
  EXPECT_EQ(parse_command_line({"a.tide", "b.tide"})->files.size(), 2);
}

TEST(CommandLineTest, RefusesWithTheNearestName) {
  EXPECT_NE(message({"--screenshot", "timelin", "-o", "a.png", "x"}).find("did you mean \"timeline\""),
            std::string::npos);
  EXPECT_NE(message({"--screnshot", "timeline"}).find("--screenshot"), std::string::npos);
  EXPECT_NE(message({"--size", "12", "x"}).find("1280x720"), std::string::npos);
  EXPECT_NE(message({"--size", "9x9", "x"}).find("out of range"), std::string::npos);
  EXPECT_NE(message({"--screenshot", "timeline", "x"}).find("-o"), std::string::npos);
  EXPECT_NE(message({"--screenshot", "timeline", "-o", "a.png"}).find("exactly one"), std::string::npos);
  EXPECT_NE(message({"--screenshot", "window", "-o", "a.png", "--theme", "blue", "x"}).find("blue"), std::string::npos);
  EXPECT_NE(message({"--size"}).find("Missing value after '--size'"), std::string::npos);
  EXPECT_NE(message({"--report=yes", "x"}).find("--report"), std::string::npos);
  EXPECT_NE(message({"-q", "x"}).find("\"-q\""), std::string::npos);
  EXPECT_EQ(parse_command_line({"--", "--odd.tide"})->files, QStringList{"--odd.tide"});
}

TEST(CommandLineTest, HelpNamesEveryView) {
  for (const auto& entry : views::view_catalog())
    EXPECT_TRUE(command_line_help().contains(entry.key)) << entry.key.toStdString();
  for (const QString& line : command_line_help().split(QLatin1Char('\n')))
    EXPECT_LE(line.size(), 100) << line.toStdString();
}

TEST(CommandLineTest, DrawsWithoutADisplay) {
  const QTemporaryDir folder;
  const QString sample = save_sample(folder), png = folder.filePath(QStringLiteral("a.png"));
  const Ended view = start({"--screenshot", "timeline", "-o", png, "--size", "800x500", sample});
  EXPECT_EQ(view.code, 0) << view.error.toStdString();
  EXPECT_EQ(QImage(png).size(), QSize(800, 500));
  const Ended window = start(
      {"--screenshot", "window:timeline", "-o", png, "--theme", "dark", "--select", "features.relu1/relu", sample});
  EXPECT_EQ(window.code, 0) << window.error.toStdString();
  EXPECT_EQ(QImage(png).size(), QSize(1280, 720));
  EXPECT_LT(qGray(QImage(png).pixel(5, 300)), 100) << "dark";
}

TEST(CommandLineTest, DrawsToolsLessonsAndPages) {
  const QTemporaryDir folder;
  const QString sample = save_sample(folder), png = folder.filePath(QStringLiteral("a.png"));
  const QSize size(700, 400);
  for (const QStringList& words :
       {QStringList{"tool:tables:verdicts", sample}, QStringList{"tool:number:1.4"},
        QStringList{"tool:predict:sheets", sample}, QStringList{"lesson:pods"}, QStringList{"handbook:sweeps"}}) {
    const Ended ended = start(QStringList{"--size", "700x400", "-o", png, "--screenshot"} + words);
    EXPECT_EQ(ended.code, 0) << ended.error.toStdString();
    EXPECT_EQ(QImage(png).size(), size) << words.front().toStdString();
    QFile::remove(png);
  }
  EXPECT_NE(message({"--screenshot", "tool:predikt", "-o", png}).find("did you mean \"tool:predict\""),
            std::string::npos);
  EXPECT_EQ(start({"--screenshot", "tool:tables:nonsense", "-o", png, sample}).code, 2);
  EXPECT_EQ(start({"--screenshot", "tool:tables", "-o", png}).code, 3) << "it needs a capture";
  EXPECT_EQ(start({"--screenshot", "lesson:nonsense", "-o", png}).code, 2);
}

TEST(CommandLineTest, FilesOfAnyBytesAreReadAndWritten) {
  const QTemporaryDir folder;
  const std::filesystem::path place = folder.path().toStdString(), file = place / "caf\xe9.tide";
  ASSERT_TRUE(profiler::save_capture(*tests::sample_capture(), file).ok());
  const auto of = [&](const char* name) { return views::name_text((place / name).string()); };
  for (const char* name : {"r\xe9.html", "r\xe9.csv", "r.png"}) {
    QStringList words{QStringLiteral("-o"), of(name), views::name_text(file.string())};
    if (QString::fromLatin1(name).endsWith(QLatin1String("html"))) words.prepend(QStringLiteral("--report"));
    else words = QStringList{QStringLiteral("--screenshot"), QStringLiteral("ops")} + words;
    const Call call = byte_call(QStringLiteral(TENSORTIDE_BINARY_DIR "/bin/tensortide-gui"), words);
    EXPECT_EQ(call.program, QStringLiteral("/bin/sh"));
    QProcess process;
    process.start(call.program, call.words);
    ASSERT_TRUE(process.waitForFinished(60000));
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
    EXPECT_TRUE(views::file_exists(of(name))) << name;
  }
}

TEST(CommandLineTest, WordsReachAProgramByteForByte) {
  const QStringList words{QStringLiteral("%s|"), views::name_text("caf\xe9 'it\"s' $HOME\n"), QStringLiteral("100%"),
                          QString(), views::name_text("\xff\\0")};
  const Call call = byte_call(QStringLiteral("/usr/bin/printf"), words);
  QProcess process;
  process.start(call.program, call.words);
  ASSERT_TRUE(process.waitForFinished(60000));
  EXPECT_EQ(process.readAllStandardOutput(), QByteArray("caf\xe9 'it\"s' $HOME\n|100%||\xff\\0|"));
  EXPECT_EQ(byte_call(QStringLiteral("a"), {QStringLiteral("b")}).program, QStringLiteral("a"))
      << "as it is where Qt can";
}

TEST(CommandLineTest, ExitCodesTellWhoHasToAct) {
  const QTemporaryDir folder;
  const QString png = folder.filePath(QStringLiteral("a.png")), sample = save_sample(folder);
  QFile bad(folder.filePath(QStringLiteral("bad.tide")));
  ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
  bad.write("this is no capture");
  bad.close();
  const Ended refused = start({"--screenshot", "timeline", "-o", png, bad.fileName()});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(refused.error.contains(QStringLiteral("bad.tide"))) << refused.error.toStdString();
  EXPECT_FALSE(QFile::exists(png));
  EXPECT_EQ(start({"--screenshot", "timeline", "-o", png, folder.filePath(QStringLiteral("absent.tide"))}).code, 3);
  EXPECT_EQ(start({"--screenshot", "nothing", "-o", png, sample}).code, 2);
  EXPECT_EQ(start({"--screenshot", "timeline", "-o", png, "--select", "no such op", sample}).code, 2);
  EXPECT_EQ(start({"--screenshot", "timeline", "-o", QStringLiteral("/no/such/folder/a.png"), sample}).code, 3);
  EXPECT_EQ(start({sample}).code, 3) << "no display";
}

TEST(CommandLineTest, WhoWasCalledSpeaksOfTheCommandLineToo) {
  EXPECT_EQ(speaker({}), QStringLiteral("tensortide-gui"));
  EXPECT_EQ(speaker({"--report", "--speak-as=tensortide"}), QStringLiteral("tensortide"));
  const Ended name = start({"--report", "--speak-as", "tensortide", "-o", "r.txt", "a.tide"});
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(name.error.startsWith(QStringLiteral("tensortide: "))) << name.error.toStdString();
  const Ended option = start({"--reprt", "--speak-as", "tensortide"});
  EXPECT_EQ(option.code, 2);
  EXPECT_TRUE(option.error.startsWith(QStringLiteral("tensortide: "))) << option.error.toStdString();
  const Ended own = start({"--reprt"});
  EXPECT_TRUE(own.error.startsWith(QStringLiteral("tensortide-gui: "))) << own.error.toStdString();
}

TEST(CommandPaletteTest, ScoresByPlace) {
  EXPECT_GT(match_score(QStringLiteral("Export picture"), QStringLiteral("exp")),
            match_score(QStringLiteral("Export picture"), QStringLiteral("pic")));
  EXPECT_GT(match_score(QStringLiteral("Export picture"), QStringLiteral("pic")),
            match_score(QStringLiteral("Export picture"), QStringLiteral("epi")));
  EXPECT_LT(match_score(QStringLiteral("Export picture"), QStringLiteral("xyz")), 0);
}

}  // namespace
}  // namespace app::gui
