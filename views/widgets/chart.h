// SPDX-License-Identifier: GPL-3.0-or-later
// Chart: QCustomPlot in our colours, for axes, grid, zoom and drag; what is drawn in it is one function in pixels.
#pragma once

#include <qcustomplot.h>

#include <functional>
#include <vector>

#include "views/base/theme.h"

namespace views {

/// The visible part of a chart, in axis units.
struct ChartRange {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
};

class Chart : public QCustomPlot {
  Q_OBJECT

 public:
  explicit Chart(QWidget* parent = nullptr);
  /// Both axes in powers of ten.
  void use_log_axes();
  /// Values that the x axis names in place of round ones, ascending, as far as they have room; empty: round ones.
  void set_x_ticks(std::vector<double>);
  void set_titles(const QString& x, const QString& y);
  /// The range shown at first and after a double click.
  void set_home(const ChartRange&);
  ChartRange range() const;
  void set_theme(const Theme&);
  /// Draws as on screen, in other colours and size, as vectors. Nothing is clipped (SVG of Qt 6.4 loses clips): `marks`
  /// stays inside its rectangle by itself.
  void draw(QPainter&, const QRectF& rect, const Theme&);

  /// Paints the data: painter, the axes' rectangle, colours.
  std::function<void(QPainter&, const QRectF&, const Theme&)> marks;
  std::function<QString(QPointF)> tip;  ///< rich text under a point; empty: none

 signals:
  void clicked(QPointF);
  void hovered(QPointF);
  void left();

 protected:
  bool event(QEvent*) override;
  void leaveEvent(QEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;

 private:
  friend class ChartMarks;
  void apply(const Theme&);
  const Theme* theme_ = &Theme::light();  // of the screen
  const Theme* drawn_ = &Theme::light();  // while drawing
  ChartRange home_;
  QPointF press_;
};

}  // namespace views
