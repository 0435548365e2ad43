// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse does in the timeline, by keys: choosing rows and ranges.
#include <QAccessible>
#include <QScrollBar>
#include <algorithm>

#include "views/timeline/timeline_area.h"

namespace views {

/// Where keys begin: the chosen row if it has bars, else the ops, else the first row that has any.
std::optional<TimelineHit> TimelineArea::first_bar() const {
  const auto in_lane = [&](int index) -> std::optional<TimelineHit> {
    const Lane& lane = scene_.model->lanes[static_cast<size_t>(index)].lane;
    if (lane.empty()) return {};
    return TimelineHit{index, std::min(lane.first_ending_after(scene_.window.begin_ns), lane.size() - 1)};
  };
  int first = scene_.model->op_lane;
  for (const TimelineRow& row : scene_.geometry.rows) {
    if (row.kind != TimelineRow::Kind::lane) continue;
    if (row_key(*scene_.model, row) == scene_.row_cursor) return in_lane(row.index);
    if (first < 0 && in_lane(row.index)) first = row.index;
  }
  return first < 0 ? std::nullopt : in_lane(first);
}

void TimelineArea::go_to_row(int direction) {
  if (scene_.model == nullptr || scene_.geometry.rows.empty()) return;
  const auto& rows = scene_.geometry.rows;
  const std::string from = row_of_interest();
  const auto here = std::find_if(rows.begin(), rows.end(),
                                 [&](const TimelineRow& row) { return row_key(*scene_.model, row) == from; });
  const auto last = std::ssize(rows) - 1;
  const auto index = here == rows.end() ? (direction > 0 ? 0 : last)
                                        : std::clamp<std::ptrdiff_t>(here - rows.begin() + direction, 0, last);
  const TimelineRow& row = rows[static_cast<size_t>(index)];
  scene_.row_cursor = row_key(*scene_.model, row);
  if (!row.pinned) {
    auto* bar = verticalScrollBar();
    const int room = viewport()->height() - scene_.geometry.scroll_top();
    if (row.y < bar->value()) bar->setValue(row.y);
    if (row.y + row.height > bar->value() + room) bar->setValue(row.y + row.height - room);
  }
  viewport()->update();
  if (QAccessible::isActive()) {
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(static_cast<int>(index));
    QAccessible::updateAccessibility(&event);
  }
}

void TimelineArea::extend_range(int direction) {
  if (scene_.model == nullptr) return;
  if (!scene_.current) {
    go_sideways(direction);
    return;
  }
  const TimelineHit from = range_from_.value_or(*scene_.current);
  const Lane& lane = scene_.model->lanes[static_cast<size_t>(from.lane)].lane;
  size_t to = range_from_ ? range_to_ : from.span;
  if (direction < 0 ? to == 0 : to + 1 >= lane.size()) return;
  to = direction < 0 ? to - 1 : to + 1;
  const size_t first = std::min(from.span, to), last = std::max(from.span, to);
  set_window(revealing(scene_.window, lane.begin_ns(to), lane.end_ns(to), *scene_.model));
  document_.selection().select_range({lane.begin_ns(first), lane.end_ns(last)});
  range_from_ = from;
  range_to_ = to;
  emit range_dragged();
}

}  // namespace views
