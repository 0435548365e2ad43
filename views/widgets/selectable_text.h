// SPDX-License-Identifier: GPL-3.0-or-later
// SelectableText: a long value beside its label, broken where it has to be; what is copied is the text as it is.
#pragma once

#include <QTextEdit>

namespace views {

/// A label could break a path or command only at spaces without width, which copying takes along.
class SelectableText : public QTextEdit {
 public:
  /// Plain, right-aligned, in `color`, on its parent's ground.
  SelectableText(const QString& text, const QFont&, const QColor& color, QWidget* parent = nullptr);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void wheelEvent(QWheelEvent*) override;
};

}  // namespace views
