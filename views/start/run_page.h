// SPDX-License-Identifier: GPL-3.0-or-later
// RunPage: what the middle of the window shows while something runs: what it does, how far it is, its steps so far, and
// Cancel.
#pragma once

#include <QWidget>
#include <optional>

#include "views/base/theme.h"
#include "views/start/step_history.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace views {

class Canvas;

/// What a step needs, known before it runs.
struct StepNeeds {
  double flops = 0, operand_bytes = 0, memory_bytes = 0;  ///< NaN: unknown
};

struct RunNews {
  QString stage;        ///< "Recording: step 3 of 20"
  double fraction = 0;  ///< 0..1 of the whole
  QString left;         ///< "about 20 s left"; empty: not known yet
  QString measured;     ///< "3 of 20", measured steps; empty: it has none
  StepNews steps;
  bool loss_failed = false;
  std::optional<StepNeeds> needs;
};

class RunPage : public QWidget {
  Q_OBJECT

 public:
  explicit RunPage(QWidget* parent);
  /// Something begins: "ResNet-50, batch 4". Nothing is known of it yet.
  void begin(const QString& title);
  void show_news(const RunNews&);
  void show_cancelling();
  void set_theme(const Theme&);
  const StepHistory& history() const { return history_; }
  /// The figures above the charts, "Step time 12.3 ms", one per line.
  QString figures() const;

 signals:
  void cancel_requested();

 private:
  struct Figure {
    QLabel *title = nullptr, *value = nullptr;
  };
  Figure add_figure(const QString& title, const QString& what, const char* name);
  static void show_figure(const Figure&, const QString& value);
  void update_figures(const RunNews&);
  void paint_chart(QPainter&, const QRectF&, StepFigure) const;

  const Theme* theme_;
  QLabel *title_, *stage_, *left_;
  QProgressBar* bar_;
  QPushButton* cancel_;
  QWidget* figures_box_;
  Figure time_, measured_, rate_, bytes_, memory_, loss_;
  Canvas *times_, *losses_;
  StepHistory history_;
  std::optional<StepNeeds> needs_;
  bool loss_failed_ = false;
};

}  // namespace views
