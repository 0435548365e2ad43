// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of loss curves over the steps of training, both axes logarithmic: a thin line per seed, their median. Pure.
#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <vector>

#include "profiler/sweep/losses.h"
#include "views/sweep/sweep_layout.h"

namespace views {

struct LossDot {
  QPointF at;
  size_t curve = 0, point = 0;
  int steps = 0;
  double loss = 0;
};

struct LossLayout {
  struct Curve {
    std::vector<QPolygonF> runs;  ///< one per seed
    QPolygonF median;
  };
  std::vector<Curve> curves;  ///< in the order of profiler::loss_curves()
  std::vector<LossDot> dots;  ///< of all runs
  const LossDot* dot_at(QPointF) const;
};

/// A range that shows all losses above 0.
ChartRange loss_range(const std::vector<profiler::LossCurve>&);
LossLayout layout_losses(const std::vector<profiler::LossCurve>&, const ChartRange&, const QRectF&);
/// The counts of steps with a loss, ascending.
std::vector<double> loss_steps(const std::vector<profiler::LossCurve>&);

}  // namespace views
