// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on the start page: a workload's card with picture, title and what it teaches; a row of a file to open.
#pragma once

#include <QPushButton>
#include <vector>

#include "views/base/theme.h"
#include "views/start/workload_picture.h"

namespace views {

/// Words in lines that fit a width; the last line is cut with an ellipsis where more would follow.
QStringList lines_of(const QString& words, const QFont&, qreal width, int most_lines);

/// Where the parts of a card are; its Run button, if any, is at the right.
struct CardLayout {
  QRectF picture, title, words;
  QRect run;
  int lines = 1;  ///< of words
};
CardLayout card_layout(QSize size, const QFont&, bool has_run);
/// The height of a card whose words have so many lines.
int card_height(const QFont&, int lines);

/// The whole card can be clicked; a button in it runs at once.
class WorkloadCard : public QPushButton {
  Q_OBJECT

 public:
  /// `run`: with a button that runs it.
  WorkloadCard(const QString& key, const QString& title, const QString& words, bool run, const Theme&, QWidget* parent);
  void set_runnable(bool);
  const QPushButton* run_button() const { return run_; }

 signals:
  void run_clicked();

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  QString title_, words_;
  std::vector<PictureShape> picture_;
  const Theme* theme_;
  QPushButton* run_ = nullptr;
};

/// Two lines: a title, and below it what is known of the file. Disabled, it is grey.
class FileRow : public QPushButton {
 public:
  FileRow(const QString& title, const QString& detail, const Theme&, QWidget* parent);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  QString title_, detail_;
  const Theme* theme_;
};

}  // namespace views
