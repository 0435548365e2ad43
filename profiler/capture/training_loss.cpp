// SPDX-License-Identifier: Apache-2.0
// Finds the series of losses, and where they end in NaN, among a capture's counters.
#include "profiler/capture/training_loss.h"

#include <algorithm>

namespace profiler {
namespace {

std::vector<TrainingLoss::After> at_round_steps(const std::vector<double>& losses) {
  std::vector<TrainingLoss::After> after;
  for (size_t ten = 1; ten <= losses.size(); ten *= 10) {
    for (const size_t steps : {ten, 2 * ten, 5 * ten}) {
      if (steps <= losses.size()) after.push_back({steps, losses[steps - 1]});
    }
  }
  return after;
}

}  // namespace

std::optional<TrainingLoss> training_loss(const Capture& capture) {
  if (!capture.run().source.empty()) return std::nullopt;
  TrainingLoss loss;
  const auto end_ns = [](const StepRecord& step) { return step.start_ns + step.duration_ns; };
  for (const CounterSeries& series : capture.counters()) {
    if (capture.name(series.group) != kLossGroup || series.value.empty()) continue;
    if (capture.name(series.name) == kLossName) {
      loss.first = series.value.front();
      loss.last = series.value.back();
      loss.steps = static_cast<size_t>(std::ranges::count_if(
          capture.steps(), [&](int64_t end) { return end <= series.time_ns.back(); }, end_ns));
      loss.values = series.value.size();
      if (loss.values == loss.steps) loss.after = at_round_steps(series.value);
    } else if (capture.name(series.name) == kLossFailedName) {
      const auto step = std::ranges::find_if(
          capture.steps(), [&](int64_t end) { return end >= series.time_ns.front(); }, end_ns);
      if (step != capture.steps().end()) loss.failed_step = step->index;
    }
  }
  if (loss.values == 0 && !loss.failed_step) return std::nullopt;
  return loss;
}

}  // namespace profiler
