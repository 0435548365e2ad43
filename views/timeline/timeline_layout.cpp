// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the timeline.
#include "views/timeline/timeline_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace views {

namespace {

constexpr int kGroupGap = 8, kRowGap = 2, kCounterGap = 8;

int64_t air_ns(const TimelineModel& model) {
  return std::max<int64_t>(1, (model.end_ns - model.begin_ns) / 100);
}

}  // namespace

TimelineWindow clamp_window(TimelineWindow wanted, const TimelineModel& model) {
  const int64_t low = model.begin_ns - air_ns(model), high = model.end_ns + air_ns(model);
  const int64_t smallest = std::min(kSmallestWindowNs, high - low);
  const int64_t span = std::clamp(wanted.end_ns - wanted.begin_ns, smallest, high - low);
  const int64_t begin = std::clamp(wanted.begin_ns, low, high - span);
  return {begin, begin + span};
}

TimelineWindow whole_window(const TimelineModel& model) {
  return {model.begin_ns - air_ns(model), model.end_ns + air_ns(model)};
}

TimelineWindow zoomed(const TimelineWindow& w, int64_t at_ns, double factor,
                      const TimelineModel& model) {
  const TimelineWindow whole = whole_window(model);
  const double span =
      std::clamp(static_cast<double>(w.span_ns()) * factor, static_cast<double>(kSmallestWindowNs),
                 static_cast<double>(std::max(kSmallestWindowNs, whole.span_ns())));
  const double share = static_cast<double>(at_ns - w.begin_ns) / static_cast<double>(w.span_ns());
  const int64_t begin = at_ns - static_cast<int64_t>(std::llround(share * span));
  return clamp_window({begin, begin + static_cast<int64_t>(span)}, model);
}

TimelineWindow first_window(const profiler::Capture& capture, const TimelineModel& model) {
  for (const auto& step : capture.steps())
    if (step.traced && !step.warmup)
      return fitted(step.start_ns, step.start_ns + step.duration_ns, 0.01, model);
  return whole_window(model);
}

TimelineWindow fitted(int64_t begin_ns, int64_t end_ns, double air, const TimelineModel& model) {
  const auto margin = static_cast<int64_t>(air * static_cast<double>(end_ns - begin_ns));
  const int64_t middle = begin_ns + (end_ns - begin_ns) / 2;
  const int64_t half = std::max((end_ns - begin_ns) / 2 + margin, kSmallestWindowNs / 2);
  return clamp_window({middle - half, middle + half}, model);
}

TimelineWindow revealing(const TimelineWindow& w, int64_t begin_ns, int64_t end_ns,
                         const TimelineModel& model) {
  if (begin_ns < w.end_ns && end_ns > w.begin_ns) return w;
  const int64_t middle = begin_ns + (end_ns - begin_ns) / 2;
  return clamp_window({middle - w.span_ns() / 2, middle - w.span_ns() / 2 + w.span_ns()}, model);
}

TimelineGeometry layout_timeline(const TimelineModel& model, int width, int height,
                                 int text_height) {
  TimelineGeometry g;
  g.width = width;
  g.height = height;
  g.header_width = std::min(width / 3, text_height * 10);
  g.ruler_height = text_height + 8;
  g.minimap_height = text_height + 16;
  const int lane_height = text_height + 8, counter_least = 3 * text_height,
            counter_most = 18 * text_height;
  int fixed = 0;
  const auto is_new_group = [&](size_t i) {
    return i > 0 && model.lanes[i].group != model.lanes[i - 1].group;
  };
  for (size_t i = 0; i < model.lanes.size(); ++i)
    fixed += lane_height + kRowGap + (is_new_group(i) ? kGroupGap : 0);
  const int counters = static_cast<int>(model.counters.size());
  const int left = height - g.top() - kRowGap - fixed - kGroupGap - counters * kCounterGap;
  const int counter_height =
      counters > 0 ? std::clamp(left / counters, counter_least, counter_most) : 0;
  const int spare = std::max(0, left - counters * counter_height);
  const int op_extra = std::min(spare, 3 * text_height);
  int y = kRowGap;
  for (size_t i = 0; i < model.lanes.size(); ++i) {
    if (is_new_group(i)) y += kGroupGap;
    const int h = lane_height + (static_cast<int>(i) == model.op_lane ? op_extra : 0);
    g.rows.push_back({TimelineRow::Kind::lane, static_cast<int>(i), y, h});
    y += h + kRowGap;
  }
  y += kGroupGap;
  for (int i = 0; i < counters; ++i) {
    g.rows.push_back({TimelineRow::Kind::counter, i, y, counter_height});
    y += counter_height + kCounterGap;
  }
  g.content_height = y;
  return g;
}

Ruler ruler(int64_t origin_ns, const TimelineWindow& w, int most) {
  Ruler out;
  const double span = static_cast<double>(w.span_ns());
  const double target = span / std::max(1, most);
  const double magnitude = std::pow(10.0, std::floor(std::log10(target)));
  const double ratio = target / magnitude;
  const double step = std::max(1.0, (ratio <= 1   ? 1
                                     : ratio <= 2 ? 2
                                     : ratio <= 5 ? 5
                                                  : 10) *
                                        magnitude);
  const double reach = std::max(std::abs(static_cast<double>(w.begin_ns - origin_ns)),
                                std::abs(static_cast<double>(w.end_ns - origin_ns)));
  // One unit for the whole ruler, chosen by the step so that labels stay short.
  const double shown = std::max(step, reach / 1000.0);
  const double unit = shown < 1e3 ? 1 : shown < 1e6 ? 1e3 : shown < 1e9 ? 1e6 : 1e9;
  const double scale = reach / unit >= 1e6 ? unit * 1e3 : unit;
  out.unit = scale == 1 ? "ns" : scale == 1e3 ? "µs" : scale == 1e6 ? "ms" : "s";
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / scale) - 1e-9)));
  const auto first =
      static_cast<int64_t>(std::ceil(static_cast<double>(w.begin_ns - origin_ns) / step));
  for (int64_t k = first;; ++k) {
    const double at = static_cast<double>(k) * step;
    const int64_t t = origin_ns + static_cast<int64_t>(std::llround(at));
    if (t > w.end_ns || out.ticks.size() > static_cast<size_t>(2 * std::max(1, most) + 2)) break;
    out.ticks.push_back({t, fmt::format("{:.{}f}", at / scale, decimals)});
  }
  return out;
}

bool span_at(const TimelineModel& model, const TimelineGeometry& g, const TimelineWindow& w,
             int lane_index, double px, TimelineHit& hit) {
  if (px < g.header_width || lane_index < 0 || lane_index >= static_cast<int>(model.lanes.size()))
    return false;
  const Lane& lane = model.lanes[static_cast<size_t>(lane_index)].lane;
  const int64_t t0 = g.time(px, w), t1 = std::max(t0 + 1, g.time(px + 1, w));
  const size_t first = lane.first_ending_after(t0), last = lane.first_beginning_at(t1);
  if (first >= last) return false;
  hit = {lane_index, lane.aggregate(first, last).longest};
  return true;
}

}  // namespace views
