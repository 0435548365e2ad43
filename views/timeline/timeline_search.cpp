// SPDX-License-Identifier: GPL-3.0-or-later
// Search: each lane is walked from the current time to its first match only.
#include "views/timeline/timeline_search.h"

#include <tuple>

namespace views {

namespace {

struct Match {
  int64_t at = 0;
  TimelineHit hit;
  auto key() const { return std::tuple(at, hit.lane, hit.span); }
};

/// The match of one lane that lies nearest after (before) `from`; without `from` the first (last).
std::optional<Match> nearest(const Lane& lane, int index, const std::vector<bool>& wanted,
                             const std::optional<Match>& from, int direction) {
  const auto beyond = [&](const Match& m) {
    return !from || (direction > 0 ? from->key() < m.key() : m.key() < from->key());
  };
  if (direction > 0) {
    for (size_t i = from ? lane.first_beginning_at(from->at) : 0; i < lane.size(); ++i) {
      if (!wanted[lane.label(i)]) continue;
      const Match m{lane.begin_ns(i), {index, i}};
      if (beyond(m)) return m;
    }
    return {};
  }
  for (size_t i = from ? lane.first_beginning_at(from->at + 1) : lane.size(); i-- > 0;) {
    if (!wanted[lane.label(i)]) continue;
    const Match m{lane.begin_ns(i), {index, i}};
    if (beyond(m)) return m;
  }
  return {};
}

}  // namespace

size_t count_spans(const TimelineModel& model, const std::vector<bool>& wanted) {
  size_t count = 0;
  for (const auto& lane : model.lanes)
    for (size_t i = 0; i < lane.lane.size(); ++i) count += wanted[lane.lane.label(i)] ? 1 : 0;
  return count;
}

std::optional<TimelineHit> next_match(const TimelineModel& model, const std::vector<bool>& wanted,
                                      std::optional<TimelineHit> from, int direction) {
  std::optional<Match> start;
  if (from) {
    const Lane& lane = model.lanes[static_cast<size_t>(from->lane)].lane;
    start = Match{lane.begin_ns(from->span), *from};
  }
  for (int round = 0; round < 2; ++round) {
    std::optional<Match> best;
    for (size_t l = 0; l < model.lanes.size(); ++l) {
      const auto m = nearest(model.lanes[l].lane, static_cast<int>(l), wanted, start, direction);
      if (!m) continue;
      if (!best || (direction > 0 ? m->key() < best->key() : best->key() < m->key())) best = m;
    }
    if (best) return best->hit;
    start.reset();  // go on from the other end
  }
  return {};
}

}  // namespace views
