// SPDX-License-Identifier: GPL-3.0-or-later
// Curves, intervals, marks and the heat map of a sweep.
#include "views/sweep/sweep_paint.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <array>
#include <cmath>

#include "views/base/paint.h"

namespace views {
namespace {

constexpr double kDot = 4.5, kWhisker = 4;

QColor mark_colour(const SweepMark& mark, const Theme& theme) {
  switch (mark.kind) {
    case SweepMark::Kind::knee:
    case SweepMark::Kind::predicted_knee: return series_colour(theme, mark.series);
    case SweepMark::Kind::cliff:
    case SweepMark::Kind::machine: return theme.text_secondary;
    case SweepMark::Kind::lost: return theme.error;
  }
  return theme.text;
}

Qt::PenStyle mark_style(SweepMark::Kind kind) {
  return kind == SweepMark::Kind::knee || kind == SweepMark::Kind::lost ? Qt::SolidLine
         : kind == SweepMark::Kind::predicted_knee                      ? Qt::DashLine
                                                                        : Qt::DotLine;
}

void paint_marks(QPainter& p, const SweepLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  for (const SweepMark& mark : layout.marks) {
    const QColor colour = mark_colour(mark, theme);
    p.setPen(QPen(colour, mark.kind == SweepMark::Kind::knee ? 1.5 : 1, mark_style(mark.kind)));
    p.drawLine(
        QPointF(mark.x, mark.label.isEmpty() || mark.label.center().y() > layout.rect.center().y() ? layout.rect.top()
                                                                                                   : mark.label.top()),
        QPointF(mark.x, layout.rect.bottom()));
    if (mark.label.isEmpty()) continue;
    QColor plate = theme.surface;
    plate.setAlphaF(0.85f);
    p.fillRect(mark.label, plate);
    draw_text(p, mark.label, Qt::AlignLeft | Qt::AlignVCenter, mark.text, colour);
  }
  p.setFont(font);
}

void paint_zone(QPainter& p, const SweepZone& zone, const Theme& theme) {
  QColor shade = theme.text_secondary;
  shade.setAlphaF(0.12f);
  p.fillRect(zone.rect, shade);
  const double line = QFontMetricsF(p.font()).height();
  draw_text(p, QRectF(zone.rect.left() + 4, zone.rect.bottom() - line - 2, zone.rect.width() - 8, line),
            Qt::AlignRight | Qt::AlignVCenter, zone.text, theme.text_secondary);
}

QPainterPath path_of(const std::vector<QPointF>& points) {
  QPainterPath path;
  for (size_t i = 0; i < points.size(); ++i) i == 0 ? path.moveTo(points[i]) : path.lineTo(points[i]);
  return path;
}

void paint_curve(QPainter& p, const SweepCurve& curve, const SweepMarksShown& shown, const Theme& theme) {
  const QColor colour = series_colour(theme, curve.series);
  p.setBrush(Qt::NoBrush);
  if (curve.predicted.size() > 1) {
    p.setPen(QPen(colour, 1.25, Qt::DashLine));
    p.drawPath(path_of(curve.predicted));
  }
  if (curve.law.size() > 1) {
    p.setPen(QPen(theme.text_secondary, 1.5, Qt::DotLine));
    p.drawPath(path_of(curve.law));
  }
  std::vector<QPointF> line;
  for (const SweepDot& dot : curve.dots) line.push_back(dot.at);
  p.setPen(QPen(colour, 2));
  if (line.size() > 1) p.drawPath(path_of(line));
  for (const SweepDot& dot : curve.dots) {
    p.setPen(QPen(colour, 1.25));
    if (!shown.exact && std::abs(dot.low_y - dot.high_y) > 2) {
      p.drawLine(QPointF(dot.at.x(), dot.low_y), QPointF(dot.at.x(), dot.high_y));
      for (const double y : {dot.low_y, dot.high_y})
        p.drawLine(QPointF(dot.at.x() - kWhisker, y), QPointF(dot.at.x() + kWhisker, y));
    }
    p.setBrush(dot.noisy ? theme.surface : colour);
    p.drawEllipse(dot.at, kDot, kDot);
    p.setBrush(Qt::NoBrush);
    if (shown.hover == dot.point || shown.selected == dot.point) {
      p.setPen(QPen(theme.text, shown.selected == dot.point ? 2 : 1.25));
      p.drawEllipse(dot.at, kDot + 3.5, kDot + 3.5);
    }
  }
}

/// From the surface to the colour of figures.
QColor shade(const Theme& theme, double ratio) {
  const QColor &a = theme.surface_alternate, &b = theme.measure;
  const auto mix = [&](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * (0.1 + 0.9 * ratio)));
  };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

}  // namespace

QColor series_colour(const Theme& theme, size_t index) {
  constexpr std::array kInks{profiler::Bound::compute, profiler::Bound::latency, profiler::Bound::balanced,
                             profiler::Bound::overhead, profiler::Bound::memory};
  return theme.bound(kInks[index % kInks.size()]);
}

namespace {

/// Thin and dotted: circles of the first processor, squares of the second; what is no evidence is a cross.
void paint_traces(QPainter& p, const SweepLayout& layout, const Theme& theme) {
  constexpr double kSmall = 2.5;
  for (const PublishedTrace& trace : layout.published) {
    for (const std::vector<PublishedPoint>& stretch : trace.stretches) {
      p.setBrush(Qt::NoBrush);
      p.setPen(QPen(theme.text_secondary, 1, Qt::DotLine));
      for (size_t i = 1; i < stretch.size(); ++i) p.drawLine(stretch[i - 1].at, stretch[i].at);
      for (const PublishedPoint& point : stretch) {
        const bool good = point.cell->quality == profiler::CellQuality::good;
        const QRectF box(point.at.x() - kSmall, point.at.y() - kSmall, 2 * kSmall, 2 * kSmall);
        draw_mark(p, box, good ? theme.text_secondary : theme.error,
                  !good                 ? Mark::cross
                  : trace.platform == 0 ? Mark::ring
                                        : Mark::frame);
      }
    }
  }
}

}  // namespace

void paint_sweep(QPainter& p, const SweepLayout& layout, const SweepMarksShown& shown, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  if (layout.shared_cores) paint_zone(p, *layout.shared_cores, theme);
  paint_traces(p, layout, theme);
  paint_marks(p, layout, theme);
  for (const SweepCurve& curve : layout.curves) paint_curve(p, curve, shown, theme);
}

void paint_heat_map(QPainter& p, const HeatMap& map, profiler::Quantity quantity_kind, std::optional<size_t> selected,
                    const Theme& theme) {
  for (const HeatCell& cell : map.cells) {
    const bool known = !std::isnan(cell.shade);
    const QColor fill = known ? shade(theme, cell.shade) : theme.surface;
    p.fillRect(cell.rect, fill);
    if (!known) {
      p.setPen(QPen(theme.border, 1, Qt::DashLine));
      p.setBrush(Qt::NoBrush);
      p.drawRect(cell.rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    draw_text(p, cell.rect.adjusted(3, 0, -3, 0), Qt::AlignCenter, quantity(cell.value, quantity_kind), label_on(fill));
    if (cell.noisy) {
      p.setPen(QPen(label_on(fill), 1.25));
      p.setBrush(Qt::NoBrush);
      p.drawEllipse(cell.rect.topLeft() + QPointF(7, 7), 3, 3);
    }
    if (selected != cell.point) continue;
    p.setPen(QPen(theme.text, 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(cell.rect.adjusted(1, 1, -1, -1));
  }
  for (qsizetype i = 0; i < map.columns.size(); ++i) {
    draw_text(p, map.column_labels[static_cast<size_t>(i)], Qt::AlignCenter, map.columns[i], theme.text);
  }
  for (qsizetype i = 0; i < map.rows.size(); ++i) {
    draw_text(p, map.row_labels[static_cast<size_t>(i)], Qt::AlignRight | Qt::AlignVCenter, map.rows[i], theme.text);
  }
  if (map.cells.empty()) return;
  const QRectF first = map.column_labels.front();
  draw_bold(p,
            QRectF(first.left(), first.top() - first.height(), map.column_labels.back().right() - first.left(),
                   first.height()),
            Qt::AlignCenter, map.column_axis, theme.text_secondary);
  draw_bold(p, QRectF(map.row_labels.front().left(), first.top(), map.row_labels.front().width(), first.height()),
            Qt::AlignRight | Qt::AlignVCenter, map.row_axis, theme.text_secondary);
}

}  // namespace views
