// SPDX-License-Identifier: GPL-3.0-or-later
// Where keys lead in the timeline: the bar beside, above or below another one, the row beside another one. No Qt.
#pragma once

#include <optional>
#include <string>

#include "views/timeline/timeline_layout.h"

namespace views {

/// Where keys begin: in the row of that key if it has bars, else in the ops, else in the first row that has any.
std::optional<TimelineHit> first_bar(const TimelineModel&, const TimelineGeometry&, const TimelineWindow&,
                                     const std::string& row);
/// The next bar of the lane, or the one before; none: it is the last.
std::optional<TimelineHit> bar_beside(const TimelineModel&, const TimelineHit&, int direction);
/// The bar at the same time in the next row above or below that has one.
std::optional<TimelineHit> bar_above(const TimelineModel&, const TimelineGeometry&, const TimelineHit&, int direction);
/// The run of an op that is nearest to the middle of a window.
std::optional<TimelineHit> nearest_run(const TimelineModel&, const TimelineWindow&, profiler::OpId);
/// Index into the geometry's rows of the row beside that of a key (the last one stays; no such row: the first or last);
/// -1: there are no rows.
int row_beside(const TimelineModel&, const TimelineGeometry&, const std::string& row, int direction);

}  // namespace views
