// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the roofline: roofs, ridge points and dots in pixels, for a visible range and a rectangle; pure.
#pragma once

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/analysis/roofline.h"
#include "profiler/capture/capture.h"
#include "views/widgets/chart.h"

namespace views {

/// From FLOP/B and GFLOP/s (both logarithmic) to pixels; whatever else is drawn among the dots takes its places from
/// here.
struct RooflineScale {
  ChartRange range;
  QRectF rect;
  double x(double intensity) const;
  double y(double gflop_per_s) const;
  QPointF at(double intensity, double gflop_per_s) const { return {x(intensity), y(gflop_per_s)}; }
};

/// Instead of a level's name: every level at once, a dot per op and level.
inline constexpr const char* kAllLevels = "";

/// The levels of a roofline's points, farthest first (as the analysis orders them).
std::vector<std::string> roofline_levels(const profiler::Roofline&);

/// A roof as a line. Memory roofs rise with slope 1 in log-log; compute roofs are level.
struct RoofShape {
  size_t roof = 0;  ///< index into Roofline::roofs
  QPointF from, to;
  bool memory = false;  ///< else a compute roof
  bool chosen = false;  ///< the level looked at, or a compute roof
  QString text;
  QPointF label;          ///< left end of the label's base line
  double angle = 0;       ///< degrees, clockwise as QPainter turns
  bool labelled = false;  ///< false: no room
};

/// Where a memory roof meets the compute roof: left of it memory limits, right of it arithmetic.
struct RidgePoint {
  QPointF at;
  double intensity = 0;  ///< FLOP/B
  QRectF label;          ///< empty: no room
  QPointF leader;        ///< where the line from the point to its label ends
  QString text;          ///< "DRAM ridge 20 FLOP/B"
  QString short_text;    ///< "DRAM ridge 20", where there is no room for the unit, which the axis has
  QString label_text;    ///< of both the one that stands in the picture
  bool chosen = false;
};

struct RooflineDot {
  profiler::OpId op = profiler::kNoOp;
  QPointF centre;
  double radius = 0;
  size_t point = 0;     ///< index into Roofline::points
  size_t level = 0;     ///< index into roofline_levels(): the dot's shape
  bool binds = true;    ///< of this op's levels the one whose roof allows the least (all levels shown; else always)
  bool beyond = false;  ///< no bytes at this level: infinite intensity, stands at the right edge
  bool above = false;   ///< faster than its roof: no bound (profiler::above_roof)
};

struct RooflineLayout {
  QRectF rect;
  std::vector<RoofShape> roofs;
  std::vector<RidgePoint> ridges;
  std::vector<RooflineDot> dots;  ///< largest first, so that small ones are painted on top
  int beyond = 0;
  bool crowded = false;  ///< too many ops for a dot at every level: each has the one whose roof is nearest

  /// The smallest dot under a point (at least 4 px are enough to hit).
  const RooflineDot* dot_at(QPointF) const;
};

/// A range that shows all points of all levels and all roofs; y in GFLOP/s.
ChartRange roofline_range(const profiler::Roofline&);

/// Dots beyond which levels that do not bind are left out of a picture of all levels.
inline constexpr size_t kCrowd = 600;

/// Whether a picture of all levels would have more dots than kCrowd.
bool is_crowd(const profiler::Roofline&);

/// One level's dots, or those of all levels (kAllLevels). y in GFLOP/s.
RooflineLayout layout_roofline(const profiler::Roofline&, const std::string& level, const ChartRange&, const QRectF&,
                               const QFont&);

/// Where one op stands at every level, nearest to memory last; for the line that joins them on hover.
struct LevelSpot {
  QPointF at;
  std::string level;
  size_t index = 0;  ///< into roofline_levels()
};
std::vector<LevelSpot> level_spots(const profiler::Roofline&, profiler::OpId, const ChartRange&, const QRectF&);

}  // namespace views
