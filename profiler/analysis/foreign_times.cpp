// SPDX-License-Identifier: Apache-2.0
// Own times of nested ops, and what of a step is covered by work: unions of intervals, never sums.
#include "profiler/analysis/foreign_times.h"

#include <algorithm>
#include <limits>

namespace profiler {
namespace {

bool on_device(ActivityKind kind) {
  return kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset;
}

bool has_device_work(const Capture& capture) {
  return !capture.gpu().kernels.empty() || !capture.gpu().copies.empty() || !capture.gpu().memsets.empty();
}

struct Interval {
  int64_t begin, end;
};

/// The union of what `wanted` rows cover, ascending and disjoint.
template <class F>
std::vector<Interval> covered(const ActivityColumns& all, F&& wanted) {
  std::vector<Interval> merged;  // rows ascend by start
  for (size_t i = 0; i < all.size(); ++i) {
    if (!wanted(i)) continue;
    const int64_t begin = all.start_ns[i], end = begin + all.duration_ns[i];
    if (!merged.empty() && begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, end);
    } else {
      merged.push_back({begin, end});
    }
  }
  return merged;
}

/// The thread on which ops take most time.
TrackId busiest_track(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::vector<int64_t> sums(capture.tracks().size() + 1);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::op) sums[all.track[i]] += all.duration_ns[i];
  }
  return static_cast<TrackId>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

std::vector<int64_t> foreign_op_ns(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::vector<int64_t> ns(all.size(), -1);
  if (has_device_work(capture)) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (on_device(all.kind[i])) ns[i] = all.duration_ns[i];
    }
    return ns;
  }
  std::vector<std::vector<uint32_t>> open(capture.tracks().size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    std::vector<uint32_t>& stack = open[all.track[i]];
    const int64_t start = all.start_ns[i], duration = all.duration_ns[i];
    while (!stack.empty() && all.start_ns[stack.back()] + all.duration_ns[stack.back()] <= start) stack.pop_back();
    ns[i] = duration;
    if (!stack.empty()) ns[stack.back()] = std::max<int64_t>(0, ns[stack.back()] - duration);
    stack.push_back(static_cast<uint32_t>(i));
  }
  return ns;
}

std::vector<double> foreign_idle_ratios(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  const TrackId track = busiest_track(capture);
  const std::vector<Interval> busy = covered(all, [&](size_t i) { return all.kind[i] == ActivityKind::op && all.track[i] == track; });
  std::vector<double> ratios;
  for (const StepRecord& step : capture.steps()) {
    const int64_t begin = step.start_ns, end = begin + step.duration_ns;
    auto at = std::lower_bound(busy.begin(), busy.end(), begin, [](const Interval& i, int64_t t) { return i.end <= t; });
    int64_t sum = 0;
    for (; at != busy.end() && at->begin < end; ++at) sum += std::min(end, at->end) - std::max(begin, at->begin);
    const bool known = step.duration_ns > 0 && !busy.empty();
    ratios.push_back(known ? 1 - static_cast<double>(sum) / static_cast<double>(step.duration_ns) : std::numeric_limits<double>::quiet_NaN());
  }
  return ratios;
}

}  // namespace profiler
