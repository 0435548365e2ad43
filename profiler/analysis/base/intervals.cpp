// SPDX-License-Identifier: Apache-2.0
// Sets of time spans.
#include "profiler/analysis/base/intervals.h"

#include <algorithm>

namespace profiler {

IntervalSet::IntervalSet(std::vector<Interval> spans) {
  std::erase_if(spans, [](const Interval& s) { return s.end_ns <= s.begin_ns; });
  std::sort(spans.begin(), spans.end(), [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
  for (const Interval& s : spans) {
    if (!spans_.empty() && s.begin_ns <= spans_.back().end_ns) {
      spans_.back().end_ns = std::max(spans_.back().end_ns, s.end_ns);
    } else {
      spans_.push_back(s);
    }
  }
  before_.reserve(spans_.size());
  int64_t length = 0;
  for (const Interval& s : spans_) before_.push_back(length += s.end_ns - s.begin_ns);
}

int64_t IntervalSet::covered_before(int64_t time_ns) const {
  const auto next = std::lower_bound(spans_.begin(), spans_.end(), time_ns,
                                     [](const Interval& s, int64_t time) { return s.end_ns <= time; });
  const auto index = static_cast<size_t>(next - spans_.begin());
  const int64_t whole = index == 0 ? 0 : before_[index - 1];
  return next == spans_.end() ? whole : whole + std::max<int64_t>(0, time_ns - next->begin_ns);
}

int64_t IntervalSet::covered_ns(int64_t begin_ns, int64_t end_ns) const {
  return end_ns <= begin_ns ? 0 : covered_before(end_ns) - covered_before(begin_ns);
}

IntervalSet IntervalSet::within(int64_t begin_ns, int64_t end_ns) const {
  std::vector<Interval> part;
  auto s = std::lower_bound(spans_.begin(), spans_.end(), begin_ns,
                            [](const Interval& a, int64_t time) { return a.end_ns <= time; });
  for (; s != spans_.end() && s->begin_ns < end_ns; ++s) {
    part.push_back({std::max(s->begin_ns, begin_ns), std::min(s->end_ns, end_ns)});
  }
  return IntervalSet(std::move(part));
}

std::vector<Interval> IntervalSet::gaps(int64_t begin_ns, int64_t end_ns) const {
  std::vector<Interval> gaps;
  int64_t at = begin_ns;
  const IntervalSet busy = within(begin_ns, end_ns);
  for (const Interval& s : busy.spans()) {
    if (s.begin_ns > at) gaps.push_back({at, s.begin_ns});
    at = s.end_ns;
  }
  if (end_ns > at) gaps.push_back({at, end_ns});
  return gaps;
}

}  // namespace profiler
