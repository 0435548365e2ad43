// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the traffic picture: from figures to rectangles, ribbons and places for text; pure, no painter, no
// widget.
#pragma once

#include <QFont>
#include <QPolygonF>
#include <QRectF>
#include <array>
#include <optional>
#include <vector>

#include "views/traffic/traffic_figure.h"

namespace views {

enum class WidthScale : uint8_t { logarithmic, linear };

/// One role's part of a ribbon.
struct RibbonBand {
  engine::Role role = engine::Role::activation;
  double bytes = 0;
  QPolygonF polygon;
};

/// All bytes of one link in one direction: an arrow whose width stands for the bytes, split by role.
struct Ribbon {
  size_t link = 0;
  FlowDirection direction = FlowDirection::read;
  double bytes = 0, width = 0;  ///< width 0: nothing moves, nothing is drawn
  QRectF slot;                  ///< where it may be drawn and clicked
  QRectF label;                 ///< where its number stands
  QString text;                 ///< bytes and, where there is room, share of the link's peak
  double other_width = 0;       ///< of the same ribbon in the run compared with, in the same scale; NaN: none
  QRectF other_bar;             ///< that run's, below this one's and in the same scale; empty: none
  QPolygonF
      break_mark;  ///< across a ribbon whose width is not in proportion (log scale), as a broken axis has; empty: none
  std::vector<RibbonBand> bands;
  std::vector<QPolygonF> chevrons;  ///< across it: which way the bytes go
};

/// What reaches a box over one link goes on, or comes from, the next: drawn behind the box's texts.
struct FlowJoin {
  size_t level = 0;
  QPolygonF polygon;
};

/// A row that nothing fills yet: its button, and beside it what that does or why it cannot.
struct FillRow {
  FigureRow row = FigureRow::simulated;
  QRectF button, beside;
  QString text;
};

enum class TextRole : uint8_t { normal, secondary, bold, heading };
/// A piece of text in its place.
struct PlacedText {
  QRectF rect;
  QString text;
  TextRole role = TextRole::normal;
  int alignment = Qt::AlignLeft | Qt::AlignVCenter;
};

struct LevelBox {
  size_t level = 0;
  QRectF rect, gauge;             ///< gauge: working set against capacity; empty for the core
  std::vector<QRectF> instances;  ///< the gauge, one part for each instance of the level that the run uses
  double fill_ratio = 0;          ///< working set / capacity; NaN: unknown
};

struct LegendItem {
  QRectF rect, swatch;
  QString text;
  std::optional<engine::Role> role;  ///< one of these two
  std::optional<profiler::Origin> origin;
  bool broken = false;  ///< or what the break in the ribbons means
  bool other = false;   ///< or the bars of the run compared with
};

struct FigureCell {
  size_t link = 0;
  FigureRow row = FigureRow::compulsory;
  QRectF rect;
  QString text;
  bool unknown = false;  ///< the text is an en dash
};

struct ScrubberBar {
  QRectF rect;
  size_t first = 0, last = 0;  ///< ops [first, last) share this pixel column
  engine::Role role = engine::Role::activation;
};
struct PhaseSpan {
  QRectF rect;
  engine::Phase phase = engine::Phase::forward;
  bool known = true;
};

struct TrafficLayout {
  std::vector<PlacedText> texts;
  std::vector<LevelBox> boxes;
  std::vector<Ribbon> ribbons;
  std::vector<FlowJoin> joins;
  std::vector<FigureCell> cells;
  std::vector<FillRow> fills;
  std::vector<LegendItem> legend;
  QRectF scrubber;  ///< the bars' area
  QRectF current;   ///< where the name of the chosen op stands
  std::vector<ScrubberBar> bars;
  std::vector<PhaseSpan> phases;
  std::vector<QRectF> scope_marks;  ///< spans of ops in scope, drawn behind the bars
  double reference_bytes = 0;       ///< the widest ribbon possible stands for this

  const Ribbon* ribbon_at(QPointF) const;
  /// Index into scrubber_ops of the op under a point of the scrubber (its bars and the phases below).
  std::optional<size_t> scrubber_index_at(QPointF, size_t op_count) const;
};

struct TrafficLayoutOptions {
  WidthScale scale = WidthScale::linear;
  double reference_bytes = 0;  ///< bytes of the widest ribbon, of both runs where two are compared: log scale the whole
                               ///< step's, linear this scope's
};

/// Width of a ribbon in px, monotone in bytes: 0 for nothing, else up to `widest`. Linear: in proportion, down to a
/// hairline of kThinnestRibbon. Logarithmic: from kThinnestLogRibbon on, four decades below the reference.
inline constexpr double kThinnestRibbon = 1.0, kThinnestLogRibbon = 3.0;
double ribbon_width(double bytes, double reference_bytes, double widest, WidthScale);

/// The largest flow of one link and direction, of both runs where two are compared.
double largest_flow(const TrafficFigure&);

/// Height below which rows at the bottom have no room.
double traffic_least_height(const TrafficFigure&, double width, const QFont&, WidthScale = WidthScale::linear);

TrafficLayout layout_traffic(const TrafficFigure&, const std::vector<ScrubberOp>&, const QRectF&, const QFont&,
                             const TrafficLayoutOptions&);

}  // namespace views
