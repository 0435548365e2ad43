// SPDX-License-Identifier: Apache-2.0
// Finds the series of losses among a capture's counters.
#include "profiler/model/training_loss.h"

#include <algorithm>

namespace profiler {

std::optional<TrainingLoss> training_loss(const Capture& capture) {
  if (!capture.run().source.empty()) return std::nullopt;
  for (const CounterSeries& series : capture.counters()) {
    if (capture.name(series.name) != kLossName || capture.name(series.group) != kLossGroup || series.value.empty()) continue;
    const auto until_last = [&](const StepRecord& step) { return step.start_ns + step.duration_ns <= series.time_ns.back(); };
    return TrainingLoss{.first = series.value.front(),
                        .last = series.value.back(),
                        .steps = static_cast<size_t>(std::ranges::count_if(capture.steps(), until_last)),
                        .values = series.value.size()};
  }
  return std::nullopt;
}

}  // namespace profiler
