// SPDX-License-Identifier: GPL-3.0-or-later
// Search in the timeline: which spans match, how many there are, which is the next one and the how-manieth it is. No
// Qt.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "views/timeline/timeline_layout.h"

namespace views {

/// Spans whose label is wanted, in the rows that are not hidden (folded groups count: going to a match unfolds them).
struct TimelineMatches {
  std::vector<bool> wanted;                  ///< per label; empty: nothing is looked for
  std::vector<std::vector<uint32_t>> spans;  ///< per lane, ascending
  size_t count = 0;                          ///< of spans
  size_t hidden = 0;                         ///< matches in hidden rows, which are not in `spans`
  bool active() const { return !wanted.empty(); }
};
/// One pass over all spans, by the ids of their labels. `stop` set: ends early; what was found so far says nothing.
TimelineMatches find_matches(const TimelineModel&, std::vector<bool> wanted, const TimelineArrangement& = {},
                             const std::atomic<bool>* stop = nullptr);

/// The next match in time (lanes top to bottom at equal times) after `from`, or before it (direction < 0); none in that
/// direction: the first from the other end. `from` none, or out of the window that is looked at: the first that begins
/// in or after the window (direction < 0: the last that begins before its end).
std::optional<TimelineHit> next_match(const TimelineModel&, const TimelineMatches&, std::optional<TimelineHit> from,
                                      const TimelineWindow& looked_at, int direction);

/// Which one a match is in that order, from 1; 0: it is none of them.
size_t ordinal(const TimelineModel&, const TimelineMatches&, const TimelineHit&);

/// Columns of `width` pixels in which matches of one lane lie. Costs what the picture is wide, however many there are.
std::vector<int> match_columns(const Lane&, const std::vector<uint32_t>& spans, int64_t begin_ns, double ns_per_px,
                               int width);

}  // namespace views
