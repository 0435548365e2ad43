// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the roofline's marks: roofs, ridge points, dots, and the line that joins one op's levels.
#pragma once

#include <QPainter>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/roofline/roofline_layout.h"

namespace views {

struct RooflineMarks {
  std::optional<profiler::OpId> selected, hover;
  QString selected_name, hover_name;
  std::vector<LevelSpot> spots;  ///< of the op under the cursor, else of the selected one
  size_t most_dots = SIZE_MAX;   ///< of more, those whose ops take longest are drawn
};

/// The mark of a level: circle, square, diamond, triangle, farthest level first; centre and radius as of a circle of
/// that area.
void draw_level_mark(QPainter&, QPointF centre, double radius, size_t level);

/// The mark of a dot whose op is limited by overhead: a cross, so that its colour need not tell it apart.
void draw_overhead_mark(QPainter&, QPointF centre, double radius);
/// The mark of a dot that is faster than its roof: an arrow head above it.
void draw_above_mark(QPainter&, QPointF centre, double radius);

/// How opaque so many dots are: a crowd shows where it is dense.
double dot_opacity(size_t dots);

void paint_roofline(QPainter&, const profiler::Roofline&, const RooflineLayout&, const std::vector<profiler::Verdict>&,
                    const RooflineMarks&, const Theme&);

}  // namespace views
