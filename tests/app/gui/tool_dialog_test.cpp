// SPDX-License-Identifier: GPL-3.0-or-later
// The tools as a user asks them: from the menu, with what is typed, with rows that are data.
#include "app/gui/tool_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QToolButton>

#include "app/gui/setup_panel.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/compare/repeats.h"
#include "tests/app/gui/window_test.h"
#include "views/widgets/table_view.h"

namespace app::gui {
namespace {

class ToolDialogTest : public WindowTest {
 protected:
  QAction* command(const char* tool) { return find<QAction>((std::string("action.tool_") + tool).c_str()); }
  /// Opens a tool by its command and waits for what it answers at once.
  ToolDialog* open_tool(const char* tool) {
    command(tool)->trigger();
    auto* dialog = find<ToolDialog>((std::string("tool.") + tool).c_str());
    EXPECT_TRUE(wait_for([&] { return !dialog->busy(); }));
    return dialog;
  }
  template <class T>
  T* part(ToolDialog* dialog, const char* name) {
    auto* found = dialog->findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void type(ToolDialog* dialog, const char* field, const QString& text) {
    auto* line = part<QLineEdit>(dialog, field);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(wait_for([&] { return !dialog->busy(); }));
  }
  static std::string cell(const ToolDialog* dialog, size_t row, size_t column) {
    const auto& table = dialog->answer().table;
    return profiler::format_cell(table.rows[row][column], table.columns[column].quantity);
  }
};

TEST_F(ToolDialogTest, EachHasOneSentenceThatItAnswersAndSaysWhyItIsOff) {
  for (const Tool& tool : tools()) {
    EXPECT_TRUE(tool.question.contains(QLatin1Char('?'))) << tool.name;
    const QAction* action = command(tool.name);
    EXPECT_EQ(action->isEnabled(), tool.refusal(*window).isEmpty()) << tool.name;
    if (!action->isEnabled()) {
      EXPECT_EQ(action->toolTip(), tool.refusal(*window)) << tool.name;
    }
    for (const QString& words : {tool.title, tool.question, tool.run}) {
      EXPECT_FALSE(words.contains(QStringLiteral("--"))) << tool.name;
      EXPECT_FALSE(words.contains(QLatin1Char('`'))) << tool.name;
    }
  }
  EXPECT_FALSE(command("repeat")->isEnabled());
  EXPECT_TRUE(command("number")->isEnabled());
}

TEST_F(ToolDialogTest, ANumberIsShownInEachDataTypeWhileItIsTyped) {
  ToolDialog* dialog = open_tool("number");
  type(dialog, "tool.field.number", QStringLiteral("70000"));
  ASSERT_EQ(dialog->answer().table.rows.size(), 4u);
  EXPECT_EQ(cell(dialog, 1, 1), "70000");
  EXPECT_EQ(cell(dialog, 3, 1), "inf") << "f16 ends at 65504";
  EXPECT_TRUE(part<QLabel>(dialog, "tool.notes")->text().contains(QStringLiteral("f16")));
  type(dialog, "tool.field.number", QStringLiteral("seven"));
  EXPECT_TRUE(dialog->problem().contains(QStringLiteral("seven"))) << dialog->problem().toStdString();
  EXPECT_FALSE(dialog->table().isVisible()) << "no rows of another number";
  EXPECT_FALSE(part<QPushButton>(dialog, "tool.save")->isEnabled());
  type(dialog, "tool.field.number", QStringLiteral("3"));
  auto* types = part<QComboBox>(dialog, "tool.field.types");
  types->setFocus();
  QTest::keyClick(types, Qt::Key_End);
  ASSERT_TRUE(wait_for([&] { return !dialog->busy(); }));
  EXPECT_EQ(cell(dialog, 0, 0), "i8");
}

TEST_F(ToolDialogTest, AWindowClosesWhileAFieldIsTypedIn) {
  ToolDialog* dialog = open_tool("number");
  auto* line = part<QLineEdit>(dialog, "tool.field.number");
  dialog->activateWindow();
  line->setFocus();
  QTest::keyClicks(line, QStringLiteral("12"));
  const QPointer<ToolDialog> gone = dialog;
  window.reset();
  EXPECT_TRUE(gone.isNull());
}

TEST_F(ToolDialogTest, TheFormsLargestBatchIsFoundWithoutARun) {
  window->choose_workload(QStringLiteral("mlp"));
  ToolDialog* dialog = open_tool("fit");
  type(dialog, "tool.field.memory", QStringLiteral("1 GB"));
  EXPECT_NE(dialog->answer().sentence.find("The largest batch that fits into 1.00 GB"), std::string::npos)
      << dialog->answer().sentence << dialog->problem().toStdString();
  EXPECT_FALSE(dialog->answer().table.rows.empty()) << "what lives at the peak";
  EXPECT_FALSE(window->run_control().running());
  type(dialog, "tool.field.memory", QStringLiteral("much"));
  EXPECT_TRUE(dialog->problem().contains(QStringLiteral("much")));
}

TEST_F(ToolDialogTest, TheFormOffersWhatCanBeAskedBeforeARun) {
  const auto* ask = find<QToolButton>("setup.ask");
  EXPECT_TRUE(ask->isVisible());
  EXPECT_FALSE(ask->visibleRegion().isEmpty());
  const QList<QAction*> offered = ask->menu()->actions();
  EXPECT_TRUE(offered.contains(command("fit")));
  EXPECT_TRUE(offered.contains(command("predict")));
}

TEST_F(ToolDialogTest, OtherGpusAreModelledForTheFormAndForACapture) {
  window->choose_workload(QStringLiteral("mlp"));
  ToolDialog* dialog = open_tool("predict");
  const size_t gpus = dialog->answer().table.rows.size();
  EXPECT_GT(gpus, 5u) << dialog->problem().toStdString();
  auto* on = part<QComboBox>(dialog, "tool.field.on");
  EXPECT_EQ(static_cast<size_t>(on->count()), gpus + 2) << "all of them, and bounds by data sheets";
  on->setFocus();
  for (int down = 0; down < 2; ++down) QTest::keyClick(on, Qt::Key_Down);
  ASSERT_TRUE(wait_for([&] { return !dialog->busy(); }));
  EXPECT_EQ(dialog->answer().table.name, "prediction");
  EXPECT_NE(dialog->answer().sentence.find(on->currentText().toStdString()), std::string::npos);
}

TEST_F(ToolDialogTest, EveryTableOfACaptureIsThereOrSaysWhyNot) {
  open(save(QStringLiteral("sample.tide")));
  QTest::keyClick(window.get(), Qt::Key_T, Qt::ControlModifier);
  auto* dialog = find<ToolDialog>("tool.tables");
  auto* table = part<QComboBox>(dialog, "tool.field.table");
  ASSERT_EQ(static_cast<size_t>(table->count()), profiler::table_names().size());
  for (int i = 0; i < table->count(); ++i) {
    table->setCurrentIndex(i);
    ASSERT_TRUE(wait_for([&] { return !dialog->busy(); }));
    EXPECT_EQ(dialog->problem(), QString()) << i;
    EXPECT_EQ(dialog->answer().table.name, table->currentData().toString().toStdString());
    const bool words = !dialog->answer().sentence.empty() || !dialog->answer().notes.empty();
    EXPECT_TRUE(words || !dialog->answer().table.rows.empty()) << dialog->answer().table.name;
  }
}

TEST_F(ToolDialogTest, WhatWorksHereNamesWhatHelpsWhereItDoesNot) {
  ToolDialog* dialog = open_tool("machine");
  const auto& table = dialog->answer().table;
  ASSERT_GT(table.rows.size(), 5u);
  for (size_t row = 0; row < table.rows.size(); ++row)
    EXPECT_TRUE(cell(dialog, row, 1) == "yes" || cell(dialog, row, 1) == "no");
}

/// Captures of the real program: they can be run again.
class ToolRunTest : public ToolDialogTest {
 protected:
  ToolRunTest() : cli_("TENSORTIDE_CLI", real_program(folder)) {}
  QString record(const QString& name) {
    const QString file = folder.filePath(name);
    RecorderProcess recorder;
    bool ended = false;
    QObject::connect(&recorder, &RecorderProcess::finished, &recorder, [&] { ended = true; });
    recorder.start(QStringLiteral("run"),
                   {QStringLiteral("stream"), QStringLiteral("--set"), QStringLiteral("n=4096"),
                    QStringLiteral("--threads"), QStringLiteral("1"), QStringLiteral("--steps"), QStringLiteral("5")},
                   file);
    EXPECT_TRUE(wait_for([&] { return ended; }));
    return file;
  }
  void run(ToolDialog* dialog) {
    QTest::mouseClick(part<QPushButton>(dialog, "tool.run"), Qt::LeftButton);
    EXPECT_TRUE(dialog->busy()) << dialog->problem().toStdString();
  }
  Environment cli_;
};

TEST_F(ToolRunTest, ARecordedRunIsRepeatedAndJudged) {
  open(record(QStringLiteral("a.tide")));
  ToolDialog* dialog = open_tool("rerun");
  EXPECT_TRUE(dialog->answer().sentence.empty()) << "it starts when it is told to";
  run(dialog);
  EXPECT_FALSE(window->run_control().refusal().isEmpty()) << "nothing else runs beside it";
  ASSERT_TRUE(wait_for([&] { return !dialog->busy(); }, 60000));
  ASSERT_GE(dialog->answer().table.rows.size(), 4u) << dialog->problem().toStdString();
  EXPECT_EQ(cell(dialog, 0, 0), "recorded");
  EXPECT_NE(dialog->answer().sentence.find("per step now"), std::string::npos);
  EXPECT_TRUE(window->run_control().refusal().isEmpty());
}

TEST_F(ToolRunTest, BothCapturesAreRepeatedAndTheViewCompareHasThem) {
  const QString before = record(QStringLiteral("a.tide")), after = record(QStringLiteral("b.tide"));
  open(after);
  EXPECT_FALSE(command("repeat")->isEnabled()) << "there is nothing to compare with";
  window->compare_with(before);
  ASSERT_TRUE(wait_for([&] { return window->document().reference() != nullptr; }));
  ToolDialog* dialog = open_tool("repeat");
  auto* rounds = part<QLineEdit>(dialog, "tool.field.rounds");
  rounds->selectAll();
  QTest::keyClicks(rounds, QStringLiteral("one"));
  QTest::mouseClick(part<QPushButton>(dialog, "tool.run"), Qt::LeftButton);
  EXPECT_TRUE(dialog->problem().contains(QStringLiteral("Rounds"))) << dialog->problem().toStdString();
  rounds->selectAll();
  QTest::keyClicks(rounds, QStringLiteral("2"));
  run(dialog);
  ASSERT_TRUE(wait_for([&] { return !dialog->busy(); }, 60000));
  EXPECT_FALSE(dialog->answer().sentence.empty()) << dialog->problem().toStdString();
  EXPECT_EQ(profiler::repeats_of(after.toStdString()).size(), 2u);
  EXPECT_EQ(window->document().reference_path(), before);
}

TEST_F(ToolRunTest, CancelEndsARepeatAndNothingHangs) {
  open(record(QStringLiteral("a.tide")));
  ToolDialog* dialog = open_tool("rerun");
  run(dialog);
  QTest::mouseClick(part<QPushButton>(dialog, "tool.cancel"), Qt::LeftButton);
  EXPECT_TRUE(wait_for([&] { return !dialog->busy(); }));
  EXPECT_FALSE(window->run_control().running());
  // A window that is closed in the middle of one waits for it.
  run(dialog);
  window.reset();
}

}  // namespace
}  // namespace app::gui
