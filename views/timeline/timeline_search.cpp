// SPDX-License-Identifier: GPL-3.0-or-later
// Search: matches are listed per lane once, so that each question about them is a binary search.
#include "views/timeline/timeline_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace views {

namespace {

/// Where a match stands in time; an edge of a window stands before all spans that begin there.
struct Place {
  int64_t at = 0;
  int lane = -1;
  size_t span = 0;
  auto key() const { return std::tuple(at, lane, span); }
};

Place place_of(const TimelineModel& model, const TimelineHit& hit) {
  return {model.lanes[static_cast<size_t>(hit.lane)].lane.begin_ns(hit.span), hit.lane, hit.span};
}

/// How many matches of a lane stand before `place`.
size_t before(const Lane& lane, int index, const std::vector<uint32_t>& spans, const Place& place) {
  const auto at = std::partition_point(spans.begin(), spans.end(), [&](uint32_t i) {
    return Place{lane.begin_ns(i), index, i}.key() < place.key();
  });
  return static_cast<size_t>(at - spans.begin());
}

}  // namespace

TimelineMatches find_matches(const TimelineModel& model, std::vector<bool> wanted, const TimelineArrangement& rows,
                             const std::atomic<bool>* stop) {
  constexpr size_t kLookedAtOnce = 65536;
  TimelineMatches out;
  out.wanted = std::move(wanted);
  out.spans.resize(model.lanes.size());
  if (std::find(out.wanted.begin(), out.wanted.end(), true) == out.wanted.end()) return out;
  for (size_t l = 0; l < model.lanes.size(); ++l) {
    const Lane& lane = model.lanes[l].lane;
    const bool hidden = rows.hidden.contains(model.lanes[l].key);
    for (size_t i = 0; i < lane.size(); ++i) {
      if (i % kLookedAtOnce == 0 && stop != nullptr && *stop) return out;
      if (!out.wanted[lane.label(i)]) continue;
      if (hidden) ++out.hidden;
      else out.spans[l].push_back(static_cast<uint32_t>(i));
    }
    out.count += out.spans[l].size();
  }
  return out;
}

std::optional<TimelineHit> next_match(const TimelineModel& model, const TimelineMatches& matches,
                                      std::optional<TimelineHit> from, const TimelineWindow& looked_at, int direction) {
  if (matches.count == 0) return {};
  if (from) {
    const Lane& lane = model.lanes[static_cast<size_t>(from->lane)].lane;
    if (lane.end_ns(from->span) <= looked_at.begin_ns || lane.begin_ns(from->span) >= looked_at.end_ns) from.reset();
  }
  const bool on = direction > 0;
  const Place start = from ? place_of(model, *from) : Place{on ? looked_at.begin_ns : looked_at.end_ns};
  for (const bool from_the_end : {false, true}) {
    std::optional<Place> best;
    for (size_t l = 0; l < model.lanes.size(); ++l) {
      const Lane& lane = model.lanes[l].lane;
      const auto& spans = matches.spans[l];
      const int index = static_cast<int>(l);
      size_t at = from_the_end ? (on ? 0 : spans.size()) : before(lane, index, spans, start);
      if (!on) {
        if (at == 0) continue;
        --at;
      } else if (!from_the_end && from && at < spans.size() &&
                 start.key() == Place{lane.begin_ns(spans[at]), index, spans[at]}.key()) {
        ++at;
      }
      if (at >= spans.size()) continue;
      const Place p{lane.begin_ns(spans[at]), index, spans[at]};
      if (!best || (on ? p.key() < best->key() : best->key() < p.key())) best = p;
    }
    if (best) return TimelineHit{best->lane, best->span};
  }
  return {};
}

size_t ordinal(const TimelineModel& model, const TimelineMatches& matches, const TimelineHit& hit) {
  if (static_cast<size_t>(hit.lane) >= matches.spans.size()) return 0;
  const auto& own = matches.spans[static_cast<size_t>(hit.lane)];
  if (!std::binary_search(own.begin(), own.end(), static_cast<uint32_t>(hit.span))) return 0;
  const Place place = place_of(model, hit);
  size_t count = 1;
  for (size_t l = 0; l < model.lanes.size(); ++l)
    count += before(model.lanes[l].lane, static_cast<int>(l), matches.spans[l], place);
  return count;
}

std::vector<int> match_columns(const Lane& lane, const std::vector<uint32_t>& spans, int64_t begin_ns, double ns_per_px,
                               int width) {
  std::vector<int> columns;
  auto at = std::partition_point(spans.begin(), spans.end(), [&](uint32_t i) { return lane.end_ns(i) <= begin_ns; });
  while (at != spans.end()) {
    const double x = static_cast<double>(lane.begin_ns(*at) - begin_ns) / ns_per_px;
    if (x >= width) break;
    const int column = std::max(0, static_cast<int>(std::floor(x)));
    columns.push_back(column);
    const auto next = begin_ns + static_cast<int64_t>(std::ceil((column + 1) * ns_per_px));
    at = std::partition_point(at + 1, spans.end(), [&](uint32_t i) { return lane.begin_ns(i) < next; });
  }
  return columns;
}

}  // namespace views
