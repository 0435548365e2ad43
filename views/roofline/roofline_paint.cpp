// SPDX-License-Identifier: GPL-3.0-or-later
// Roofs measured solid and specified dashed; dots translucent so that crowds show; text with a halo over the grid.
#include "views/roofline/roofline_paint.h"

#include <algorithm>
#include <cmath>

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
  // Levels that do not bind lie below those that do: hollow first.
  for (const bool binds : {false, true}) {
    for (const RooflineDot& dot : layout.dots) {
      if (dot.binds != binds) continue;
      const QColor colour = theme.bound(verdicts[dot.op].bound);
      QColor fill = colour;
      fill.setAlphaF(binds && !dot.beyond ? 0.5f : 0.0f);  // where no bytes are, there is no intensity to stand at
      p.setBrush(fill);
      p.setPen(QPen(colour, marks.hover == dot.op ? 2.5 : 1, dot.beyond ? Qt::DotLine : Qt::SolidLine));
      draw_level_mark(p, dot.centre, dot.radius, dot.level);
    }
  }
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
  for (const RooflineDot& dot : layout.dots) {
    if (marks.selected != dot.op || !dot.binds) continue;
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme.text, 2));
    draw_level_mark(p, dot.centre, dot.radius + 3.5, dot.level);
    const QFontMetricsF metrics(p.font());
    const double width = std::min(metrics.horizontalAdvance(marks.selected_name) + 2, layout.rect.width() * 0.5);
    QRectF rect(dot.centre.x() + dot.radius + 8, dot.centre.y() - metrics.height() / 2, width, metrics.height());
    if (rect.right() > layout.rect.right()) rect.moveRight(dot.centre.x() - dot.radius - 8);
    rect.moveLeft(
        std::clamp(rect.left(), layout.rect.left(), std::max(layout.rect.left(), layout.rect.right() - width)));
    rect.moveTop(
        std::clamp(rect.top(), layout.rect.top(), std::max(layout.rect.top(), layout.rect.bottom() - rect.height())));
    plate(p, rect, theme);
    draw_text(p, rect, Qt::AlignLeft | Qt::AlignVCenter, marks.selected_name, theme.text, Qt::ElideMiddle);
  }
}

}  // namespace views
