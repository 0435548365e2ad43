// SPDX-License-Identifier: Apache-2.0
// The steps of a run that were timed for what they take.
#pragma once

#include <vector>

#include "profiler/model/capture.h"

namespace profiler {

/// Durations of the traced steps after the warm-up, in their order [ns]; empty where none was timed.
inline std::vector<double> timed_steps_ns(const Capture& capture) {
  std::vector<double> steps;
  for (const StepRecord& step : capture.steps()) {
    if (step.traced && !step.warmup) steps.push_back(static_cast<double>(step.duration_ns));
  }
  return steps;
}

}  // namespace profiler
