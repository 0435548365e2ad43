// SPDX-License-Identifier: GPL-3.0-or-later
// The settings as a user changes them: keys, theme, scale, folders; what Restore does; the page of keys.
#include "app/gui/settings_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>

#include "tests/app/gui/window_test.h"
#include "views/timeline/timeline_area.h"
#include "views/widgets/action_keys.h"

namespace app::gui {
namespace {

class SettingsDialogTest : public WindowTest {
 protected:
  void SetUp() override {
    forget();
    WindowTest::SetUp();
  }
  void TearDown() override {
    WindowTest::TearDown();
    forget();
  }
  static void forget() {
    QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("tensortide"), QStringLiteral("tensortide"))
        .clear();
  }
  SettingsDialog* dialog() {
    QTest::keyClick(window.get(), Qt::Key_Comma, Qt::ControlModifier);
    return find<SettingsDialog>("settings");
  }
  template <class T>
  T* in(const SettingsDialog* dialog, const char* name) {
    auto* found = dialog->findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void go_to(const SettingsDialog* dialog, int page) { dialog->findChild<QListWidget*>()->setCurrentRow(page); }
  /// Presses a key in the field of a command, as a user does.
  void press_for(SettingsDialog* dialog, const char* action, Qt::Key key, Qt::KeyboardModifiers with = {}) {
    go_to(dialog, 2);
    QKeySequenceEdit* edit = dialog->keys().edit_of(QString::fromLatin1(action));
    ASSERT_NE(edit, nullptr) << action;
    edit->clear();
    bool finished = false;
    const auto told = QObject::connect(edit, &QKeySequenceEdit::editingFinished, edit, [&] { finished = true; });
    edit->setFocus();
    QTest::keyClick(edit, key, with);
    EXPECT_TRUE(wait_for([&] { return finished; }));
    QObject::disconnect(told);
  }
  QAction* action(const char* name) { return find<QAction>(name); }
};

TEST_F(SettingsDialogTest, AnyCommandGetsAnotherKeyAndKeepsItAfterARestart) {
  press_for(dialog(), "action.full_screen", Qt::Key_K, Qt::ControlModifier);
  EXPECT_EQ(action("action.full_screen")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_K));
  EXPECT_TRUE(action("action.full_screen")->toolTip().contains(QStringLiteral("Ctrl+K")));
  press_for(dialog(), "timeline.zoom_in", Qt::Key_J);
  window = std::make_unique<MainWindow>();
  EXPECT_EQ(action("action.full_screen")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_K));
  EXPECT_EQ(action("timeline.zoom_in")->shortcut(), QKeySequence(Qt::Key_J));
}

TEST_F(SettingsDialogTest, AKeyOfTwoCommandsIsSaidAndChangesNothing) {
  auto* shown = dialog();
  press_for(shown, "action.full_screen", Qt::Key_O, Qt::ControlModifier);
  const auto* problem = in<QLabel>(shown, "keys.problem");
  EXPECT_TRUE(problem->isVisible());
  for (const char* part : {"Ctrl+O", "Open a capture", "Full screen"})
    EXPECT_TRUE(problem->text().contains(QString::fromLatin1(part))) << problem->text().toStdString();
  EXPECT_EQ(action("action.full_screen")->shortcut(), QKeySequence(Qt::Key_F11));
  // A key of the whole window collides with one of a view; two views may share one.
  press_for(shown, "action.full_screen", Qt::Key_W);
  EXPECT_TRUE(problem->isVisible()) << "W zooms the timeline";
  press_for(shown, "action.full_screen", Qt::Key_F11);
  EXPECT_FALSE(problem->isVisible());
  EXPECT_EQ(action("timeline.zoom_in")->shortcut(), QKeySequence(Qt::Key_W));
}

TEST_F(SettingsDialogTest, RestoreGivesTheUsualKeysAndSaysSo) {
  auto* shown = dialog();
  press_for(shown, "action.full_screen", Qt::Key_K, Qt::ControlModifier);
  auto* restore = in<QPushButton>(shown, "settings.restore");
  EXPECT_TRUE(restore->toolTip().contains(QStringLiteral("every command"))) << restore->toolTip().toStdString();
  QTest::mouseClick(restore, Qt::LeftButton);
  EXPECT_EQ(action("action.full_screen")->shortcut(), QKeySequence(Qt::Key_F11));
  go_to(shown, 1);
  EXPECT_TRUE(restore->toolTip().contains(QStringLiteral("deletes no file")));
}

TEST_F(SettingsDialogTest, CommandsAreFoundByNamePlaceAndKey) {
  auto* shown = dialog();
  go_to(shown, 2);
  const int all = shown->keys().shown_count();
  EXPECT_GT(all, 60) << "menus and views";
  auto* search = in<QLineEdit>(shown, "settings.keys.search");
  QTest::keyClicks(search, QStringLiteral("timeline zoom"));
  EXPECT_LT(shown->keys().shown_count(), 8);
  EXPECT_GT(shown->keys().shown_count(), 0);
  search->clear();
  EXPECT_EQ(shown->keys().shown_count(), all);
}

TEST_F(SettingsDialogTest, TheThemeChangesAtOnceAndTheScaleSaysWhenItDoes) {
  auto* shown = dialog();
  auto* theme = in<QComboBox>(shown, "settings.theme");
  theme->setFocus();
  QTest::keyClick(theme, Qt::Key_End);
  EXPECT_EQ(&window->theme(), &views::Theme::dark());
  auto* restart = in<QPushButton>(shown, "settings.restart");
  EXPECT_FALSE(restart->isVisible()) << "nothing waits for a restart";
  QTest::keyClick(in<QComboBox>(shown, "settings.scale"), Qt::Key_End);
  EXPECT_EQ(window->settings().scale(), 2.0);
  EXPECT_TRUE(restart->isVisible());
  QTest::mouseClick(in<QPushButton>(shown, "settings.restore"), Qt::LeftButton);
  EXPECT_EQ(window->settings().theme(), ThemeChoice::system);
  EXPECT_EQ(window->settings().scale(), 1.0);
  EXPECT_FALSE(restart->isVisible());
}

TEST_F(SettingsDialogTest, BytesAreWrittenInTheChosenUnitsEverywhereAtOnce) {
  open(save(QStringLiteral("sample.tide")));
  const auto said = [&] {
    QStringList words;
    for (const auto* label : find<QDockWidget>("dock.inspector")->findChildren<QLabel*>()) words << label->text();
    return words.join(QLatin1Char('\n'));
  };
  const auto binary = [](const QString& words) { return words.contains(QStringLiteral("iB")); };
  window->document().selection().select_op(tests::SampleOps::conv);
  ASSERT_TRUE(said().contains(QStringLiteral(" MB"))) << said().toStdString();
  auto* shown = dialog();
  auto* bytes = in<QComboBox>(shown, "settings.bytes");
  bytes->setFocus();
  QTest::keyClick(bytes, Qt::Key_End);
  window->document().selection().select_op(tests::SampleOps::conv);
  EXPECT_TRUE(binary(said())) << said().toStdString();
  EXPECT_FALSE(said().contains(QStringLiteral(" MB"))) << said().toStdString();
  QTest::mouseClick(in<QPushButton>(shown, "settings.restore"), Qt::LeftButton);
  window->document().selection().select_op(tests::SampleOps::conv);
  EXPECT_TRUE(said().contains(QStringLiteral(" MB"))) << said().toStdString();
}

TEST_F(SettingsDialogTest, AFolderThatCannotBeUsedIsRefusedInWords) {
  auto* shown = dialog();
  go_to(shown, 1);
  auto* captures = in<QLineEdit>(shown, "settings.captures");
  const QString before = captures->text();
  const auto type = [&](const QString& path) {
    captures->setFocus();
    captures->selectAll();
    QTest::keyClicks(captures, path);
    QTest::keyClick(captures, Qt::Key_Return);
  };
  type(folder.filePath(QStringLiteral("missing")));
  const auto* problem = in<QLabel>(shown, "settings.problem");
  EXPECT_TRUE(problem->isVisible());
  EXPECT_TRUE(problem->text().contains(QStringLiteral("missing"))) << problem->text().toStdString();
  EXPECT_EQ(captures->text(), before);
  type(folder.path());
  EXPECT_FALSE(problem->isVisible());
  EXPECT_EQ(window->settings().captures_folder(), folder.path());
  auto* exports = in<QLineEdit>(shown, "settings.exports");
  exports->selectAll();
  QTest::keyClicks(exports, folder.path());
  QTest::keyClick(exports, Qt::Key_Return);
  EXPECT_EQ(window->settings().export_path(QStringLiteral("r.html")), folder.filePath(QStringLiteral("r.html")));
  QTest::mouseClick(in<QPushButton>(shown, "settings.restore"), Qt::LeftButton);
  EXPECT_EQ(window->settings().captures_folder(), before);
  EXPECT_TRUE(QFileInfo(folder.path()).isDir()) << "no folder is deleted";
}

TEST_F(SettingsDialogTest, ThePageOfKeysIsSearchedAndLeadsToTheSettings) {
  QTest::keyClick(window.get(), Qt::Key_F1);
  auto* page = find<QDialog>("shortcuts");
  auto* table = page->findChild<QTableWidget*>();
  QTest::keyClicks(page->findChild<QLineEdit*>(QStringLiteral("shortcuts.search")), QStringLiteral("cancel"));
  int shown = 0;
  for (int row = 0; row < table->rowCount(); ++row) {
    if (table->isRowHidden(row)) continue;
    ++shown;
    EXPECT_TRUE(table->item(row, 1)->text().contains(QStringLiteral("ancel")));
    EXPECT_EQ(table->item(row, 0)->text(), QStringLiteral("Run"));
  }
  EXPECT_EQ(shown, 1);
  QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("shortcuts.change")), Qt::LeftButton);
  EXPECT_EQ(find<SettingsDialog>("settings")->findChild<QListWidget*>()->currentRow(), 2);
}

}  // namespace
}  // namespace app::gui
