// SPDX-License-Identifier: GPL-3.0-or-later
// AnswerPlot: axes on which a learner places a dot on the roofline, or draws a curve, by mouse or by keys.
#pragma once

#include <QWidget>
#include <limits>
#include <optional>
#include <vector>

#include "profiler/lessons/answer.h"
#include "profiler/lessons/lesson.h"

namespace app::gui {

class AnswerPlot : public QWidget {
  Q_OBJECT

 public:
  /// `question`: a point or a curve that outlives this.
  AnswerPlot(const profiler::LessonQuestion& question, const profiler::GivenAnswer* given, QWidget* parent = nullptr);
  /// The roofs of this machine, drawn under a point. NaN: unknown, nothing is drawn.
  void set_roofs(double flop_per_s, double bytes_per_s);
  /// Nothing: nobody placed anything yet.
  std::optional<profiler::GivenAnswer> answer() const;
  /// What is placed: "1.2 FLOP/B, 3 GFLOP/s"; "64 samples: 3.2 times".
  QString words() const;
  QRectF axes() const;  ///< in pixels, without what is written beside them
  QSize sizeHint() const override;

 signals:
  void changed();

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

 private:
  bool is_point() const { return question_.kind == profiler::LessonQuestion::Kind::point; }
  QPointF at(double across, double up) const;
  /// Shares of both axes, 0 to 1, upwards.
  QPointF shares_at(QPointF pixel) const;
  /// Of the drawn shares: begins with the middle of the axis.
  void begin();
  void place(QPointF shares);
  void tell();
  void paint_axes(QPainter&) const;
  void paint_roofs(QPainter&) const;
  void paint_answer(QPainter&) const;

  const profiler::LessonQuestion& question_;
  profiler::LessonAxis across_, up_;
  /// Of a point: its two shares. Of a curve: the share upwards of each place. Empty: nothing is placed.
  std::vector<double> shares_;
  size_t current_ = 0;          ///< the place of a curve that keys move
  std::optional<size_t> last_;  ///< of a mouse that draws
  double flop_per_s_ = std::numeric_limits<double>::quiet_NaN();
  double bytes_per_s_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace app::gui
