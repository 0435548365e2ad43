// SPDX-License-Identifier: GPL-3.0-or-later
// Loss curves: seeds thin, their median thick.
#include "views/sweep/sweep_paint.h"

namespace views {

void paint_losses(QPainter& p, const LossLayout& layout, const SweepMarksShown& shown, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  for (size_t i = 0; i < layout.curves.size(); ++i) {
    QColor thin = series_colour(theme, i);
    thin.setAlphaF(0.45f);
    p.setPen(QPen(thin, 1));
    for (const QPolygonF& run : layout.curves[i].runs) p.drawPolyline(run);
  }
  for (size_t i = 0; i < layout.curves.size(); ++i) {
    const QColor colour = series_colour(theme, i);
    // Curves that lie upon each other are told apart by their dashes.
    constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
    p.setPen(QPen(colour, 2.5, kStyles[i % std::size(kStyles)], Qt::FlatCap));
    p.drawPolyline(layout.curves[i].median);
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    for (const QPointF& at : layout.curves[i].median) p.drawEllipse(at, 3, 3);
    p.setBrush(Qt::NoBrush);
  }
  for (const LossDot& dot : layout.dots) {
    if (shown.selected != dot.point && shown.hover != dot.point) continue;
    p.setPen(QPen(theme.text, shown.selected == dot.point ? 1.5 : 1));
    p.drawEllipse(dot.at, 4.5, 4.5);
  }
}

}  // namespace views
