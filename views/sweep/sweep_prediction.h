// SPDX-License-Identifier: GPL-3.0-or-later
// A learner's prediction in the curves of a sweep: where it lies in pixels, and its look.
#pragma once

#include <QPainter>
#include <optional>
#include <vector>

#include "views/base/prediction.h"
#include "views/sweep/sweep_layout.h"

namespace views {

struct SweepPrediction {
  std::vector<QPointF> curve;    ///< left to right
  double mark = 0;               ///< what was said
  std::optional<double> mark_x;  ///< pixel
};
/// A curve lies as far from the measured one as what was said from the answer. A mark beyond the axis stands at its
/// end.
SweepPrediction layout_prediction(const Prediction::Said&, const profiler::Sweep&,
                                  const std::vector<profiler::SweepSeries>&, SweepMetric, const ChartRange&,
                                  const QRectF&);
/// The range, so wide that it shows what was said, too.
ChartRange with_prediction(ChartRange, const Prediction::Said&, const profiler::Sweep&,
                           const std::vector<profiler::SweepSeries>&, SweepMetric);
void paint_prediction(QPainter&, const SweepPrediction&, const QRectF& rect, const Theme&);

}  // namespace views
