// SPDX-License-Identifier: GPL-3.0-or-later
// Recording and analysing: the form folds to a line while a capture is shown, runs are repeated from there, tabs stand
// in groups, and what cannot be pressed says why.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QStatusTipEvent>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

#include "app/gui/command_palette.h"
#include "app/gui/honesty_strip.h"
#include "app/gui/run_bar.h"
#include "app/gui/setup_panel.h"
#include "app/gui/tab_bar.h"
#include "tests/app/gui/window_test.h"
#include "tests/support/sample_sweep.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"

namespace app::gui {
namespace {

class ModesTest : public WindowTest {
 protected:
  void click(const char* button) { QTest::mouseClick(find<QToolButton>(button), Qt::LeftButton); }
  /// A stand-in for the program that writes its words to a file and sleeps.
  QString sleeper() {
    return write_script(folder, QStringLiteral("sleeper"),
                        QStringLiteral("printf '%s\\n' \"$@\" > '%1'\nexec sleep 30\n").arg(words_file()));
  }
  QString words_file() const { return folder.filePath(QStringLiteral("words")); }
  QStringList words() {
    QFile file(words_file());
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split(QLatin1Char('\n')) : QStringList();
  }
};

TEST_F(ModesTest, WhileACaptureIsShownTheFormIsOneLine) {
  EXPECT_TRUE(window->setup()->isVisible());
  EXPECT_FALSE(find<RunBar>()->isVisible()) << "there is nothing to go back to";
  open(save(QStringLiteral("sample.tide")));
  EXPECT_FALSE(window->setup()->isVisible());
  EXPECT_FALSE(window->runs()->isVisible());
  const auto* bar = find<RunBar>();
  EXPECT_TRUE(bar->isVisible());
  EXPECT_TRUE(bar->title().contains(QStringLiteral("batch 16"))) << bar->title().toStdString();
  EXPECT_LT(bar->height(), 40);
  EXPECT_EQ(window->current_view()->mapTo(window.get(), QPoint()).x(), 0) << "the width is the picture's";
  click("runbar.record");
  EXPECT_TRUE(window->setup()->isVisible());
  EXPECT_TRUE(window->runs()->isVisible());
  EXPECT_TRUE(find<views::StartPage>()->isVisible());
  EXPECT_TRUE(window->document().loaded()) << "nothing is lost";
  click("runbar.analyse");
  EXPECT_FALSE(window->setup()->isVisible());
  EXPECT_TRUE(window->current_view()->isVisible());
  QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier);
  EXPECT_TRUE(window->setup()->isVisible());
  QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_FALSE(window->setup()->isVisible());
  // A key of a view goes there from the form.
  QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier);
  QTest::keyClick(window.get(), Qt::Key_4, Qt::AltModifier);
  EXPECT_TRUE(window->current_view()->isVisible());
}

TEST_F(ModesTest, TheRunsComeAndStayWhenTheyAreAskedFor) {
  open(save(QStringLiteral("one.tide")));
  click("runbar.runs");
  EXPECT_TRUE(window->runs()->isVisible());
  open(save(QStringLiteral("two.tide")));
  EXPECT_TRUE(window->runs()->isVisible());
  click("runbar.record");
  click("runbar.analyse");
  EXPECT_TRUE(window->runs()->isVisible());
  QTest::keyClick(window.get(), Qt::Key_F8);
  EXPECT_FALSE(window->runs()->isVisible());
  open(save(QStringLiteral("three.tide")));
  EXPECT_FALSE(window->runs()->isVisible());
}

TEST_F(ModesTest, AModelNamedFromItsOwnFolderIsRunAgainFromAnother) {
  const QDir place(folder.path());
  ASSERT_TRUE(place.mkpath(QStringLiteral("models")) && place.mkpath(QStringLiteral("captures")));
  QFile network(place.filePath(QStringLiteral("models/net.json")));
  ASSERT_TRUE(network.open(QIODevice::WriteOnly));
  network.write(R"({"name": "mine", "input": [12], "batch": 4, "layers": [{"type": "linear", "units": 16}]})");
  network.close();
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  QProcess recorder;  // as in a terminal, beside the model
  recorder.setWorkingDirectory(place.filePath(QStringLiteral("models")));
  recorder.start(RecorderProcess::program(),
                 {QStringLiteral("run"), QStringLiteral("net.json"), QStringLiteral("--steps"), QStringLiteral("3"),
                  QStringLiteral("-o"), QStringLiteral("../captures/c.tide")});
  ASSERT_TRUE(recorder.waitForFinished(30000));
  ASSERT_EQ(recorder.exitCode(), 0) << recorder.readAllStandardError().toStdString();
  const QString first = place.filePath(QStringLiteral("captures/c.tide"));
  window->settings().set_captures_folder(folder.filePath(QStringLiteral("captures")));
  open(first);
  click("runbar.again");
  EXPECT_TRUE(wait_for([&] { return window->document().loaded() && window->document().path() != first; }))
      << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().capture().run().title, "mine");
  window->settings().set_captures_folder({});
}

TEST_F(ModesTest, RunAgainGivesTheRecordedCommand) {
  const Environment cli("TENSORTIDE_CLI", sleeper());
  open(save(QStringLiteral("sample.tide")));
  window->setup()->choose(QStringLiteral("gemm"));  // whatever the form says
  window->set_mode(Mode::analyse);
  click("runbar.again");
  ASSERT_TRUE(wait_for([&] { return words().size() > 6; }));
  EXPECT_EQ(words().mid(0, 4), (QStringList{"run", "tiny_net", "--batch", "16"}));
  EXPECT_TRUE(window->current_view()->isVisible()) << "the capture stays in sight";
  window->cancel_run();
}

TEST_F(ModesTest, WhatCannotBePressedWhileARunGoesOnSaysWhy) {
  const Environment cli("TENSORTIDE_CLI", sleeper());
  open(save(QStringLiteral("sample.tide")));
  const auto* attempt = find<views::SummaryStrip>()->try_button();
  ASSERT_TRUE(attempt->isEnabled());
  auto* cancel = find<QToolButton>("runbar.cancel");
  EXPECT_FALSE(cancel->isVisible());
  click("runbar.again");
  ASSERT_TRUE(wait_for([&] { return window->recorder().running(); }));
  EXPECT_TRUE(cancel->isVisible() && cancel->isEnabled());
  for (const char* name : {"run", "run_again", "sweep", "export_trace"}) {
    const auto* action = find<QAction>((std::string("action.") + name).c_str());
    EXPECT_FALSE(action->isEnabled()) << name;
    EXPECT_TRUE(action->toolTip().contains(QStringLiteral("run goes on"))) << action->toolTip().toStdString();
  }
  EXPECT_FALSE(attempt->isEnabled());
  EXPECT_TRUE(attempt->toolTip().contains(QStringLiteral("run goes on")));
  QTest::mouseClick(cancel, Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return !window->run_control().running(); }));
  EXPECT_TRUE(attempt->isEnabled());
  EXPECT_FALSE(cancel->isVisible());
  EXPECT_TRUE(find<QAction>("action.run_again")->isEnabled());
}

TEST_F(ModesTest, EveryCommandThatIsOffSaysWhy) {
  int off = 0;
  for (const QAction* action : window->findChildren<QAction*>()) {
    if (!action->objectName().startsWith(QStringLiteral("action.")) || action->isEnabled()) continue;
    EXPECT_TRUE(action->toolTip().endsWith(QLatin1Char('.')))
        << action->objectName().toStdString() << ": " << action->toolTip().toStdString();
    ++off;
  }
  EXPECT_GT(off, 10) << "nothing is open";
}

TEST_F(ModesTest, AButtonUnderThePointerLeavesTheFootAlone) {
  open(save(QStringLiteral("sample.tide")));
  auto* foot = find<HonestyStrip>();
  ASSERT_TRUE(foot->isVisible());
  for (auto* button : find<RunBar>()->findChildren<QToolButton*>()) {
    QStatusTipEvent over(button->statusTip());
    QApplication::sendEvent(button, &over);
    EXPECT_TRUE(foot->isVisible()) << button->objectName().toStdString();
  }
}

TEST_F(ModesTest, TabsStandInNamedGroups) {
  open(save(QStringLiteral("sample.tide")));
  const auto* bar = find<GroupedTabBar>();
  const auto catalog = views::view_catalog();
  std::vector<QRect> captions;
  std::vector<QString> seen;
  for (int tab = 0; tab < bar->count(); ++tab) {
    const auto& entry = catalog[static_cast<size_t>(tab)];
    EXPECT_EQ(bar->group(tab), views::title(entry.group)) << entry.key.toStdString();
    if (const QRect at = bar->caption_rect(tab); !at.isEmpty()) {
      captions.push_back(at);
      seen.push_back(bar->group(tab));
    }
  }
  EXPECT_EQ(seen, (std::vector<QString>{"Answer", "Explore", "Relate"})) << "each once, in this order";
  for (size_t i = 1; i < captions.size(); ++i) EXPECT_GT(captions[i].left(), captions[i - 1].right());
  // Of a group whose first tab is hidden the next one carries the name.
  auto* tabs = find<QTabWidget>("tabs");
  tabs->setTabVisible(0, false);
  EXPECT_FALSE(bar->caption_rect(1).isEmpty());
  tabs->setTabVisible(1, false);
  tabs->setTabVisible(2, false);
  EXPECT_FALSE(bar->caption_rect(3).isEmpty());
  EXPECT_EQ(bar->group(3), QStringLiteral("Explore"));
}

TEST_F(ModesTest, NoRoomOfTheTabsIsKeptForAButtonThatIsNotThere) {
  window->resize(960, 540);
  open(save(QStringLiteral("sample.tide")));
  window->show_sweep(tests::sample_sweep(true), QStringLiteral("/nowhere/sweep.tide"));
  window->document().set_reference(window->document().shared(), QStringLiteral("/nowhere/other.tide"));
  QCoreApplication::processEvents();
  auto* tabs = find<QTabWidget>("tabs");
  EXPECT_EQ(tabs->cornerWidget(Qt::TopRightCorner), nullptr);
  const QTabBar* bar = tabs->tabBar();
  EXPECT_GE(bar->width(), tabs->width() - 2) << "the bar has all the width";
}

TEST_F(ModesTest, NoButtonSaysAnOptionOfTheCommandLine) {
  open(save(QStringLiteral("sample.tide")));
  int buttons = 0;
  const auto look = [&] {
    for (const QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
      EXPECT_FALSE(button->text().contains(QStringLiteral("--"))) << button->text().toStdString();
      buttons += button->text().isEmpty() ? 0 : 1;
    }
  };
  for (const auto& entry : views::view_catalog()) {
    window->show_view(entry.key);
    QCoreApplication::processEvents();
    look();
  }
  window->set_mode(Mode::record);
  look();
  EXPECT_GT(buttons, 50);
}

TEST_F(ModesTest, ThePaletteFindsWorkloadsCapturesAndOps) {
  open(save(QStringLiteral("sample.tide")));
  auto* palette = find<CommandPalette>();
  const auto type = [&](const char* text) {
    find<QAction>("action.palette")->trigger();
    QTest::keyClicks(palette->findChild<QLineEdit*>(), QString::fromLatin1(text));
    return palette->findChild<QListWidget*>();
  };
  const auto press = [&] { QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return); };
  EXPECT_EQ(type("relu1/relu")->item(0)->text(), QStringLiteral("Op: features.relu1/relu"));
  press();
  EXPECT_EQ(window->document().selection().state().op, tests::SampleOps::relu);
  EXPECT_EQ(type("latency ladder")->item(0)->text(), QStringLiteral("Workload: Latency ladder"));
  press();
  EXPECT_EQ(window->mode(), Mode::record);
  EXPECT_TRUE(type("batch 16")->item(0)->text().startsWith(QStringLiteral("Capture: ")));
  press();
  EXPECT_EQ(window->mode(), Mode::analyse);
  const QListWidget* none = type("no such thing");
  ASSERT_EQ(none->count(), 1);
  EXPECT_FALSE(none->item(0)->flags() & Qt::ItemIsEnabled);
  press();
  EXPECT_TRUE(palette->isVisible()) << "nothing to run";
}

TEST_F(ModesTest, WhereASentenceSendsOneInsteadOfToACommandIsAMenuEntry) {
  for (const char* command : {"`tensortide probe`", "`tensortide probe --again`", "`tensortide doctor`"}) {
    const QString words = views::quoted_commands(std::string_view(command));
    ASSERT_TRUE(words.startsWith(QStringLiteral("“Tools > "))) << words.toStdString();
    const QString entry = words.mid(9).chopped(1);
    const auto all = window->findChildren<QAction*>();
    EXPECT_TRUE(std::ranges::any_of(all, [&](QAction* action) {
      return action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…")) == entry;
    })) << entry.toStdString();
  }
  EXPECT_EQ(views::quoted_commands(std::string_view("Run `tensortide cache`, please")),
            QStringLiteral("Run “tensortide cache”, please"));
}

TEST_F(ModesTest, TheCommandIsCopied) {
  window->setup()->choose(QStringLiteral("gemm"));
  QTest::mouseClick(find<QToolButton>("setup.copy_command"), Qt::LeftButton);
  EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("tensortide run gemm ")))
      << QApplication::clipboard()->text().toStdString();
  EXPECT_TRUE(window->messages()->text().contains(QApplication::clipboard()->text()));
  open(save(QStringLiteral("sample.tide")));
  find<QAction>("action.copy_command")->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("tensortide run tiny_net --batch 16"));
}

}  // namespace
}  // namespace app::gui
