// SPDX-License-Identifier: GPL-3.0-or-later
// FoldedText: an answer in one line; the sentences behind it unfold below it where they are asked for.
#pragma once

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "views/widgets/scrolled_text.h"

namespace views {

class FoldedText : public QWidget {
  Q_OBJECT

 public:
  /// `name` is what screen readers say.
  explicit FoldedText(const QString& name, QWidget* parent = nullptr);
  void set_text(const QString& headline, const QString& details);
  QString headline() const { return headline_->text(); }
  QString details() const { return details_->text(); }
  /// What is in sight, line by line.
  QString shown() const { return open() ? headline() + QLatin1Char('\n') + details() : headline(); }
  bool open() const { return fold_->isChecked(); }
  QToolButton& fold() { return *fold_; }
  /// Of the answer alone; of all that is in sight, at which nothing scrolls.
  int headline_height(int width) const;
  int height_for(int width) const;
  /// The highest of `room` px that cuts no line in half; at least `lines` of them are in sight.
  int height_within(int width, double room, int lines) const;

 signals:
  void toggled();

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void place();

  QLabel* headline_;
  QToolButton* fold_;
  ScrolledText* details_;
};

}  // namespace views
