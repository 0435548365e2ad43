// SPDX-License-Identifier: Apache-2.0
// Median duration of each op over the steps that count.
#include <map>
#include <set>

#include "profiler/analysis/analysis.h"

namespace profiler {

std::vector<OpTime> op_times(const Capture& capture) {
  std::set<uint32_t> counted;
  for (const StepRecord& s : capture.steps()) {
    if (s.traced && !s.warmup) counted.insert(s.index);
  }
  // A capture without any step record (killed early, or foreign) still has times: better those than
  // nothing.
  const bool any_step = capture.steps().empty();
  const ActivityColumns& all = capture.activities();
  std::vector<OpTime> times(capture.ops().size());
  std::map<uint32_t, double> by_step;  // an op may run in several pieces
  for (const OpRecord& op : capture.ops()) {
    by_step.clear();
    for (const uint32_t row : capture.activities_of(op.id)) {
      if (all.kind[row] != ActivityKind::op) continue;
      if (any_step || counted.contains(all.step[row]))
        by_step[all.step[row]] += static_cast<double>(all.duration_ns[row]);
    }
    std::vector<double> durations;
    for (const auto& [step, ns] : by_step) durations.push_back(ns);
    times[op.id].ns = spread(durations);
  }
  return times;
}

}  // namespace profiler
