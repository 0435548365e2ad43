// SPDX-License-Identifier: GPL-3.0-or-later
// CommandPalette: every QAction of the window by name; the same registry makes the shortcut page.
#pragma once

#include <QAction>
#include <QFrame>
#include <QList>

class QLineEdit;
class QListWidget;
class QMainWindow;

namespace app::gui {

/// One command: its menu path and name, its keys.
struct Command {
  QAction* action;
  QString title, keys;
};
/// All commands of a window: named actions without submenu; those of views that are not shown are
/// left out.
QList<Command> commands(QMainWindow&);
/// How well `text` answers `wanted` (its letters in order): higher is better, negative not at all.
int match_score(const QString& text, const QString& wanted);

class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QMainWindow& window);
  void open();

 protected:
  bool eventFilter(QObject*, QEvent*) override;

 private:
  void fill();
  void run();
  QMainWindow& window_;
  QLineEdit* text_;
  QListWidget* list_;
};

/// A dialog with all commands and their keys.
void show_shortcuts(QMainWindow&);

}  // namespace app::gui
