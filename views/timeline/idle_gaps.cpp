// SPDX-License-Identifier: GPL-3.0-or-later
// Finds idle gaps and names their cause.
#include "views/timeline/idle_gaps.h"
#include "profiler/base/say.h"

#include <algorithm>
#include <utility>

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

/// The largest cause of a gap, in words.
std::string words(const profiler::IdleCauses& c, bool between_steps) {
  const double host = c.calls_ns + c.host_ns;
  const std::pair<double, const char*> causes[] = {
      {c.unknown_ns, profiler::marked("idle: the launch of the next kernel is not recorded")},
      {host,
       between_steps ? profiler::marked("idle: between steps") : profiler::marked("idle: the host launches too late")},
      {c.waits_ns, profiler::marked("idle: the host waited for the device before it launched more")},
      {c.fetch_ns, profiler::marked("idle: the host fetched its data")},
      {c.start_ns, profiler::marked("idle: launched, on its way")},
      {c.queued_ns, profiler::marked("idle: launched, but waits for another stream or to start")},
      {c.held_ns,
       profiler::marked("idle: launched, but held by an event, another program or work from before the trace")}};
  const auto* most = std::ranges::max_element(causes, {}, [](const auto& cause) { return cause.first; });
  return profiler::say_marked(most->second);
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

std::vector<Span> device_idle(const Capture& capture, const profiler::IdleExplainer& explainer,
                              const std::vector<IdleGap>& gaps, const Lane& copies, Labels& labels) {
  const StepsInTime steps(capture);
  const auto& a = capture.activities();
  std::vector<Span> spans;
  spans.reserve(gaps.size());
  for (const IdleGap& g : gaps) {
    const uint64_t correlation = a.correlation[g.next];
    const profiler::Interval* launch = explainer.call(correlation);
    const profiler::IdleCauses causes = explainer.before_work({g.begin_ns, g.end_ns}, correlation);
    const double launched = causes.start_ns + causes.queued_ns + causes.held_ns;
    const bool copied = launch != nullptr && 2 * launched >= causes.total() &&
                        touches(copies, std::max(g.begin_ns, launch->end_ns), g.end_ns);
    const bool between_steps =
        launch != nullptr && steps.any() && steps.around(g.begin_ns, launch->begin_ns) == nullptr;
    const std::string cause = copied ? profiler::say("idle: waits for a copy") : words(causes, between_steps);
    spans.push_back({g.begin_ns, g.end_ns, labels.intern(cause), profiler::kNoOp, a.step[g.next]});
  }
  return spans;
}

}  // namespace views
