// SPDX-License-Identifier: GPL-3.0-or-later
// RunBar: one line above the views: what is shown, to run it again, how far a run is, and the way between recording and
// analysing.
#pragma once

#include <QAction>
#include <QWidget>

#include "app/gui/recorder_process.h"

class QHBoxLayout;
class QProgressBar;
class QToolButton;

namespace app::gui {

/// One line of text that ends with an ellipsis where there is no room for all of it.
class ElidedLine : public QWidget {
  Q_OBJECT

 public:
  explicit ElidedLine(QWidget* parent) : QWidget(parent) {}
  void set_text(const QString&);
  const QString& text() const { return text_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  QString text_;
};

class RunBar : public QWidget {
  Q_OBJECT

 public:
  explicit RunBar(QWidget* parent);
  /// What its buttons do; `with_again` is the menu beside *Run again*.
  struct Actions {
    QAction *record, *analyse, *again, *runs, *cancel;
    QList<QAction*> with_again;
  };
  void set_actions(const Actions&);
  /// "ResNet-50 · batch 4 · f32". `can_repeat`: it is a run of ours.
  void set_title(const QString& title, bool can_repeat);
  const QString& title() const { return title_->text(); }
  /// Whether the progress of a child process is shown here.
  void set_progress_shown(bool);
  void show_progress(const RunProgress&);

 private:
  QToolButton* button(const char* name);

  QToolButton *record_, *analyse_, *again_, *cancel_, *runs_;
  ElidedLine *title_, *stage_;
  QProgressBar* bar_;
};

}  // namespace app::gui
