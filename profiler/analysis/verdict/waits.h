// SPDX-License-Identifier: Apache-2.0
// StepWaits: time of a step in which nothing of it is computed, because it waits for its input data or all its threads
// sleep.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/gpu/fetches.h"
#include "profiler/capture/capture.h"

namespace profiler {

struct StepWaits {
  std::vector<double> op_ns;  ///< by OpId: of its time in a step (OpTime); 0: none was seen
  double step_ns = 0;         ///< median of the timed steps; NaN: none
  double data_ns = 0;         ///< of a step: for its input data
  double asleep_ns = 0;       ///< of a step, beyond that: no thread of the program ran
  /// What is waited for: the lane of the loader that limits ("read"), "data" of another tool's loader, "sleep"; empty:
  /// nothing.
  std::string what;
  std::string sentence;  ///< how long and for whom, with its numbers
  std::string advice;
  double total_ns() const { return data_ns + asleep_ns; }
  /// Of the step; 0 where no step was timed.
  double ratio() const { return step_ns > 0 ? total_ns() / step_ns : 0; }
};

/// Lanes of a loader (see pipeline()) show that a step waits for a batch, or reads and decodes it itself. Imported
/// traces name the host's wait for its loader; it counts while no GPU works. Sleep is measured by the recorder
/// (Capture::honesty(), asleep_ratio). Where a GPU works it is no evidence: threads that wait for it may sleep or spin.
StepWaits step_waits(const Capture&);

/// Time [ns] per step that the host of one rank fetches its data, in imported traces: enumerate(DataLoader)...,
/// IteratorGetNext. Median over the steps that count (timed_steps()) of the ranks that fetch any; 0: none.
double fetching_ns(const Capture&);
}  // namespace profiler
