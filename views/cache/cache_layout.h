// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the cache view's four pictures: miss-ratio curve, causes per level, misses by set, accesses in order;
// pure.
#pragma once

#include <QFont>
#include <QPolygonF>
#include <QRectF>
#include <array>
#include <optional>
#include <vector>

#include "profiler/analysis/on_chip.h"
#include "views/cache/cache_figure.h"

namespace views {

enum class CacheTextRole : uint8_t { normal, secondary, bold, heading, warning };
struct CacheText {
  QRectF rect;
  QString text;
  CacheTextRole role = CacheTextRole::normal;
  int alignment = Qt::AlignLeft | Qt::AlignVCenter;
  QString whole = {};  ///< where `text` is a shorter form: all of it, for the tooltip
};

/// Something that stands at one cache size of the curve.
struct CurveMark {
  std::optional<size_t> level;  ///< nothing: the working set
  double x = 0;
  QPointF dot;  ///< what this level itself misses of all look-ups: above the curve are its conflicts; of off-chip
                ///< bytes: the curve at that size; NaN: none
  QString text;
  QRectF label;  ///< empty: no room
};

/// One level's misses by cause.
struct CauseBar {
  size_t level = 0;
  QRectF name, track, value, measured;
  std::array<QRectF, 3> parts;  ///< compulsory, capacity, conflict; all empty where not classified
  QRectF whole;                 ///< all misses
  QString value_text, measured_text;
};

/// Neighbouring sets [first, last) of the chosen level.
struct SetCell {
  QRectF rect;
  size_t first = 0, last = 0;
  double misses = 0;  ///< mean of these sets
  double shade = 0;   ///< 0..1 of the busiest, or of twice the mean where that is more: even misses are of middle shade
};

/// The bytes of one tensor among the first accesses.
struct OrderBand {
  QRectF rect, label;
  size_t tensor = 0;            ///< into OpSimulation::tensors
  uint64_t begin = 0, end = 0;  ///< addresses
};
struct OrderDot {
  QPointF at;
  size_t access = 0;  ///< into OpSimulation::first_accesses
  size_t band = 0;
};

struct CacheLayout {
  std::vector<CacheText> texts;
  QRectF curve_axes, sets, order;
  QPolygonF curve;
  std::vector<CurveMark> marks;
  std::vector<QPointF> x_ticks, y_ticks;  ///< where grid lines start
  /// Of a curve of off-chip bytes: the sizes between which its axis is logarithmic, from `first_x` on; 0: no such
  /// curve.
  double least_size = 0, most_size = 0, first_x = 0;
  /// The size of on-chip memory at a point of that axis; NaN: no such curve.
  double size_at(double x) const;
  std::vector<CauseBar> bars;
  std::array<QRectF, 3> cause_swatches;
  std::vector<SetCell> cells;
  QRectF set_scale;  ///< shades from no misses to `most_misses`, its ends written beside it; empty: no sets
  double most_misses = 0;
  std::vector<OrderBand> bands;
  std::array<QRectF, 3> order_swatches;  ///< found in the nearest cache, in a farther one, in memory; empty: no room
  std::vector<OrderDot> dots;            ///< in order, those shown
  double cursor_x = 0;                   ///< of the access just made

  const SetCell* set_at(QPointF) const;
  const CauseBar* bar_at(QPointF) const;
  /// The nearest shown access within 6 px.
  const OrderDot* dot_at(QPointF) const;
};

struct CacheLayoutOptions {
  size_t level = 0;                  ///< whose sets
  size_t shown_accesses = SIZE_MAX;  ///< of the first accesses
  QString heading, state;            ///< title; one line below it: how it was simulated, or what goes on
  bool state_is_warning = false;
  const profiler::OnChipCurve* on_chip = nullptr;  ///< drawn instead of the miss ratio; null: it is not
};

CacheLayout layout_cache(const profiler::OpSimulation&, const CacheFigure&, const QRectF&, const QFont&,
                         const CacheLayoutOptions&);

/// Misses of a fully associative LRU cache of so many bytes / look-ups, between the points of the curve; NaN: no curve.
double curve_ratio(const std::vector<profiler::CurvePoint>&, double cache_bytes);

}  // namespace views
