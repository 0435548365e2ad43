// SPDX-License-Identifier: GPL-3.0-or-later
// The field in which a view's contents are searched as one types.
#pragma once

#include <QLineEdit>

namespace views {

/// Enter and Shift+Enter go through what was found, Esc goes back to the view. These keys are the field's own: nothing
/// else in the window obeys them while one types in it.
class FindBox : public QLineEdit {
  Q_OBJECT

 public:
  explicit FindBox(QWidget* parent);

 public slots:
  /// Takes the keys, with its text selected.
  void open();

 signals:
  /// 1: the next match, -1: the one before.
  void stepped(int direction);
  void left();

 protected:
  bool event(QEvent*) override;
};

}  // namespace views
