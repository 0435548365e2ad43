// SPDX-License-Identifier: GPL-3.0-or-later
// Steps from bar to bar and from row to row.
#include "views/timeline/timeline_walk.h"

#include <algorithm>
#include <cstdlib>

namespace views {

std::optional<TimelineHit> first_bar(const TimelineModel& model, const TimelineGeometry& geometry,
                                     const TimelineWindow& window, const std::string& wanted) {
  const auto in_lane = [&](int index) -> std::optional<TimelineHit> {
    const Lane& lane = model.lanes[static_cast<size_t>(index)].lane;
    if (lane.empty()) return {};
    return TimelineHit{index, std::min(lane.first_ending_after(window.begin_ns), lane.size() - 1)};
  };
  int first = model.op_lane;
  for (const TimelineRow& row : geometry.rows) {
    if (row.kind != TimelineRow::Kind::lane) continue;
    if (row_key(model, row) == wanted) return in_lane(row.index);
    if (first < 0 && in_lane(row.index)) first = row.index;
  }
  return first < 0 ? std::nullopt : in_lane(first);
}

std::optional<TimelineHit> bar_beside(const TimelineModel& model, const TimelineHit& from, int direction) {
  const size_t count = model.lanes[static_cast<size_t>(from.lane)].lane.size();
  if (direction < 0 ? from.span == 0 : from.span + 1 >= count) return {};
  return TimelineHit{from.lane, direction < 0 ? from.span - 1 : from.span + 1};
}

std::optional<TimelineHit> bar_above(const TimelineModel& model, const TimelineGeometry& geometry,
                                     const TimelineHit& from, int direction) {
  std::vector<int> lanes;  // as they are shown
  for (const TimelineRow& row : geometry.rows)
    if (row.kind == TimelineRow::Kind::lane) lanes.push_back(row.index);
  const auto here = std::find(lanes.begin(), lanes.end(), from.lane);
  if (here == lanes.end()) return {};
  const Lane& own = model.lanes[static_cast<size_t>(from.lane)].lane;
  for (auto at = here - lanes.begin() + direction; at >= 0 && at < std::ssize(lanes); at += direction) {
    const int lane = lanes[static_cast<size_t>(at)];
    const Lane& target = model.lanes[static_cast<size_t>(lane)].lane;
    const size_t i = target.first_ending_after(own.begin_ns(from.span));
    if (i < target.size() && target.begin_ns(i) < own.end_ns(from.span)) return TimelineHit{lane, i};
  }
  return {};
}

std::optional<TimelineHit> nearest_run(const TimelineModel& model, const TimelineWindow& window, profiler::OpId op) {
  const int64_t middle = window.begin_ns + window.span_ns() / 2;
  std::optional<TimelineHit> best;
  int64_t distance = 0;
  const auto& a = model.capture->activities();
  if (op >= model.capture->ops().size()) return best;
  for (const uint32_t row : model.capture->activities_of(op)) {
    const int64_t begin = a.start_ns[row];
    const int64_t d = std::abs(begin + a.duration_ns[row] / 2 - middle);
    if (best && d >= distance) continue;
    for (size_t l = 0; l < model.lanes.size(); ++l) {
      const TimelineLane& lane = model.lanes[l];
      if (lane.kind != LaneKind::op) continue;
      const size_t at = lane.lane.first_beginning_at(begin);
      if (at >= lane.lane.size() || lane.lane.begin_ns(at) != begin || lane.lane.op(at) != op) continue;
      best = TimelineHit{static_cast<int>(l), at};
      distance = d;
      break;
    }
  }
  return best;
}

int row_beside(const TimelineModel& model, const TimelineGeometry& geometry, const std::string& from, int direction) {
  const auto& rows = geometry.rows;
  if (rows.empty()) return -1;
  const auto here =
      std::find_if(rows.begin(), rows.end(), [&](const TimelineRow& row) { return row_key(model, row) == from; });
  const auto last = std::ssize(rows) - 1;
  return static_cast<int>(here == rows.end() ? (direction > 0 ? 0 : last)
                                             : std::clamp<std::ptrdiff_t>(here - rows.begin() + direction, 0, last));
}

}  // namespace views
