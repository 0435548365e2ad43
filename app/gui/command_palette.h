// SPDX-License-Identifier: GPL-3.0-or-later
// CommandPalette: every QAction of the window by name, and what else is found by name: workloads, captures, ops. The
// same registry makes the shortcut page.
#pragma once

#include <QAction>
#include <QFrame>
#include <QList>
#include <functional>
#include <utility>
#include <vector>

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

/// What the palette offers beside commands.
struct PaletteEntry {
  QString title;  ///< "Op: layer1.0/conv1"
  std::function<void()> run;
  int score = 0;  ///< see match_score()
};
/// What answers the text that is typed, which is never empty.
using PaletteSource = std::function<QList<PaletteEntry>(const QString& wanted)>;

class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QMainWindow& window);
  void add_source(PaletteSource source) { sources_.push_back(std::move(source)); }
  void open();

 protected:
  bool eventFilter(QObject*, QEvent*) override;

 private:
  struct Line {
    int score;
    QString text, tip;
    bool enabled;
    std::function<void()> run;
  };
  void fill();
  void run();
  QMainWindow& window_;
  QLineEdit* text_;
  QListWidget* list_;
  std::vector<PaletteSource> sources_;
  std::vector<Line> lines_;  // of the list
};

/// A dialog with all commands and their keys, by place, with a search; `change`: where keys are changed.
void show_shortcuts(QMainWindow&, std::function<void()> change);

}  // namespace app::gui
