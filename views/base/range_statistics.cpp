// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the activities that overlap a range.
#include "views/base/range_statistics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profiler/analysis/known_bytes.h"

namespace views {

namespace {

using Interval = std::pair<int64_t, int64_t>;

/// Sorted, disjoint union.
std::vector<Interval> united(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> out;
  for (const Interval& i : all) {
    if (!out.empty() && i.first <= out.back().second) {
      out.back().second = std::max(out.back().second, i.second);
    } else {
      out.push_back(i);
    }
  }
  return out;
}

int64_t length(const std::vector<Interval>& all) {
  int64_t sum = 0;
  for (const auto& [a, b] : all) sum += b - a;
  return sum;
}

/// Length of the part of `inner` (disjoint, sorted) that lies in `outer` (disjoint, sorted).
int64_t common_length(const std::vector<Interval>& inner, const std::vector<Interval>& outer) {
  int64_t sum = 0;
  size_t o = 0;
  for (const auto& [a, b] : inner) {
    while (o < outer.size() && outer[o].second <= a) ++o;
    for (size_t k = o; k < outer.size() && outer[k].first < b; ++k)
      sum += std::min(b, outer[k].second) - std::max(a, outer[k].first);
  }
  return sum;
}

}  // namespace

RangeStatistics range_statistics(const profiler::Analyzed& analyzed, int64_t begin_ns, int64_t end_ns,
                                 size_t top_count) {
  RangeStatistics s;
  if (end_ns <= begin_ns) return s;
  s.range_ns = end_ns - begin_ns;
  const auto& capture = *analyzed.capture;
  const auto clip = [&](int64_t start, int64_t duration) {
    return Interval{std::max(begin_ns, start), std::min(end_ns, start + duration)};
  };
  std::vector<Interval> busy, traced, untraced;
  std::map<profiler::OpId, RangeStatistics::Top> by_op;
  std::map<profiler::OpId, double> runs;  // in parts
  const auto& a = capture.activities();
  for (size_t i = 0; i < a.size() && a.start_ns[i] < end_ns; ++i) {
    if (a.kind[i] != profiler::ActivityKind::op || a.op[i] >= capture.ops().size()) continue;
    const Interval part = clip(a.start_ns[i], a.duration_ns[i]);
    if (part.second <= part.first) continue;
    busy.push_back(part);
    ++s.op_count;
    const double share = static_cast<double>(part.second - part.first) / static_cast<double>(a.duration_ns[i]);
    s.flops += share * capture.ops()[a.op[i]].flops;
    runs[a.op[i]] += share;
    auto& top = by_op.try_emplace(a.op[i], RangeStatistics::Top{a.op[i], 0, 0}).first->second;
    top.time_ns += part.second - part.first;
    ++top.count;
  }
  std::vector<profiler::OpId> ops;
  for (const auto& [op, parts] : runs) ops.push_back(op);
  s.dram_origin = profiler::best_origin(analyzed, ops);
  const auto& links = analyzed.model.links;
  if (links.empty() || !(analyzed.model.known || s.dram_origin != profiler::Origin::modelled))
    s.dram_bytes = profiler::kUnknownBytes;
  for (const auto& [op, parts] : runs) {
    if (!links.empty()) s.dram_bytes += parts * profiler::known_bytes(analyzed, s.dram_origin, op, links.front());
  }
  for (const auto& step : capture.steps()) {
    const Interval part = clip(step.start_ns, step.duration_ns);
    if (part.second > part.first) (step.traced ? traced : untraced).push_back(part);
  }
  busy = united(std::move(busy));
  traced = united(std::move(traced));
  untraced = united(std::move(untraced));
  s.busy_ns = length(busy);
  s.idle_in_steps_ns = length(traced) - common_length(busy, traced);
  s.idle_untraced_ns = length(untraced) - common_length(busy, untraced);
  s.idle_between_ns = s.range_ns - s.busy_ns - s.idle_in_steps_ns - s.idle_untraced_ns;
  for (const auto& [op, top] : by_op) s.top.push_back(top);
  std::stable_sort(s.top.begin(), s.top.end(), [](const auto& x, const auto& y) { return x.time_ns > y.time_ns; });
  if (s.top.size() > top_count) s.top.resize(top_count);
  return s;
}

}  // namespace views
