// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry and paint of a prediction in a sweep.
#include "views/sweep/sweep_prediction.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"

namespace views {

namespace {

/// What was said of a curve, in axis values.
std::vector<QPointF> said_curve(const Prediction::Said& said, const profiler::Sweep& sweep,
                                const profiler::SweepSeries& series, SweepMetric metric) {
  std::vector<QPointF> all;
  const SweepValues values(sweep, metric);
  for (const QPointF& place : said.curve) {
    const auto at = std::ranges::find(series.x, place.x());
    if (at == series.x.end()) continue;
    const double measured = values(series.points[static_cast<size_t>(at - series.x.begin())]).value;
    if (measured * place.y() > 0) all.emplace_back(place.x(), measured * place.y() / sweep_metric(metric).unit);
  }
  return all;
}

}  // namespace

SweepPrediction layout_prediction(const Prediction::Said& said, const profiler::Sweep& sweep,
                                  const std::vector<profiler::SweepSeries>& all, SweepMetric metric,
                                  const ChartRange& range, const QRectF& rect) {
  SweepPrediction out;
  if (all.empty()) return out;
  const LogScale scale{range, rect};
  for (const QPointF& at : said_curve(said, sweep, all.front(), metric))
    out.curve.emplace_back(scale.x(at.x()), std::clamp(scale.y(at.y()), rect.top(), rect.bottom()));
  if (!said.mark || !(*said.mark > 0)) return out;
  out.mark = *said.mark;
  out.mark_x = std::clamp(scale.x(out.mark), rect.left(), rect.right());
  return out;
}

ChartRange with_prediction(ChartRange range, const Prediction::Said& said, const profiler::Sweep& sweep,
                           const std::vector<profiler::SweepSeries>& all, SweepMetric metric) {
  constexpr double kAir = 1.3;
  if (all.empty()) return range;
  for (const QPointF& at : said_curve(said, sweep, all.front(), metric)) {
    range.y_low = std::min(range.y_low, at.y() / kAir);
    range.y_high = std::max(range.y_high, at.y() * kAir);
  }
  if (!said.mark || !(*said.mark > 0)) return range;
  range.x_low = std::min(range.x_low, *said.mark / kAir);
  range.x_high = std::max(range.x_high, *said.mark * kAir);
  return range;
}

void paint_prediction(QPainter& p, const SweepPrediction& prediction, const QRectF& rect, const Theme& theme) {
  const QString you = QCoreApplication::translate("views", "your prediction");
  p.setRenderHint(QPainter::Antialiasing);
  p.setBrush(Qt::NoBrush);
  if (prediction.mark_x) {
    p.setPen(QPen(prediction_colour(theme), 2, Qt::DashDotLine));
    p.drawLine(QPointF(*prediction.mark_x, rect.top()), QPointF(*prediction.mark_x, rect.bottom()));
    draw_prediction_mark(p, QPointF(*prediction.mark_x, rect.center().y()),
                         QStringLiteral("%1: %2").arg(you).arg(prediction.mark, 0, 'g', 3), rect, theme);
  }
  if (prediction.curve.empty()) return;
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(prediction_colour(theme), 2, Qt::DashDotLine));
  p.drawPolyline(prediction.curve.data(), static_cast<int>(prediction.curve.size()));
  for (const QPointF& at : prediction.curve) draw_prediction_mark(p, at, {}, rect, theme);
  draw_prediction_mark(p, prediction.curve.back(), you, rect, theme);
}

}  // namespace views
