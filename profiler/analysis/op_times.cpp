// SPDX-License-Identifier: Apache-2.0
// Median duration of each op over the steps that count.
#include <set>

#include "profiler/analysis/analysis.h"

namespace profiler {

std::vector<OpTime> op_times(const Capture& capture) {
  std::set<uint32_t> counted;
  for (const StepRecord& s : capture.steps()) {
    if (s.traced && !s.warmup) counted.insert(s.index);
  }
  // A run killed before its first step ended has ops but no step record: better those than nothing.
  const bool any_step = capture.steps().empty();
  const ActivityColumns& all = capture.activities();
  std::vector<OpTime> times(capture.ops().size());
  std::vector<double> durations;
  for (const OpRecord& op : capture.ops()) {
    durations.clear();
    uint32_t step = kNoStep;
    for (const uint32_t row : capture.activities_of(op.id)) {
      if (all.kind[row] != ActivityKind::op) continue;
      if (!any_step && !counted.contains(all.step[row])) continue;
      const auto duration = static_cast<double>(all.duration_ns[row]);
      if (!durations.empty() && all.step[row] == step) {
        durations.back() += duration;  // the op ran in several pieces
      } else {
        durations.push_back(duration);
      }
      step = all.step[row];
    }
    times[op.id].ns = spread(durations);
  }
  return times;
}

}  // namespace profiler
