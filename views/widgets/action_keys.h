// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that the user gave to commands: kept in the settings, and a list in which they are changed.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QPointer>
#include <QWidget>
#include <functional>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace views {

/// A command of a view, obeyed while `place` or a child of it has the keys. Its text is its status tip too.
QAction* add_command(QWidget& view, QWidget& place, const char* name, const QString& text,
                     const QList<QKeySequence>& keys, std::function<void()> run);
/// Commands of a window that have a name and a text: those of its menus and of all its views.
QList<QAction*> named_actions(const QWidget& window);
/// Remembers the keys that actions have now as their usual ones, and gives them those of the user. An action is asked
/// once; later calls pass over it.
void apply_saved_keys(const QList<QAction*>&);
/// The keys an action had before the user gave it others.
QList<QKeySequence> usual_keys(const QAction&);
/// Gives an action keys and keeps them in the settings, as "keys/NAME".
void set_keys(QAction&, const QList<QKeySequence>&);
/// Where an action is found: the title of its menu or of its view.
QString place_of(const QAction&);

/// Actions by place, each with a field for its first key.
class KeyEditor : public QWidget {
  Q_OBJECT

 public:
  /// `window`: with whose other actions a key may collide.
  KeyEditor(QList<QAction*> actions, const QWidget& window, QWidget* parent);
  /// Null: there is no such action.
  QKeySequenceEdit* edit_of(const QString& action_name) const;
  /// A key that two commands would share which can both be given: a sentence. Empty: none.
  QString conflict() const;
  /// Gives the actions their keys and keeps them. False: there is a conflict, which is shown, and nothing changes.
  bool save();
  /// Fills in the usual keys; save() keeps them.
  void fill_in_usual_keys();
  /// Shows the commands that have all these words in their text, place or key.
  void set_filter(const QString&);
  /// How many commands are listed now.
  int shown_count() const;

 signals:
  /// The user gave an action another key, or took it away.
  void edited();

 private:
  struct Row {
    QPointer<QAction> action;
    QKeySequenceEdit* edit;
    QWidget* line;
    QLabel* heading;
    QString place;
  };
  void add_row(QVBoxLayout&, QAction&, QLabel* heading, const QString& place);

  QList<QPointer<QAction>> all_;  // of the window
  QList<Row> rows_;
  QLabel* problem_;
};

}  // namespace views
