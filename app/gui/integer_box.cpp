// SPDX-License-Identifier: GPL-3.0-or-later
// IntegerBox.
#include "app/gui/integer_box.h"

#include <algorithm>

namespace app::gui {

IntegerBox::IntegerBox(qint64 minimum, qint64 maximum, QWidget* parent)
    : QAbstractSpinBox(parent), minimum_(minimum), maximum_(maximum) {
  setCorrectionMode(QAbstractSpinBox::CorrectToPreviousValue);
  connect(lineEdit(), &QLineEdit::textChanged, this, &IntegerBox::changed);
}

void IntegerBox::set_empty_text(const QString& text) { lineEdit()->setPlaceholderText(text); }

void IntegerBox::stepBy(int steps) {
  bool number = false;
  const qint64 now = value_text().toLongLong(&number);
  const qint64 start = number ? std::clamp(now, minimum_, maximum_) : minimum_;
  const qint64 room = steps > 0 ? maximum_ - start : start - minimum_;
  const qint64 by = std::min<qint64>(std::abs(steps), room);
  lineEdit()->setText(QString::number(number ? (steps > 0 ? start + by : start - by) : minimum_));
}

QSize IntegerBox::sizeHint() const {
  const QSize line = lineEdit()->sizeHint();
  return {fontMetrics().horizontalAdvance(QStringLiteral("00000000")) + 40, line.height()};
}

QAbstractSpinBox::StepEnabled IntegerBox::stepEnabled() const {
  bool number = false;
  const qint64 now = value_text().toLongLong(&number);
  if (!number) return StepUpEnabled;
  StepEnabled enabled = StepNone;
  if (now < maximum_) enabled |= StepUpEnabled;
  if (now > minimum_) enabled |= StepDownEnabled;
  return enabled;
}

}  // namespace app::gui
