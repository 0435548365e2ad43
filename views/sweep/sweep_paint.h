// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a sweep's layout: measured curves solid with their intervals, what the roofs said dashed.
#pragma once

#include <QPainter>
#include <optional>

#include "views/base/theme.h"
#include "views/sweep/loss_layout.h"
#include "views/sweep/points_layout.h"
#include "views/sweep/sweep_layout.h"

namespace views {

/// Distinct, colour-blind safe; `index` of the series.
QColor series_colour(const Theme&, size_t index);

struct SweepMarksShown {
  std::optional<size_t> selected, hover;  ///< points
  bool exact = false;                     ///< the metric has no spread and no prediction
};
void paint_sweep(QPainter&, const SweepLayout&, const SweepMarksShown&, const Theme&);
void paint_heat_map(QPainter&, const HeatMap&, profiler::Quantity, std::optional<size_t> selected, const Theme&);

/// Rows of points; measured solid, predicted a dashed line, published hollow, cells that are no evidence crossed.
void paint_points(QPainter&, const PointsPlot&, const SweepMarksShown&, const Theme&);
void paint_losses(QPainter&, const LossLayout&, const SweepMarksShown&, const Theme&);
void paint_trajectories(QPainter&, const Trajectories&, const QRectF& rect, const SweepMarksShown&, const Theme&);

}  // namespace views
