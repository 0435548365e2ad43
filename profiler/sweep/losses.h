// SPDX-License-Identifier: Apache-2.0
// Losses of the trainings of a sweep, side by side after equal numbers of steps.
#pragma once

#include "profiler/base/table.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// A row per point and number of steps: settings, steps, median loss over the processes, least, largest. Processes of
/// one seed give one loss; an axis over seeds shows the spread.
Table sweep_losses_table(const Sweep&);

}  // namespace profiler
