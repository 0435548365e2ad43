// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the timeline.
#include "views/timeline/timeline_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace views {

namespace {

constexpr int kRowGap = 2, kCounterGap = 8;

int64_t air_ns(const TimelineModel& model) { return std::max<int64_t>(1, (model.end_ns - model.begin_ns) / 100); }

}  // namespace

TimelineWindow clamp_window(TimelineWindow wanted, const TimelineModel& model) {
  const TimelineWindow whole = whole_window(model);
  const int64_t smallest = std::min(kSmallestWindowNs, whole.span_ns());
  const int64_t span = std::clamp(wanted.end_ns - wanted.begin_ns, smallest, whole.span_ns());
  // The air is a share of what is seen: close up, that of the whole run would be a view of nothing but time after the
  // end.
  const auto air = static_cast<int64_t>(static_cast<double>(air_ns(model)) * static_cast<double>(span) /
                                        static_cast<double>(whole.span_ns()));
  const int64_t low = model.begin_ns, high = model.end_ns + air;
  const int64_t begin = std::clamp(wanted.begin_ns, low, std::max(low, high - span));
  return {begin, begin + span};
}

TimelineWindow whole_window(const TimelineModel& model) { return {model.begin_ns, model.end_ns + air_ns(model)}; }

TimelineWindow zoomed(const TimelineWindow& w, int64_t at_ns, double factor, const TimelineModel& model) {
  const TimelineWindow whole = whole_window(model);
  const double span = std::clamp(static_cast<double>(w.span_ns()) * factor, static_cast<double>(kSmallestWindowNs),
                                 static_cast<double>(std::max(kSmallestWindowNs, whole.span_ns())));
  const double share = static_cast<double>(at_ns - w.begin_ns) / static_cast<double>(w.span_ns());
  const int64_t begin = at_ns - static_cast<int64_t>(std::llround(share * span));
  return clamp_window({begin, begin + static_cast<int64_t>(span)}, model);
}

TimelineWindow first_window(const profiler::Capture& capture, const TimelineModel& model) {
  std::vector<const profiler::StepRecord*> steps;
  for (const auto& step : capture.steps())
    if (step.traced && !step.warmup) steps.push_back(&step);
  if (steps.empty()) return whole_window(model);
  // The lower middle one: a step that others disturbed would be taken for how the run goes.
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
  std::ranges::nth_element(
      steps, middle, {}, [](const profiler::StepRecord* step) { return std::pair(step->duration_ns, step->start_ns); });
  return fitted((*middle)->start_ns, (*middle)->start_ns + (*middle)->duration_ns, 0.01, model);
}

TimelineWindow fitted(int64_t begin_ns, int64_t end_ns, double air, const TimelineModel& model) {
  const auto margin = static_cast<int64_t>(air * static_cast<double>(end_ns - begin_ns));
  const int64_t middle = begin_ns + (end_ns - begin_ns) / 2;
  const int64_t half = std::max((end_ns - begin_ns) / 2 + margin, kSmallestWindowNs / 2);
  return clamp_window({middle - half, middle + half}, model);
}

TimelineWindow revealing(const TimelineWindow& w, int64_t begin_ns, int64_t end_ns, const TimelineModel& model) {
  if (begin_ns < w.end_ns && end_ns > w.begin_ns) return w;
  const int64_t middle = begin_ns + (end_ns - begin_ns) / 2;
  return clamp_window({middle - w.span_ns() / 2, middle - w.span_ns() / 2 + w.span_ns()}, model);
}

namespace {

/// Rows in their order without places: groups with their rows, charts last.
struct RowGroup {
  std::string name;
  std::vector<TimelineRow> rows;
};

std::vector<RowGroup> grouped_rows(const TimelineModel& model, const TimelineArrangement& wanted) {
  std::vector<RowGroup> groups;
  const auto add = [&](const std::string& group, const TimelineRow& row) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == group; });
    if (at == groups.end()) at = groups.insert(groups.end(), {group, {}});
    at->rows.push_back(row);
  };
  for (size_t i = 0; i < model.lanes.size(); ++i)
    add(model.lanes[i].group, {TimelineRow::Kind::lane, static_cast<int>(i), 0, 0, false});
  for (size_t i = 0; i < model.counters.size(); ++i)
    add(kChartGroup, {TimelineRow::Kind::counter, static_cast<int>(i), 0, 0, false});
  const auto place = [&](const TimelineRow& row) {
    return std::find(wanted.order.begin(), wanted.order.end(), row_key(model, row)) - wanted.order.begin();
  };
  if (!wanted.order.empty())
    for (RowGroup& group : groups)
      std::stable_sort(group.rows.begin(), group.rows.end(),
                       [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return groups;
}

}  // namespace

std::string row_key(const TimelineModel& model, const TimelineRow& row) {
  const auto i = static_cast<size_t>(row.index);
  if (row.kind == TimelineRow::Kind::counter) return "chart " + model.counters[i].key;
  if (row.kind == TimelineRow::Kind::lane) return model.lanes[i].key;
  return row.index < 0 ? kChartGroup : model.lanes[i].group;
}

int names_width(int width, int text_height, int natural, int wanted) {
  if (wanted > 0) return std::clamp(wanted, std::min(width / 3, text_height * 4), std::max(1, width * 2 / 3));
  const int usual = text_height * 10;
  return std::min(width / 3, std::clamp(natural, usual, std::max(usual, width / 4)));
}

TimelineGeometry layout_timeline(const TimelineModel& model, int width, int height, int text_height,
                                 const TimelineArrangement& wanted, int names) {
  TimelineGeometry g;
  g.width = width;
  g.height = height;
  g.header_width = names > 0 ? names : names_width(width, text_height, 0, 0);
  g.ruler_height = text_height + 8;
  g.minimap_height = text_height + 16;
  const int lane_height = text_height + 8, group_height = text_height + 4, counter_least = 3 * text_height,
            counter_most = 18 * text_height;
  std::vector<TimelineRow> pinned(wanted.pinned.size());
  const auto groups = grouped_rows(model, wanted);
  const bool named = groups.size() > 1;
  for (const RowGroup& group : groups) {
    const bool folded = wanted.folded.contains(group.name);
    TimelineRow header{TimelineRow::Kind::group, group.rows.front().index, 0, group_height, false};
    if (group.name == kChartGroup) header.index = -1;
    if (named) g.rows.push_back(header);
    for (TimelineRow row : group.rows) {
      const std::string key = row_key(model, row);
      const auto at = std::find(wanted.pinned.begin(), wanted.pinned.end(), key);
      row.height = row.kind == TimelineRow::Kind::lane ? lane_height : counter_least;
      if (at != wanted.pinned.end()) {
        row.pinned = true;
        pinned[static_cast<size_t>(at - wanted.pinned.begin())] = row;
      } else if (!folded && !wanted.hidden.contains(key)) {
        g.rows.push_back(row);
      }
    }
  }
  std::erase_if(pinned, [](const TimelineRow& row) { return !row.pinned; });
  // What is left of the height goes to charts, then to the ops.
  const auto needed = [](const TimelineRow& row) {
    return row.height + (row.kind == TimelineRow::Kind::counter ? kCounterGap : kRowGap);
  };
  int left = height - g.top() - kRowGap, counters = 0;
  for (const auto* list : {&pinned, &g.rows})
    for (const TimelineRow& row : *list) {
      left -= needed(row);
      counters += row.kind == TimelineRow::Kind::counter ? 1 : 0;
    }
  const int counter_extra = counters > 0 ? std::clamp(left / counters, 0, counter_most - counter_least) : 0;
  const int op_extra = std::clamp(left - counters * counter_extra, 0, 3 * text_height);
  const auto stack = [&](std::vector<TimelineRow>& rows, int y) {
    for (TimelineRow& row : rows) {
      if (row.kind == TimelineRow::Kind::counter) row.height += counter_extra;
      if (row.kind == TimelineRow::Kind::lane && row.index == model.op_lane) row.height += op_extra;
      row.y = y;
      y += needed(row);
    }
    return y;
  };
  if (!pinned.empty()) g.pinned_height = stack(pinned, kRowGap);
  g.content_height = stack(g.rows, kRowGap);
  g.rows.insert(g.rows.begin(), pinned.begin(), pinned.end());
  return g;
}

TimelineArrangement moved_row(const TimelineModel& model, const TimelineArrangement& before, const std::string& key,
                              int direction) {
  TimelineArrangement after = before;
  const auto swap_with_neighbour = [&](std::vector<std::string>& keys, size_t at) {
    const auto to = static_cast<std::ptrdiff_t>(at) + direction;
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(keys.size())) return false;
    std::swap(keys[at], keys[static_cast<size_t>(to)]);
    return true;
  };
  if (const auto at = std::find(after.pinned.begin(), after.pinned.end(), key); at != after.pinned.end()) {
    swap_with_neighbour(after.pinned, static_cast<size_t>(at - after.pinned.begin()));
    return after;
  }
  for (const RowGroup& group : grouped_rows(model, before)) {
    std::vector<std::string> shown, rest;
    for (const TimelineRow& row : group.rows) {
      const std::string own = row_key(model, row);
      (before.hidden.contains(own) || before.is_pinned(own) ? rest : shown).push_back(own);
    }
    const auto at = std::find(shown.begin(), shown.end(), key);
    if (at == shown.end()) continue;
    if (!swap_with_neighbour(shown, static_cast<size_t>(at - shown.begin()))) return before;
    shown.insert(shown.end(), rest.begin(), rest.end());
    std::erase_if(after.order,
                  [&](const std::string& k) { return std::find(shown.begin(), shown.end(), k) != shown.end(); });
    after.order.insert(after.order.end(), shown.begin(), shown.end());
    return after;
  }
  return before;
}

Ruler ruler(int64_t origin_ns, const TimelineWindow& w, int most) {
  Ruler out;
  const double span = static_cast<double>(w.span_ns());
  const double target = span / std::max(1, most);
  const double magnitude = std::pow(10.0, std::floor(std::log10(target)));
  const double ratio = target / magnitude;
  const double step = std::max(1.0, (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10) * magnitude);
  const double reach = std::max(std::abs(static_cast<double>(w.begin_ns - origin_ns)),
                                std::abs(static_cast<double>(w.end_ns - origin_ns)));
  // One unit for the whole ruler, chosen by the step so that labels stay short.
  const double shown = std::max(step, reach / 1000.0);
  const double unit = shown < 1e3 ? 1 : shown < 1e6 ? 1e3 : shown < 1e9 ? 1e6 : 1e9;
  const double scale = reach / unit >= 1e6 ? unit * 1e3 : unit;
  out.unit = scale == 1 ? "ns" : scale == 1e3 ? "µs" : scale == 1e6 ? "ms" : "s";
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / scale) - 1e-9)));
  const auto first = static_cast<int64_t>(std::ceil(static_cast<double>(w.begin_ns - origin_ns) / step));
  for (int64_t k = first;; ++k) {
    const double at = static_cast<double>(k) * step;
    const int64_t t = origin_ns + static_cast<int64_t>(std::llround(at));
    if (t > w.end_ns || out.ticks.size() > static_cast<size_t>(2 * std::max(1, most) + 2)) break;
    out.ticks.push_back({t, fmt::format("{:.{}f}", at / scale, decimals)});
  }
  return out;
}

bool span_at(const TimelineModel& model, const TimelineGeometry& g, const TimelineWindow& w, int lane_index, double px,
             TimelineHit& hit) {
  if (px < g.header_width || lane_index < 0 || lane_index >= static_cast<int>(model.lanes.size())) return false;
  const Lane& lane = model.lanes[static_cast<size_t>(lane_index)].lane;
  const int64_t t0 = g.time(px, w), t1 = std::max(t0 + 1, g.time(px + 1, w));
  const size_t first = lane.first_ending_after(t0), last = lane.first_beginning_at(t1);
  if (first >= last) return false;
  hit = {lane_index, lane.aggregate(first, last).longest};
  return true;
}

}  // namespace views
