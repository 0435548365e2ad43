// SPDX-License-Identifier: GPL-3.0-or-later
// Joins launches with what they launched and counts what waits.
#include "views/timeline/queue_depth.h"
#include "profiler/base/say.h"

#include <algorithm>
#include <map>

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Capture;

struct Launch {
  uint64_t correlation;
  int64_t begin_ns;
};

/// Calls f(kind, correlation, start, track) for every activity.
template <class F>
void each_activity(const Capture& capture, F&& f) {
  const auto& a = capture.activities();
  std::vector<ActivityKind> kind;
  std::vector<uint64_t> correlation;
  std::vector<int64_t> start;
  std::vector<profiler::TrackId> track;
  for (size_t chunk = 0; chunk < a.kind.chunk_count(); ++chunk) {
    a.kind.decode(chunk, kind);
    a.correlation.decode(chunk, correlation);
    a.start_ns.decode(chunk, start);
    a.track.decode(chunk, track);
    for (size_t i = 0; i < kind.size(); ++i)
      if (correlation[i] != 0) f(kind[i], correlation[i], start[i], track[i]);
  }
}

std::vector<Launch> launches_of(const Capture& capture) {
  std::vector<Launch> launches;
  each_activity(capture, [&](ActivityKind kind, uint64_t correlation, int64_t start, profiler::TrackId) {
    if (kind == ActivityKind::api) launches.push_back({correlation, start});
  });
  const auto before = [](const Launch& x, const Launch& y) { return x.correlation < y.correlation; };
  if (!std::is_sorted(launches.begin(), launches.end(), before))
    std::stable_sort(launches.begin(), launches.end(), before);
  return launches;
}

/// When work of one group was launched and when it began.
struct Queue {
  std::vector<int64_t> launched, begun;
};

/// Depths as spans, ascending; equal neighbours are one, nothing waiting is left out.
struct DepthSpans {
  std::vector<Span> spans;
  std::vector<double> depths;
  void add(int64_t begin_ns, int64_t end_ns, double depth) {
    if (depth <= 0 || end_ns <= begin_ns) return;
    if (!spans.empty() && spans.back().end_ns == begin_ns && depths.back() == depth) {
      spans.back().end_ns = end_ns;
      return;
    }
    spans.push_back({begin_ns, end_ns, 0, profiler::kNoOp, profiler::kNoStep});
    depths.push_back(depth);
  }
};

/// Calls f(begin, end, depth) from change to change.
template <class F>
void each_depth(Queue& queue, F&& f) {
  std::sort(queue.launched.begin(), queue.launched.end());
  std::sort(queue.begun.begin(), queue.begun.end());
  size_t in = 0, out = 0;
  int64_t at = queue.launched.front();
  while (out < queue.begun.size()) {
    const int64_t next = in < queue.launched.size() ? std::min(queue.launched[in], queue.begun[out]) : queue.begun[out];
    f(at, next, static_cast<double>(in - out));
    at = next;
    while (in < queue.launched.size() && queue.launched[in] <= next) ++in;
    while (out < queue.begun.size() && queue.begun[out] <= next) ++out;
  }
}

Lane depth_lane(const Capture& capture, Queue& queue) {
  DepthSpans spans;
  if (2 * queue.launched.size() <= kMostDepthChanges) {
    each_depth(queue, [&](int64_t begin, int64_t end, double depth) { spans.add(begin, end, depth); });
  } else {
    const int64_t origin = capture.begin_ns(),
                  part_ns = (capture.end_ns() - origin) / static_cast<int64_t>(kMostDepthChanges) + 1;
    std::vector<double> most(kMostDepthChanges, 0.0);
    each_depth(queue, [&](int64_t begin, int64_t end, double depth) {
      for (int64_t part = (begin - origin) / part_ns; part * part_ns < end - origin; ++part)
        most[static_cast<size_t>(part)] = std::max(most[static_cast<size_t>(part)], depth);
    });
    for (size_t i = 0; i < most.size(); ++i)
      spans.add(origin + static_cast<int64_t>(i) * part_ns, origin + static_cast<int64_t>(i + 1) * part_ns, most[i]);
  }
  return spans.spans.empty() ? Lane() : Lane(std::move(spans.spans), std::move(spans.depths));
}

}  // namespace

std::vector<TimelineCounter> queue_depths(const Capture& capture) {
  const std::vector<Launch> launches = launches_of(capture);
  std::vector<Queue*> queue_of_track(capture.tracks().size(), nullptr);
  std::map<std::string, Queue> queues;  // by group
  for (size_t t = 0; t < capture.tracks().size(); ++t) queue_of_track[t] = &queues[capture.tracks()[t].group];
  auto near = launches.begin();
  each_activity(capture, [&](ActivityKind kind, uint64_t correlation, int64_t start, profiler::TrackId track) {
    if (kind != ActivityKind::kernel && kind != ActivityKind::copy && kind != ActivityKind::memset) return;
    const auto below = [correlation](const Launch& l) { return l.correlation < correlation; };
    // work begins nearly in the order of its launches
    while (near != launches.end() && below(*near)) ++near;
    auto launch = near;
    if (launch == launches.end() || launch->correlation != correlation)
      launch = std::partition_point(launches.begin(), near, below);
    if (launch == launches.end() || launch->correlation != correlation || launch->begin_ns > start) return;
    queue_of_track[track]->launched.push_back(launch->begin_ns);
    queue_of_track[track]->begun.push_back(start);
  });
  std::vector<TimelineCounter> counters;
  for (auto& [group, queue] : queues) {
    if (queue.launched.empty()) continue;
    TimelineCounter counter;
    counter.kind = TimelineCounter::Kind::gauge;
    counter.key = "queue " + group;
    counter.title = profiler::say("Queue depth, ") + group;
    counter.quantity = profiler::Quantity::count;
    counter.origin = capture.time_origin();
    counter.help = profiler::say(
        "Kernels, copies and fills that were launched (the call has begun) and have not begun themselves (measured). A "
        "column shows its largest value. 0 while "
        "the device works: the host launches too late.");
    if (2 * queue.launched.size() > kMostDepthChanges)
      counter.help += profiler::say(" Kept as the largest value of each 1/65536 of the capture.");
    counter.lanes.push_back(depth_lane(capture, queue));
    counters.push_back(std::move(counter));
  }
  return counters;
}

}  // namespace views
