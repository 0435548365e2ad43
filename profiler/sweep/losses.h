// SPDX-License-Identifier: Apache-2.0
// Losses of the trainings of a sweep, side by side after equal numbers of steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// The losses of one point's processes after `steps` steps.
struct StepLosses {
  size_t point = 0;
  int steps = 0;
  size_t processes = 0;  ///< that ran as many
  double median = 0, least = 0, most = 0;
};
/// By point, then ascending in steps: the rows of sweep_losses_table() as numbers.
std::vector<StepLosses> sweep_losses(const Sweep&);
/// A row per point and number of steps: settings, steps, median loss over the processes, least, largest. Processes of
/// one seed give one loss; an axis over seeds shows the spread.
Table sweep_losses_table(const Sweep&);

/// The axis whose values are repetitions: nothing is said along it but a spread.
inline constexpr std::string_view kSeedAxis = "seed";

/// The losses of one point, ascending in steps: at each count of steps the median over its processes.
struct LossRun {
  size_t point = 0;
  std::vector<SweepLoss> losses;
};
/// All points that differ in the seed alone.
struct LossCurve {
  std::string label;  ///< "preset=f16"; empty: there is only one
  std::vector<LossRun> runs;
  std::vector<SweepLoss> median;  ///< over the runs, at the steps that all of them have
};
/// One per combination of the other axes, of those with losses; empty: nothing trained.
std::vector<LossCurve> loss_curves(const Sweep&);

/// The largest count of steps that every point with losses has; 0: none.
int last_common_steps(const Sweep&);
/// A point's loss after these steps, the median over its processes; NaN: unknown.
double loss_after(const SweepPoint&, int steps);

/// The loss after `steps` over the runs of a curve.
struct FinalLoss {
  int steps = 0;
  double median = 0, least = 0, most = 0;
  /// It fell by under 1 % of the loss after the first step: nothing was learned.
  bool stuck = false;
};
FinalLoss final_loss(const LossCurve&, int steps);

/// "final_losses": a row per curve: settings, runs, loss after the last common steps with its spread, time, bytes.
Table sweep_final_losses_table(const Sweep&);
/// One sentence per curve; empty: no losses.
std::vector<std::string> loss_sentences(const Sweep&);
/// "Loss after 100 steps: 0.0021 (preset=f32), 2.31 (preset=f16)"; empty: no losses.
std::string loss_headline(const Sweep&);

}  // namespace profiler
