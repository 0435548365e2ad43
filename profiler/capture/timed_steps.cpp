// SPDX-License-Identifier: Apache-2.0
// Steps with the GPU work that was launched in them: windows that follow one another without gaps of their own making.
#include "profiler/capture/timed_steps.h"

#include <algorithm>
#include <map>
#include <optional>

#include "profiler/capture/host_copies.h"

namespace profiler {
namespace {

/// End of the last GPU work launched in each step, by rank and step.
std::map<std::pair<uint32_t, uint32_t>, int64_t> ends_of_gpu_work(const Capture& capture) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> ends;
  const RankOfTrack rank_of(capture);
  const ActivityColumns& a = capture.activities();
  const auto add = [&](uint32_t activity) {
    const int64_t end = a.start_ns[activity] + a.duration_ns[activity];
    const auto [entry, added] = ends.try_emplace({rank_of(a.track[activity]), a.step[activity]}, end);
    entry->second = std::max(entry->second, end);
  };
  for (const KernelRecord& r : capture.gpu().kernels) add(r.activity);
  for (const MemsetRecord& r : capture.gpu().memsets) add(r.activity);
  for (const CopyRecord& r : capture.gpu().copies) {
    if (!is_host_copy(r)) add(r.activity);
  }
  return ends;
}

void add_windows(uint32_t rank, std::vector<StepRecord> steps,
                 const std::map<std::pair<uint32_t, uint32_t>, int64_t>& ends, std::vector<StepWindow>& out) {
  std::ranges::stable_sort(steps, {}, &StepRecord::start_ns);
  std::optional<StepWindow> before;
  for (const StepRecord& step : steps) {
    StepWindow w{rank, step, step.start_ns, step.start_ns + step.duration_ns};
    const auto late = ends.find({rank, step.index});
    if (late != ends.end()) w.end_ns = std::max(w.end_ns, late->second);
    const bool behind = before && before->end_ns > before->host.start_ns + before->host.duration_ns;
    if (behind) w.begin_ns = std::max(w.begin_ns, before->end_ns);
    w.end_ns = std::max(w.end_ns, w.begin_ns);
    out.push_back(w);
    before = w;
  }
}

}  // namespace

RankOfTrack::RankOfTrack(const Capture& capture) : rank_(capture.ranks().empty() ? 0 : capture.tracks().size(), 0) {
  for (uint32_t r = 0; r < capture.ranks().size(); ++r) {
    for (const TrackId track : capture.ranks()[r].tracks) rank_[track] = r;
  }
}

std::vector<StepWindow> step_windows(const Capture& capture) {
  const bool foreign = !capture.run().source.empty();
  const auto ends = foreign ? ends_of_gpu_work(capture) : std::map<std::pair<uint32_t, uint32_t>, int64_t>();
  std::vector<StepWindow> windows;
  if (capture.ranks().empty()) add_windows(0, capture.steps(), ends, windows);
  for (uint32_t r = 0; r < capture.ranks().size(); ++r) add_windows(r, capture.ranks()[r].steps, ends, windows);
  return windows;
}

TimedSteps timed_steps(const Capture& capture) {
  TimedSteps timed;
  timed.windows = step_windows(capture);
  std::erase_if(timed.windows, [](const StepWindow& w) { return !w.host.traced || w.host.warmup; });
  timed.without_time =
      static_cast<int64_t>(std::erase_if(timed.windows, [](const StepWindow& w) { return !(w.duration_ns() > 0); }));
  return timed;
}

std::vector<StepWindow> timed_step_windows(const Capture& capture) { return timed_steps(capture).windows; }

std::vector<StepWindow> measured_step_windows(const Capture& capture) {
  std::vector<StepWindow> measured = timed_step_windows(capture);
  return measured.empty() ? step_windows(capture) : measured;
}

std::vector<double> timed_steps_ns(const Capture& capture) {
  std::vector<double> steps;
  for (const StepWindow& window : timed_step_windows(capture)) steps.push_back(window.duration_ns());
  return steps;
}

}  // namespace profiler
