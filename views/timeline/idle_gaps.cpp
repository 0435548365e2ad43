// SPDX-License-Identifier: GPL-3.0-or-later
// Finds idle gaps and names their cause.
#include "views/timeline/idle_gaps.h"
#include "profiler/base/say.h"

#include <algorithm>
#include <unordered_map>

namespace views {

using profiler::ActivityKind;
using profiler::Capture;

namespace {

/// Keeps the `most` longest, in time order.
void keep_longest(std::vector<IdleGap>& gaps, size_t most) {
  if (gaps.size() <= most) return;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(most), gaps.end(),
                   [](const IdleGap& a, const IdleGap& b) { return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns; });
  gaps.resize(most);
  std::sort(gaps.begin(), gaps.end(), [](const IdleGap& a, const IdleGap& b) { return a.begin_ns < b.begin_ns; });
}

/// The step that holds [begin, end); null: none does.
class StepsInTime {
 public:
  explicit StepsInTime(const Capture& capture) {
    for (const auto& s : capture.steps()) steps_.push_back(&s);
    std::sort(steps_.begin(), steps_.end(), [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
  }
  const profiler::StepRecord* around(int64_t begin_ns, int64_t end_ns) const {
    const auto after =
        std::partition_point(steps_.begin(), steps_.end(), [&](const auto* s) { return s->start_ns <= begin_ns; });
    if (after == steps_.begin()) return nullptr;
    const auto* s = *(after - 1);
    return s->start_ns + s->duration_ns >= end_ns ? s : nullptr;
  }
  bool any() const { return !steps_.empty(); }

 private:
  std::vector<const profiler::StepRecord*> steps_;
};

bool touches(const Lane& lane, int64_t begin_ns, int64_t end_ns) {
  if (lane.empty()) return false;
  const size_t first = lane.first_ending_after(begin_ns);
  return first < lane.size() && lane.begin_ns(first) < end_ns;
}

/// When the API call with the correlation of each gap's next activity began.
std::unordered_map<uint64_t, int64_t> launches(const Capture& capture, const std::vector<IdleGap>& gaps) {
  std::unordered_map<uint64_t, int64_t> at;
  const auto& a = capture.activities();
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
  for (const IdleGap& g : gaps)
    if (const uint64_t c = a.correlation[g.next]; c != 0) at[c] = kUnknown;
  std::vector<uint64_t> correlation;
  std::vector<ActivityKind> kind;
  size_t row = 0;
  for (size_t chunk = 0; chunk < a.kind.chunk_count() && !at.empty(); ++chunk) {
    a.correlation.decode(chunk, correlation);
    a.kind.decode(chunk, kind);
    for (size_t i = 0; i < kind.size(); ++i, ++row) {
      if (kind[i] != ActivityKind::api || correlation[i] == 0) continue;
      if (const auto found = at.find(correlation[i]); found != at.end()) found->second = a.start_ns[row];
    }
  }
  std::erase_if(at, [](const auto& entry) { return entry.second == kUnknown; });
  return at;
}

}  // namespace

std::vector<IdleGap> idle_gaps(const Capture& capture, const std::vector<uint32_t>& rows, size_t most) {
  std::vector<IdleGap> gaps;
  const auto& a = capture.activities();
  int64_t busy_until = std::numeric_limits<int64_t>::max();
  for (const uint32_t row : rows) {
    const int64_t begin = a.start_ns[row], end = begin + a.duration_ns[row];
    if (busy_until == std::numeric_limits<int64_t>::max()) busy_until = end;
    if (begin - busy_until >= kShortestGapNs) {
      gaps.push_back({busy_until, begin, row});
      if (gaps.size() > 4 * most) keep_longest(gaps, most);
    }
    busy_until = std::max(busy_until, end);
  }
  keep_longest(gaps, most);
  return gaps;
}

std::vector<Span> host_idle(const Capture& capture, const std::vector<IdleGap>& gaps, Labels& labels) {
  const StepsInTime steps(capture);
  std::vector<Span> spans;
  spans.reserve(gaps.size());
  for (const IdleGap& g : gaps) {
    const auto* step = steps.around(g.begin_ns, g.end_ns);
    std::string cause = !steps.any()      ? profiler::say("no op: cause unknown")
                        : step == nullptr ? profiler::say("between steps")
                        : step->traced    ? profiler::say("between ops of a step")
                                          : profiler::say("step not traced: its ops are unknown");
    spans.push_back({g.begin_ns, g.end_ns, labels.intern(cause), profiler::kNoOp,
                     step != nullptr ? step->index : profiler::kNoStep});
  }
  return spans;
}

std::vector<Span> device_idle(const Capture& capture, const std::vector<IdleGap>& gaps, const Lane& copies,
                              const Lane& waits, Labels& labels) {
  const StepsInTime steps(capture);
  const auto& a = capture.activities();
  const auto launched = launches(capture, gaps);
  std::vector<Span> spans;
  spans.reserve(gaps.size());
  for (const IdleGap& g : gaps) {
    const auto launch = launched.find(a.correlation[g.next]);
    std::string cause = profiler::say("idle: the launch of the next kernel is not recorded");
    if (launch != launched.end() && launch->second > g.begin_ns) {
      // The host launched it after the device had run dry: what kept the host?
      if (touches(waits, g.begin_ns, launch->second)) {
        cause = profiler::say("idle: the host waited for the device before it launched more");
      } else if (steps.any() && steps.around(g.begin_ns, launch->second) == nullptr) {
        cause = profiler::say("idle: between steps");
      } else {
        cause = profiler::say("idle: the host launches too late");
      }
    } else if (touches(copies, g.begin_ns, g.end_ns)) {
      cause = profiler::say("idle: waits for a copy");
    } else if (launch != launched.end()) {
      cause = profiler::say("idle: launched, but waits for another stream or to start");
    }
    spans.push_back({g.begin_ns, g.end_ns, labels.intern(cause), profiler::kNoOp, a.step[g.next]});
  }
  return spans;
}

}  // namespace views
