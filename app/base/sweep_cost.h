// SPDX-License-Identifier: Apache-2.0
// What a sweep will take, before it runs.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "app/base/sweep.h"

namespace app {

/// One process that was run to see how predictions and start-up come out here.
struct SweepCostBase {
  std::string label;        ///< of its point: "batch=4"
  int steps = 0;            ///< timed
  double step_ns = 0;       ///< measured, median
  double predicted_ns = 0;  ///< modelled; NaN: roofs unknown
  double process_s = 0;     ///< from start to end of the process
};

struct SweepCost {
  size_t points = 0;                        ///< that fit into memory
  size_t out_of_memory = 0;                 ///< points that do not
  int least_samples = 0, most_samples = 0;  ///< processes per point
  int steps = 0;                            ///< timed steps of each process; 0: by the predicted step
  std::vector<SweepCostBase> base;          ///< the quickest point, and the slowest of those predicted to end soon
  /// Seconds: the fewest samples at the faster end of the base, the most at the slower one; `likely_s`: the fewest
  /// samples at the mean. NaN: the base says nothing.
  double low_s = 0, likely_s = 0, high_s = 0;
  std::string why_unknown;  ///< where they are NaN
};

/// Predicts every point and runs one process each at two of them; writes nothing. Refused as sweep() refuses.
engine::Result<SweepCost> sweep_cost(const SweepOptions&, const std::function<void(const SweepProgress&)>& progress,
                                     const std::atomic<bool>& stop);
/// Three sentences: the estimate, its base, its spread.
std::string sweep_cost_words(const SweepCost&);

/// Which points become the base, as places in `predicted_ns`: the quickest, and the slowest of those whose process is
/// predicted to end within ten seconds. Who asks what a sweep takes does not wait for its longest point. `steps`: of
/// each process; 0: by the predicted step.
std::vector<size_t> base_places(const std::vector<double>& predicted_ns, int steps);

/// Estimate from a base. The time of a process is its steps times the step, times what the base's processes took over
/// their own steps (warm-up, start-up, planning). `predicted_ns`: of each point that runs.
void estimate(SweepCost&, const std::vector<double>& predicted_ns);

}  // namespace app
