// SPDX-License-Identifier: GPL-3.0-or-later
// ActionRegistry: every command of the window by name, with its keys and when it can be given. Menus, palette and the
// page of keys are made from it.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QMainWindow>
#include <QMenu>
#include <functional>
#include <map>

namespace app::gui {

struct CommandEntry {
  const char* name;  ///< "open": the action is called "action.open"
  QString text;      ///< "&Open a capture…"
  QString tip;       ///< one sentence
  std::function<void()> run;
  QList<QKeySequence> keys = {};
  /// Why it cannot be given now: one sentence, empty: it can. None: it always can.
  std::function<QString()> refusal = {};
  /// What it is called now, where that depends on what it would do; none: always `text`.
  std::function<QString()> text_now = {};
};

class ActionRegistry {
 public:
  explicit ActionRegistry(QMainWindow& window) : window_(window) {}
  QMenu& add_menu(const QString& title);
  QAction& add(QMenu&, CommandEntry);
  /// An action that something else made, such as that of a dock; it keeps its state.
  void add(QMenu&, QAction& made, const QString& object_name, const QKeySequence& key = {});
  /// Null: there is none of that name.
  QAction* find(const QString& name) const;
  /// Asks each command whether it can be given and what its key is; one that cannot says why in its tooltip.
  void update();

 private:
  struct Kept {
    QAction* action;
    QString tip;
    std::function<QString()> refusal, text_now;
  };
  QMainWindow& window_;
  std::map<QString, Kept> kept_;
};

}  // namespace app::gui
