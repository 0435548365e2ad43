// SPDX-License-Identifier: GPL-3.0-or-later
// ControlEdits: what controls of a view are set to, each change by the user as one step that can be undone.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <QVariant>
#include <functional>
#include <vector>

class QComboBox;
class QLineEdit;

namespace views {

class Switch;

class ControlEdits : public QObject {
  Q_OBJECT

 public:
  explicit ControlEdits(QObject* parent) : QObject(parent) {}
  QUndoStack* history() { return &history_; }
  /// `what` names the step: "filter". What is typed until Enter or another control is one step.
  void watch(QLineEdit&, const QString& what);
  /// `apply` makes what follows from a choice that undo or redo sets.
  void watch(QComboBox&, const QString& what, std::function<void()> apply);
  void watch(Switch&, const QString& what, std::function<void()> apply);
  /// Other contents: there is nothing to undo in them, and the controls are as they are now.
  void reset();

 private:
  struct Control {
    std::function<QVariant()> get;
    std::function<void(const QVariant&)> set;
    QString what;
    QVariant last = {};
    bool typing = false;  ///< the next change belongs to the step before
  };
  class Step;
  size_t add(Control);
  void changed(size_t control, bool typed);
  void put(size_t control, const QVariant&);

  std::vector<Control> controls_;
  QUndoStack history_;
  bool putting_ = false;
};

}  // namespace views
