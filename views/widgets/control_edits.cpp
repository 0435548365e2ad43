// SPDX-License-Identifier: GPL-3.0-or-later
// A step holds a control's value before and after.
#include "views/widgets/control_edits.h"

#include <QComboBox>
#include <QLineEdit>
#include <QUndoCommand>
#include <utility>

#include "views/widgets/switch.h"

namespace views {

class ControlEdits::Step : public QUndoCommand {
 public:
  Step(ControlEdits& edits, size_t control, QVariant before, QVariant after, bool joins)
      : QUndoCommand(edits.controls_[control].what),
        edits_(edits),
        control_(control),
        before_(std::move(before)),
        after_(std::move(after)),
        joins_(joins) {}
  void undo() override { edits_.put(control_, before_); }
  void redo() override { edits_.put(control_, after_); }
  int id() const override { return static_cast<int>(control_); }
  bool mergeWith(const QUndoCommand* next) override {
    const auto& step = static_cast<const Step&>(*next);
    if (!step.joins_) return false;
    after_ = step.after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  ControlEdits& edits_;
  size_t control_;
  QVariant before_, after_;
  bool joins_;
};

size_t ControlEdits::add(Control control) {
  control.last = control.get();
  controls_.push_back(std::move(control));
  return controls_.size() - 1;
}

void ControlEdits::watch(QLineEdit& field, const QString& what) {
  const size_t control = add({.get = [&field] { return QVariant(field.text()); },
                              .set = [&field](const QVariant& text) { field.setText(text.toString()); },
                              .what = what});
  // Not textEdited(): the button that clears the field does not send that.
  connect(&field, &QLineEdit::textChanged, this, [this, control] { changed(control, true); });
  connect(&field, &QLineEdit::editingFinished, this, [this, control] { controls_[control].typing = false; });
}

void ControlEdits::watch(QComboBox& box, const QString& what, std::function<void()> apply) {
  const size_t control = add({.get = [&box] { return QVariant(box.currentIndex()); },
                              .set =
                                  [&box, apply = std::move(apply)](const QVariant& index) {
                                    box.setCurrentIndex(index.toInt());
                                    apply();
                                  },
                              .what = what});
  connect(&box, &QComboBox::activated, this, [this, control] { changed(control, false); });
}

void ControlEdits::watch(Switch& choices, const QString& what, std::function<void()> apply) {
  const size_t control = add({.get = [&choices] { return QVariant(choices.current()); },
                              .set =
                                  [&choices, apply = std::move(apply)](const QVariant& index) {
                                    choices.set_current(index.toInt());
                                    apply();
                                  },
                              .what = what});
  connect(&choices, &Switch::chosen, this, [this, control] { changed(control, false); });
}

void ControlEdits::changed(size_t index, bool typed) {
  Control& control = controls_[index];
  const QVariant now = control.get();
  if (putting_ || now == control.last) return;
  const QVariant before = std::exchange(control.last, now);
  const bool joins = typed && control.typing;
  for (Control& other : controls_) other.typing = false;
  control.typing = typed;
  // The stack redoes what is pushed: the control is as it is to be.
  putting_ = true;
  history_.push(new Step(*this, index, before, now, joins));
  putting_ = false;
}

void ControlEdits::put(size_t index, const QVariant& value) {
  if (putting_) return;
  Control& control = controls_[index];
  control.typing = false;
  putting_ = true;
  control.last = value;
  control.set(value);
  putting_ = false;
}

void ControlEdits::reset() {
  history_.clear();
  for (Control& control : controls_) {
    control.last = control.get();
    control.typing = false;
  }
}

}  // namespace views
