// SPDX-License-Identifier: Apache-2.0
// Times outside all ops, medians and means of steps, and what the median step is made of.
#include "profiler/analysis/step_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiler/analysis/base/foreign_times.h"
#include "profiler/analysis/base/intervals.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {

/// A rest below this part of the step is rounding.
constexpr double kRestWorthSaying = 0.005;

double time_of(const Analyzed& analyzed, OpId op) {
  const Spread& ns = analyzed.times[op].ns;
  return ns.samples > 0 ? ns.median : std::numeric_limits<double>::quiet_NaN();
}

namespace {

/// The ops of one step: the time for which any ran.
struct StepOps {
  double covered_ns = 0;
  std::vector<Interval> spans = {};  ///< where several devices computed
};

/// Whether ops of an own capture may run at once: those of several devices have a lane each.
bool ops_on_several_lanes(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  std::optional<TrackId> first;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    if (first && *first != all.track[i]) return true;
    first = all.track[i];
  }
  return false;
}

std::unordered_map<uint32_t, StepOps> ops_of_steps(const Capture& capture) {
  const bool several = ops_on_several_lanes(capture);
  std::unordered_map<uint32_t, StepOps> in_ops;
  const ActivityColumns& all = capture.activities();
  uint32_t last = kNoStep;
  StepOps* sum = &in_ops[last];
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] != ActivityKind::op) continue;
    if (const uint32_t step = all.step[i]; step != last) {
      sum = &in_ops[step];  // stays where it is however many steps follow
      last = step;
    }
    if (several) sum->spans.push_back({all.start_ns[i], all.start_ns[i] + all.duration_ns[i]});
    else sum->covered_ns += static_cast<double>(all.duration_ns[i]);
  }
  for (auto& [step, ops] : in_ops) {
    if (several) ops.covered_ns = static_cast<double>(IntervalSet(std::move(ops.spans)).length_ns());
  }
  return in_ops;
}

}  // namespace

double untimed_ratio(const Capture& capture) {
  // ops that a GPU works for have its times: outside of them it stands still
  const bool imported = !capture.run().source.empty();
  if (const double idle = imported ? gpu_idle_ratio(capture) : gpu_idle_step_ratio(capture); !std::isnan(idle))
    return idle;
  if (imported) return foreign_idle_ratio(capture);
  const std::unordered_map<uint32_t, StepOps> in_ops = ops_of_steps(capture);
  // Times, not ratios: a median of ratios would be of short and long steps alike, and no part of the median step.
  std::vector<double> outside, steps;
  for (const StepRecord& step : capture.steps()) {
    if (!step.traced || step.warmup || step.duration_ns <= 0) continue;
    steps.push_back(static_cast<double>(step.duration_ns));
    const auto ops = in_ops.find(step.index);
    outside.push_back(std::max(0.0, steps.back() - (ops == in_ops.end() ? 0 : ops->second.covered_ns)));
  }
  return median(outside) / median(steps);
}

double median_step_ns(const Capture& capture) {
  const std::vector<double> steps = timed_steps_ns(capture);
  return steps.empty() ? std::numeric_limits<double>::quiet_NaN() : spread(steps).median;
}

double mean_step_ns(const Capture& capture) {
  const std::vector<double> steps = timed_steps_ns(capture);
  return std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
}

double mean_step_apart_ns(const Capture& capture) {
  const double mean = mean_step_ns(capture), middle = median(timed_steps_ns(capture));
  const bool apart = !capture.run().source.empty() && std::abs(mean - middle) >= kRestWorthSaying * middle;
  return apart ? mean : std::numeric_limits<double>::quiet_NaN();
}

double share_per_ns(const Analyzed& analyzed) {
  if (const StepParts parts = step_parts(analyzed); parts.known()) return 1 / parts.step_ns;
  std::vector<double> times;
  for (const OpRecord& op : analyzed.capture->ops()) {
    if (const double t = time_of(analyzed, op.id); t > 0) times.push_back(t);
  }
  std::ranges::sort(times);  // the same sum to the last digit, in whatever order the ops of a trace come
  const double timed = std::accumulate(times.begin(), times.end(), 0.0);
  if (!(timed > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double untimed = untimed_ratio(*analyzed.capture);
  return (std::isnan(untimed) ? 1 : 1 - untimed) / timed;
}

bool StepParts::has_rest() const { return std::abs(rest_ns) >= kRestWorthSaying * step_ns; }

StepParts step_parts(const Analyzed& analyzed) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const Capture& capture = *analyzed.capture;
  const StepParts unknown{kUnknown, kUnknown, kUnknown, kUnknown};
  if (!capture.run().source.empty() || !capture.gpu().kernels.empty() || ops_on_several_lanes(capture)) return unknown;
  StepParts parts;
  parts.step_ns = median(timed_steps_ns(capture));
  for (const OpRecord& op : capture.ops()) {
    if (const double t = time_of(analyzed, op.id); t > 0) parts.ops_ns += t;
  }
  if (!(parts.step_ns > 0) || !(parts.ops_ns > 0)) return unknown;
  parts.between_ns = untimed_ratio(capture) * parts.step_ns;
  parts.rest_ns = parts.step_ns - parts.ops_ns - parts.between_ns;
  return parts.rest_ns == parts.rest_ns ? parts : unknown;
}

std::string step_parts_words(const StepParts& parts) {
  if (!parts.known()) return {};
  const auto duration = [](double ns) { return format_quantity(ns, Quantity::duration_ns); };
  std::string text =
      say("{} in ops (medians, summed) + {} between ops", duration(parts.ops_ns), duration(parts.between_ns));
  if (parts.has_rest()) {
    text += parts.rest_ns > 0 ? say(" + {} unexplained (step-to-step variation)", duration(parts.rest_ns))
                              : say(" - {} unexplained (step-to-step variation)", duration(-parts.rest_ns));
  }
  return text;
}

}  // namespace profiler
