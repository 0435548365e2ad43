// SPDX-License-Identifier: GPL-3.0-or-later
// Losses as pixels.
#include "views/sweep/loss_layout.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace views {
namespace {

constexpr double kHit = 12;

QPolygonF line_of(const std::vector<profiler::SweepLoss>& losses, const LogScale& scale) {
  QPolygonF line;
  for (const profiler::SweepLoss& loss : losses) {
    if (loss.loss > 0 && std::isfinite(loss.loss)) line << scale.at(loss.steps, loss.loss);
  }
  return line;
}

}  // namespace

const LossDot* LossLayout::dot_at(QPointF at) const {
  const auto distance = [&](const LossDot& dot) { return std::hypot(dot.at.x() - at.x(), dot.at.y() - at.y()); };
  const auto nearest = std::ranges::min_element(dots, {}, distance);
  return nearest == dots.end() || distance(*nearest) >= kHit ? nullptr : &*nearest;
}

ChartRange loss_range(const std::vector<profiler::LossCurve>& curves) {
  double x_high = 0, x_low = INFINITY, y_low = INFINITY, y_high = 0;
  for (const profiler::LossCurve& curve : curves) {
    for (const profiler::LossRun& run : curve.runs) {
      for (const profiler::SweepLoss& loss : run.losses) {
        if (!(loss.loss > 0) || !std::isfinite(loss.loss)) continue;
        x_low = std::min<double>(x_low, loss.steps), x_high = std::max<double>(x_high, loss.steps);
        y_low = std::min(y_low, loss.loss), y_high = std::max(y_high, loss.loss);
      }
    }
  }
  if (!(x_high > 0)) return {0.5, 2, 0.5, 2};
  return {x_low / 1.15, x_high * 1.15, y_low / 1.4, y_high * 1.4};
}

LossLayout layout_losses(const std::vector<profiler::LossCurve>& curves, const ChartRange& range, const QRectF& rect) {
  const LogScale scale{range, rect};
  LossLayout out;
  for (const profiler::LossCurve& curve : curves) {
    LossLayout::Curve lines;
    for (const profiler::LossRun& run : curve.runs) {
      lines.runs.push_back(line_of(run.losses, scale));
      for (const profiler::SweepLoss& loss : run.losses) {
        if (loss.loss > 0 && std::isfinite(loss.loss))
          out.dots.push_back({scale.at(loss.steps, loss.loss), out.curves.size(), run.point, loss.steps, loss.loss});
      }
    }
    lines.median = line_of(curve.median, scale);
    out.curves.push_back(std::move(lines));
  }
  return out;
}

std::vector<double> loss_steps(const std::vector<profiler::LossCurve>& curves) {
  std::set<double> steps;
  for (const profiler::LossCurve& curve : curves) {
    for (const profiler::SweepLoss& loss : curve.median) steps.insert(loss.steps);
  }
  return {steps.begin(), steps.end()};
}

}  // namespace views
