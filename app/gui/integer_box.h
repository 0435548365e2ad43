// SPDX-License-Identifier: GPL-3.0-or-later
// IntegerBox: a spin box whose value is text, so that 2^40, -1 and "abc" can be typed and are
// answered in words, not swallowed.
#pragma once

#include <QAbstractSpinBox>
#include <QLineEdit>

namespace app::gui {

class IntegerBox : public QAbstractSpinBox {
  Q_OBJECT

 public:
  IntegerBox(qint64 minimum, qint64 maximum, QWidget* parent = nullptr);
  /// Shown instead of a value, and what an empty box means: "auto".
  void set_empty_text(const QString&);
  QString value_text() const { return lineEdit()->text().trimmed(); }
  void set_value_text(const QString& text) { lineEdit()->setText(text); }

  void stepBy(int steps) override;
  QValidator::State validate(QString&, int&) const override { return QValidator::Acceptable; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void changed();

 protected:
  StepEnabled stepEnabled() const override;

 private:
  qint64 minimum_, maximum_;
};

}  // namespace app::gui
