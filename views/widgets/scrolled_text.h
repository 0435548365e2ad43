// SPDX-License-Identifier: GPL-3.0-or-later
// ScrolledText: plain sentences, wrapped and selectable, that scroll where there is less room than they need.
#pragma once

#include <QLabel>
#include <QScrollArea>

namespace views {

class ScrolledText : public QScrollArea {
 public:
  /// `name` is what screen readers say.
  explicit ScrolledText(const QString& name, QWidget* parent = nullptr);
  void set_text(const QString&);
  QString text() const { return label_->text(); }
  /// Height at which nothing scrolls.
  int height_for(int width) const;
  /// From one line to the next, in the font the text has.
  int line_spacing() const { return label_->fontMetrics().lineSpacing(); }

 private:
  QLabel* label_;
};

}  // namespace views
