// SPDX-License-Identifier: GPL-3.0-or-later
// Search in the timeline: which names match, how often they occur, where the next one is. No Qt.
#pragma once

#include <optional>
#include <vector>

#include "views/timeline/timeline_layout.h"

namespace views {

/// Spans of all lanes whose label is wanted (`wanted`: per label).
size_t count_spans(const TimelineModel&, const std::vector<bool>& wanted);

/// The next match in time (lanes top to bottom at equal times) after `from`, or before it
/// (direction < 0); none in that direction: the first from the other end. `from` none: the first.
std::optional<TimelineHit> next_match(const TimelineModel&, const std::vector<bool>& wanted,
                                      std::optional<TimelineHit> from, int direction);

}  // namespace views
