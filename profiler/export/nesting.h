// SPDX-License-Identifier: Apache-2.0
// The spans of one track as a well-formed sequence of opens and closes, for formats that know nothing else.
#pragma once

#include <algorithm>
#include <vector>

#include "profiler/export/exporter.h"

namespace profiler {

struct NestedEvent {
  int64_t time_ns;
  uint32_t row;  ///< of the activity that opens or closes
  bool opens;
};

/// Tracks that one of ours may become; spans that cross those of all of them are cut.
inline constexpr size_t kMostNestingLanes = 64;

/// The rows, ascending, in as few lists as it takes for the spans of each to nest: what crosses another span goes into
/// the next.
inline std::vector<std::vector<uint32_t>> nesting_lanes(const Capture& c, const std::vector<uint32_t>& rows) {
  std::vector<std::vector<uint32_t>> lanes;
  std::vector<std::vector<int64_t>> open;  // ends of what is open in each, outermost first
  const ActivityColumns& all = c.activities();
  for (const uint32_t row : rows) {
    const int64_t start = all.start_ns[row], end = start + all.duration_ns[row];
    size_t lane = 0;
    for (; lane < lanes.size(); ++lane) {
      while (!open[lane].empty() && open[lane].back() <= start) open[lane].pop_back();
      if (open[lane].empty() || end <= open[lane].back() || lane + 1 == kMostNestingLanes) break;
    }
    if (lane == lanes.size()) lanes.emplace_back(), open.emplace_back();
    lanes[lane].push_back(row);
    open[lane].push_back(end);
  }
  return lanes;
}

/// Ascending in time and balanced; a span that outlasts the one around it is closed with that one.
inline std::vector<NestedEvent> nested_events(const Capture& c, const std::vector<uint32_t>& rows) {
  struct Open {
    int64_t end_ns;
    uint32_t row;
  };
  std::vector<NestedEvent> events;
  std::vector<Open> open;
  const ActivityColumns& all = c.activities();
  for (const uint32_t row : rows) {
    const int64_t start = all.start_ns[row];
    int64_t end = start + all.duration_ns[row];
    while (!open.empty() && open.back().end_ns <= start) {
      events.push_back({open.back().end_ns, open.back().row, false});
      open.pop_back();
    }
    if (!open.empty()) end = std::min(end, open.back().end_ns);
    events.push_back({start, row, true});
    open.push_back({end, row});
  }
  for (; !open.empty(); open.pop_back()) events.push_back({open.back().end_ns, open.back().row, false});
  return events;
}

/// Rows of each track within the range, ascending.
inline std::vector<std::vector<uint32_t>> rows_by_track(const Capture& c, const ExportRange& range) {
  std::vector<std::vector<uint32_t>> rows(c.tracks().size());
  const ActivityColumns& all = c.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    if (range.keeps(all.kind[i], all.start_ns[i], all.duration_ns[i]))
      rows[all.track[i]].push_back(static_cast<uint32_t>(i));
  }
  return rows;
}

}  // namespace profiler
