// SPDX-License-Identifier: GPL-3.0-or-later
// Points as rows with published times, and trajectories over the roofline.
#include <QPainterPath>
#include <cmath>

#include "views/base/paint.h"
#include "views/sweep/sweep_paint.h"

namespace views {
namespace {

constexpr double kDot = 5, kSmall = 3;

/// Processors are circles, GPUs squares; what may not enter a statistic is a cross.
void paint_published(QPainter& p, const PublishedMark& mark, const Theme& theme) {
  const bool good = mark.cell->quality == profiler::CellQuality::good;
  p.setPen(QPen(good ? theme.text_secondary : theme.error, 1.25));
  p.setBrush(Qt::NoBrush);
  const QRectF box(mark.at.x() - kSmall, mark.at.y() - kSmall, 2 * kSmall, 2 * kSmall);
  if (!good) {
    p.drawLine(box.topLeft(), box.bottomRight());
    p.drawLine(box.topRight(), box.bottomLeft());
  } else if (mark.cell->threads > 0) {
    p.drawEllipse(box);
  } else {
    p.drawRect(box);
  }
}

void paint_row(QPainter& p, const PointRow& row, const SweepMarksShown& shown, const Theme& theme) {
  if (shown.selected == row.point) p.fillRect(row.lane, theme.surface_alternate);
  p.setPen(QPen(theme.border, 1, Qt::DotLine));
  p.drawLine(QPointF(row.label_rect.right() + kGrid, row.lane.center().y()),
             QPointF(row.lane.right(), row.lane.center().y()));
  draw_text(p, row.label_rect, Qt::AlignRight | Qt::AlignVCenter, row.label, theme.text);
  for (const PublishedMark& mark : row.published) paint_published(p, mark, theme);
  if (!row.note.isEmpty()) {
    draw_text(p, row.lane.adjusted(row.label_rect.width() + 3 * kGrid, 0, -kGrid, 0), Qt::AlignLeft | Qt::AlignVCenter,
              row.note, theme.error);
  }
  const double y = row.lane.center().y();
  if (!std::isnan(row.predicted_x)) {
    p.setPen(QPen(theme.measure, 1.25, Qt::DashLine));
    p.drawLine(QPointF(row.predicted_x, row.lane.top() + 4), QPointF(row.predicted_x, row.lane.bottom() - 4));
  }
  if (std::isnan(row.x)) return;
  p.setPen(QPen(theme.measure, 2));
  if (!shown.exact && row.high_x - row.low_x > 2) p.drawLine(QPointF(row.low_x, y), QPointF(row.high_x, y));
  p.setBrush(row.noisy ? theme.surface : theme.measure);
  p.drawEllipse(QPointF(row.x, y), kDot, kDot);
  p.setBrush(Qt::NoBrush);
  if (shown.hover != row.point && shown.selected != row.point) return;
  p.setPen(QPen(theme.text, shown.selected == row.point ? 2 : 1.25));
  p.drawEllipse(QPointF(row.x, y), kDot + 3.5, kDot + 3.5);
}

}  // namespace

void paint_points(QPainter& p, const PointsPlot& plot, const SweepMarksShown& shown, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  for (const PointsPlot::Tick& tick : plot.ticks) {
    p.setPen(QPen(theme.border, 1));
    p.drawLine(QPointF(tick.x, plot.plot.top()), QPointF(tick.x, plot.plot.bottom()));
    if (tick.text.isEmpty()) continue;
    const double half = text_width(p.font(), tick.text) / 2 + 2, height = p.fontMetrics().height();
    draw_text(p, QRectF(tick.x - half, plot.plot.bottom() + 2, 2 * half, height), Qt::AlignCenter, tick.text,
              theme.text_secondary);
  }
  for (const PointRow& row : plot.rows) paint_row(p, row, shown, theme);
  if (plot.left_out == 0) return;
  draw_text(p,
            QRectF(plot.plot.left(), plot.plot.bottom() + p.fontMetrics().height() + 2, plot.plot.width(),
                   p.fontMetrics().height()),
            Qt::AlignRight, QObject::tr("%1 more in the table").arg(plot.left_out), theme.text_secondary);
}

void paint_trajectories(QPainter& p, const Trajectories& all, const QRectF& rect, const SweepMarksShown& shown,
                        const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  const double height = p.fontMetrics().height();
  for (const TrajectoryRoof& roof : all.roofs) {
    p.setPen(QPen(theme.text_secondary, 1.5));
    p.drawLine(roof.from, roof.to);
    const bool level = std::abs(roof.from.y() - roof.to.y()) < 1;
    const double width = std::min(rect.width(), text_width(p.font(), roof.text) + 4);
    const QRectF label =
        level ? QRectF(roof.to.x() - width - 4, roof.to.y() - height - 2, width, height)
              : QRectF(roof.from.x() + 8, std::max(rect.top(), roof.from.y() - height - 22), width, height);
    draw_text(p, label, Qt::AlignLeft, roof.text, theme.text_secondary);
  }
  for (const Trajectory& path : all.paths) {
    const QColor colour = series_colour(theme, path.series);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(colour, 2));
    QPainterPath line;
    for (size_t i = 0; i < path.stops.size(); ++i)
      i == 0 ? line.moveTo(path.stops[i].at) : line.lineTo(path.stops[i].at);
    p.drawPath(line);
    for (size_t i = 0; i < path.stops.size(); ++i) {
      const Trajectory::Stop& stop = path.stops[i];
      if (!rect.adjusted(-1, -1, 1, 1).contains(stop.at)) continue;
      // The first is hollow: the way starts there.
      p.setPen(QPen(colour, 1.5));
      p.setBrush(i == 0 ? theme.surface : colour);
      p.drawEllipse(stop.at, kDot, kDot);
      p.setBrush(Qt::NoBrush);
      if (shown.hover != stop.point && shown.selected != stop.point) continue;
      p.setPen(QPen(theme.text, shown.selected == stop.point ? 2 : 1.25));
      p.drawEllipse(stop.at, kDot + 3.5, kDot + 3.5);
    }
  }
}

}  // namespace views
