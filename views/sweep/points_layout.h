// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of a sweep as rows, one per point, along one logarithmic axis; published times stand in the row they belong
// to. Pure.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <vector>

#include "profiler/sweep/reference.h"
#include "views/sweep/sweep_layout.h"

namespace views {

struct PublishedMark {
  QPointF at;
  const profiler::ReferenceCell* cell = nullptr;
};

struct PointRow {
  size_t point = 0;
  QRectF lane;  ///< the whole row
  QRectF label_rect;
  QString label;
  double x = 0;  ///< pixel of the figure; NaN: unknown
  double low_x = 0, high_x = 0;
  double predicted_x = 0;  ///< NaN: not predicted
  bool noisy = false;
  QString note;                          ///< instead of a figure: "does not fit into memory"
  std::vector<PublishedMark> published;  ///< times only; doubtful and mismatched cells among them
};

struct PointsPlot {
  QRectF plot;  ///< where the marks are
  std::vector<PointRow> rows;
  struct Tick {
    double x = 0;
    QString text;  ///< empty: no room
  };
  std::vector<Tick> ticks;
  size_t left_out = 0;     ///< points without room
  bool published = false;  ///< some row has published times
  const PointRow* row_at(QPointF) const;
  const PublishedMark* mark_at(QPointF) const;
};
PointsPlot layout_points(const profiler::Sweep&, SweepMetric, const QRectF&, const QFont&);

/// The way of one series over the roofline: from its first point to its last.
struct Trajectory {
  size_t series = 0;
  struct Stop {
    size_t point = 0;
    double intensity = 0;    ///< FLOP per byte through DRAM (modelled)
    double gflop_per_s = 0;  ///< measured
    QPointF at;
  };
  std::vector<Stop> stops;
};
struct TrajectoryRoof {
  QPointF from, to;
  QString text;
};
struct Trajectories {
  std::vector<Trajectory> paths;
  std::vector<TrajectoryRoof> roofs;
  const Trajectory::Stop* stop_at(QPointF) const;
};
/// A range that shows all stops and the ridge. Where no point has both figures: 0.1..100 FLOP/B.
ChartRange trajectory_range(const profiler::Sweep&, const std::vector<profiler::SweepSeries>&);
Trajectories layout_trajectories(const profiler::Sweep&, const std::vector<profiler::SweepSeries>&, const ChartRange&,
                                 const QRectF&);

}  // namespace views
