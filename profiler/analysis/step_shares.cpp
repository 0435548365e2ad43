// SPDX-License-Identifier: Apache-2.0
// Parts of a step: what passes outside all ops, and how an op's time becomes a share.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "profiler/analysis/foreign_times.h"
#include "profiler/analysis/groups.h"
#include "profiler/analysis/overlap.h"

namespace profiler {

double untimed_ratio(const Capture& capture) {
  // ops that a GPU works for have its times: outside of them it stands still
  if (const double idle = gpu_idle_ratio(capture); !std::isnan(idle)) return idle;
  if (!capture.run().source.empty()) {
    std::vector<double> idle = foreign_idle_ratios(capture);
    for (size_t i = 0; i < idle.size(); ++i) {
      if (!capture.steps()[i].traced || capture.steps()[i].warmup) idle[i] = std::numeric_limits<double>::quiet_NaN();
    }
    std::erase_if(idle, [](double ratio) { return std::isnan(ratio); });
    return median(idle);
  }
  std::unordered_map<uint32_t, double> in_ops;
  const ActivityColumns& all = capture.activities();
  uint32_t last = kNoStep;
  double* sum = &in_ops[last];
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    if (const uint32_t step = all.step[i]; step != last) {
      sum = &in_ops[step];  // stays where it is however many steps follow
      last = step;
    }
    *sum += static_cast<double>(all.duration_ns[i]);
  }
  std::vector<double> ratios;
  for (const StepRecord& step : capture.steps()) {
    if (!step.traced || step.warmup || step.duration_ns <= 0) continue;
    ratios.push_back(std::max(0.0, 1 - in_ops[step.index] / static_cast<double>(step.duration_ns)));
  }
  return median(ratios);
}

double share_per_ns(const Analyzed& analyzed) {
  double timed = 0;
  for (const OpRecord& op : analyzed.capture->ops()) {
    if (const double t = time_of(analyzed, op.id); t > 0) timed += t;
  }
  if (!(timed > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double untimed = untimed_ratio(*analyzed.capture);
  return (std::isnan(untimed) ? 1 : 1 - untimed) / timed;
}

}  // namespace profiler
