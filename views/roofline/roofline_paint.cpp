// SPDX-License-Identifier: GPL-3.0-or-later
// Roofs measured solid and specified dashed; dots translucent so that crowds show; text with a halo over the grid.
#include "views/roofline/roofline_paint.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "views/base/paint.h"

namespace views {
namespace {

/// A plate in the background colour under text that stands over lines.
void plate(QPainter& p, const QRectF& rect, const Theme& theme) {
  QColor fill = theme.surface;
  fill.setAlphaF(0.82f);
  p.fillRect(rect, fill);
}

void paint_roofs(QPainter& p, const profiler::Roofline& roofline, const RooflineLayout& layout, const Theme& theme) {
  int memory_index = 0;
  for (const RoofShape& shape : layout.roofs) {
    const auto& roof = roofline.roofs[shape.roof];
    const bool memory = !roof.level.empty();
    const QColor colour = memory ? theme.level(memory_index++) : theme.text_secondary;
    p.setPen(origin_pen(roof.origin, colour, shape.chosen ? 2.5 : 1.25));
    p.drawLine(shape.from, shape.to);
  }
}

void paint_roof_labels(QPainter& p, const RooflineLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  for (const RoofShape& shape : layout.roofs) {
    if (!shape.labelled) continue;
    p.save();
    p.setFont(scaled_font(font, 1.0, shape.chosen));
    p.translate(shape.label);
    p.rotate(shape.angle);
    const QFontMetricsF metrics(p.font());
    plate(p, QRectF(-2, -metrics.ascent(), metrics.horizontalAdvance(shape.text) + 4, metrics.ascent() + 1), theme);
    p.setPen(shape.chosen ? theme.text : theme.text_secondary);
    p.drawText(QPointF(0, -1), shape.text);
    p.restore();
  }
}

void paint_ridges(QPainter& p, const RooflineLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  for (const RidgePoint& ridge : layout.ridges) {
    const QColor colour = ridge.chosen ? theme.text : theme.text_secondary;
    if (!ridge.label.isEmpty()) {
      p.setPen(QPen(theme.border, 1));
      p.drawLine(ridge.at, ridge.leader);
    }
    p.setPen(QPen(colour, 1.5));
    p.setBrush(theme.surface);
    p.drawEllipse(ridge.at, ridge.chosen ? 4.5 : 3, ridge.chosen ? 4.5 : 3);
    if (ridge.label.isEmpty()) continue;
    plate(p, ridge.label, theme);
    draw_text(p, ridge.label, Qt::AlignCenter, ridge.label_text, colour);
  }
  p.setFont(font);
}

void paint_dots(QPainter& p, const RooflineLayout& layout, const std::vector<profiler::Verdict>& verdicts,
                const RooflineMarks& marks, const Theme& theme) {
  const double opacity = dot_opacity(layout.dots.size());
  // Levels that do not bind lie below those that do: hollow first.
  for (const bool binds : {false, true}) {
    for (const RooflineDot& dot : std::span(layout.dots).first(std::min(marks.most_dots, layout.dots.size()))) {
      if (dot.binds != binds) continue;
      const bool hovered = marks.hover == dot.op, overhead = verdicts[dot.op].bound == profiler::Bound::overhead;
      QColor line = theme.bound(verdicts[dot.op].bound), fill = line;
      fill.setAlphaF(binds && !dot.beyond && !overhead ? static_cast<float>(0.5 * opacity) : 0.0f);
      if (!hovered) line.setAlphaF(static_cast<float>((binds ? 1.0 : 0.6) * std::sqrt(opacity)));
      p.setBrush(fill);
      p.setPen(QPen(line, hovered ? 2.5 : 1, dot.beyond ? Qt::DotLine : Qt::SolidLine));
      draw_level_mark(p, dot.centre, dot.radius, dot.level);
      if (overhead && binds) draw_overhead_mark(p, dot.centre, dot.radius);
      if (!dot.above || dot.centre.y() - dot.radius - 8 < layout.rect.top()) continue;
      p.setPen(QPen(theme.warning, 1.75));
      draw_above_mark(p, dot.centre, dot.radius);
    }
  }
}

/// A name beside its dot, inside the axes whatever part of them is in view.
void paint_name(QPainter& p, const RooflineLayout& layout, const RooflineDot& dot, const QString& name,
                const Theme& theme) {
  const QFontMetricsF metrics(p.font());
  const double width = std::min(metrics.horizontalAdvance(name) + 2, layout.rect.width() * 0.5);
  QRectF rect(dot.centre.x() + dot.radius + 8, dot.centre.y() - metrics.height() / 2, width, metrics.height());
  if (rect.right() > layout.rect.right()) rect.moveRight(dot.centre.x() - dot.radius - 8);
  rect.moveLeft(std::clamp(rect.left(), layout.rect.left(), std::max(layout.rect.left(), layout.rect.right() - width)));
  rect.moveTop(
      std::clamp(rect.top(), layout.rect.top(), std::max(layout.rect.top(), layout.rect.bottom() - rect.height())));
  plate(p, rect, theme);
  draw_text(p, rect, Qt::AlignLeft | Qt::AlignVCenter, name, theme.text, Qt::ElideMiddle);
}

}  // namespace

void draw_level_mark(QPainter& p, QPointF centre, double radius, size_t level) {
  const double square = radius * std::sqrt(M_PI) / 2;  // half the side of the square of the circle's area
  switch (level % 4) {
    case 0: p.drawEllipse(centre, radius, radius); break;
    case 1: p.drawRect(QRectF(centre.x() - square, centre.y() - square, 2 * square, 2 * square)); break;
    case 2: {
      const double reach = square * std::sqrt(2.0);
      p.drawPolygon(QPolygonF({centre - QPointF(0, reach), centre + QPointF(reach, 0), centre + QPointF(0, reach),
                               centre - QPointF(reach, 0)}));
      break;
    }
    default: {
      const double reach = radius * std::sqrt(4 * M_PI / (3 * std::sqrt(3.0)));  // from the centre to a corner
      p.drawPolygon(QPolygonF({centre - QPointF(0, reach), centre + QPointF(reach * std::sqrt(3.0) / 2, reach / 2),
                               centre + QPointF(-reach * std::sqrt(3.0) / 2, reach / 2)}));
    }
  }
}

void draw_overhead_mark(QPainter& p, QPointF centre, double radius) {
  const double reach = std::max(1.5, radius * 0.55);
  p.drawLine(centre + QPointF(-reach, -reach), centre + QPointF(reach, reach));
  p.drawLine(centre + QPointF(-reach, reach), centre + QPointF(reach, -reach));
}

void draw_above_mark(QPainter& p, QPointF centre, double radius) {
  const QPointF tip = centre - QPointF(0, radius + 6);
  p.drawPolyline(QPolygonF({tip + QPointF(-4, 4), tip, tip + QPointF(4, 4)}));
}

double dot_opacity(size_t dots) {
  constexpr double kFew = 60, kLeast = 0.3;
  return std::clamp(std::sqrt(kFew / static_cast<double>(std::max<size_t>(1, dots))), kLeast, 1.0);
}

void paint_roofline(QPainter& p, const profiler::Roofline& roofline, const RooflineLayout& layout,
                    const std::vector<profiler::Verdict>& verdicts, const RooflineMarks& marks, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  paint_roofs(p, roofline, layout, theme);
  paint_dots(p, layout, verdicts, marks, theme);
  paint_roof_labels(p, layout, theme);
  paint_ridges(p, layout, theme);
  if (marks.spots.size() > 1) {
    p.setPen(QPen(theme.text, 1, Qt::DotLine));
    for (size_t i = 1; i < marks.spots.size(); ++i) p.drawLine(marks.spots[i - 1].at, marks.spots[i].at);
    p.setBrush(theme.surface);
    p.setPen(QPen(theme.text, 1.25));
    const QFontMetricsF metrics(p.font());
    double free_from = layout.rect.left();
    for (const LevelSpot& spot : marks.spots) {
      draw_level_mark(p, spot.at, 3.5, spot.index);
      const QString name = QString::fromStdString(spot.level);
      const double width = metrics.horizontalAdvance(name);
      const QRectF rect(spot.at.x() - width / 2, std::min(spot.at.y() + 6, layout.rect.bottom() - metrics.height()),
                        width, metrics.height());
      if (rect.left() < free_from || rect.right() > layout.rect.right()) continue;
      plate(p, rect, theme);
      draw_text(p, rect, Qt::AlignCenter, name, theme.text);
      free_from = rect.right() + 4;
      p.setBrush(theme.surface);
      p.setPen(QPen(theme.text, 1.25));
    }
  }
  const RooflineDot* hovered = nullptr;
  for (const RooflineDot& dot : layout.dots) {
    if (marks.hover == dot.op && (hovered == nullptr || dot.binds)) hovered = &dot;
    if (marks.selected != dot.op || !dot.binds) continue;
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme.text, 2));
    draw_level_mark(p, dot.centre, dot.radius + 3.5, dot.level);
    paint_name(p, layout, dot, marks.selected_name, theme);
  }
  if (hovered != nullptr && marks.hover != marks.selected) paint_name(p, layout, *hovered, marks.hover_name, theme);
}

}  // namespace views
