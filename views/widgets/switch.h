// SPDX-License-Identifier: GPL-3.0-or-later
// Switch: a row of buttons of which exactly one is down: scope, scale, roll-up.
#pragma once

#include <QAbstractButton>
#include <QButtonGroup>
#include <QStringList>
#include <QWidget>

namespace views {

class Switch : public QWidget {
  Q_OBJECT

 public:
  /// `name` is what screen readers say for the group.
  Switch(const QString& name, const QStringList& choices, QWidget* parent = nullptr);
  int current() const { return group_.checkedId(); }
  /// Silent.
  void set_current(int index);
  QAbstractButton* button(int index) const { return group_.button(index); }

 signals:
  void chosen(int index);  ///< by the user

 private:
  QButtonGroup group_;
};

}  // namespace views
