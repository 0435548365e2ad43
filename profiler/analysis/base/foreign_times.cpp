// SPDX-License-Identifier: Apache-2.0
// Own times of nested ops, and what of a step is covered by work: unions of intervals, never sums.
#include "profiler/analysis/base/foreign_times.h"

#include <algorithm>
#include <limits>

#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

bool on_device(ActivityKind kind) {
  return kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset;
}

bool has_device_work(const Capture& capture) {
  return !capture.gpu().kernels.empty() || !capture.gpu().copies.empty() || !capture.gpu().memsets.empty();
}

struct Busy {
  int64_t begin, end;
};

/// The union of what `wanted` rows cover, ascending and disjoint.
template <class F>
std::vector<Busy> covered(const ActivityColumns& all, F&& wanted) {
  std::vector<Busy> merged;  // rows ascend by start
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

/// The threads on which ops take most time, one for each rank.
std::vector<TrackId> busiest_tracks(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::vector<int64_t> sums(capture.tracks().size() + 1);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::op) sums[all.track[i]] += all.duration_ns[i];
  }
  const RankOfTrack rank_of(capture);
  std::vector<TrackId> busiest(std::max<size_t>(1, capture.ranks().size()),
                               static_cast<TrackId>(capture.tracks().size()));
  for (size_t track = 0; track < capture.tracks().size(); ++track) {
    TrackId& most = busiest[rank_of(static_cast<TrackId>(track))];
    if (sums[track] > sums[most]) most = static_cast<TrackId>(track);
  }
  return busiest;
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
  // On each thread the op that began last has the time, so that own times add up to what the ops of the thread cover,
  // also where they cross.
  std::vector<std::vector<uint32_t>> open(capture.tracks().size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    std::vector<uint32_t>& stack = open[all.track[i]];
    const int64_t start = all.start_ns[i], end = start + all.duration_ns[i];
    const auto end_of = [&all](uint32_t row) { return all.start_ns[row] + all.duration_ns[row]; };
    while (!stack.empty() && end_of(stack.back()) <= start) stack.pop_back();
    ns[i] = all.duration_ns[i];
    int64_t from = start;
    for (size_t around = stack.size(); around-- > 0 && from < end;) {
      const int64_t until = std::min(end, end_of(stack[around]));
      if (until <= from) continue;
      ns[stack[around]] -= until - from;
      from = until;
    }
    stack.push_back(static_cast<uint32_t>(i));
  }
  return ns;
}

double foreign_idle_ratio(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::vector<std::vector<Busy>> busy_of;
  for (const TrackId track : busiest_tracks(capture)) {
    busy_of.push_back(covered(all, [&](size_t i) { return all.kind[i] == ActivityKind::op && all.track[i] == track; }));
  }
  double in_ops = 0, in_steps = 0;
  for (const StepWindow& step : timed_step_windows(capture)) {
    const std::vector<Busy>& busy = busy_of[step.rank];
    const int64_t begin = step.begin_ns, end = step.end_ns;
    auto at = std::lower_bound(busy.begin(), busy.end(), begin, [](const Busy& i, int64_t t) { return i.end <= t; });
    if (busy.empty()) continue;  // of a rank without ops nothing is known
    for (; at != busy.end() && at->begin < end; ++at)
      in_ops += static_cast<double>(std::min(end, at->end) - std::max(begin, at->begin));
    in_steps += static_cast<double>(end - begin);
  }
  return in_steps > 0 ? 1 - in_ops / in_steps : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace profiler
