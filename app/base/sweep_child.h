// SPDX-License-Identifier: Apache-2.0
// The processes of a sweep: what is run at a point, and with how many steps.
#pragma once

#include <string>
#include <vector>

#include "app/base/sweep.h"

namespace app {

/// The run of one point.
engine::Result<RunRequest> request_of(const SweepOptions&, const profiler::Sweep&, size_t point);
/// Timed steps of one process: as many as take half a second, 5 to 50.
int steps_for(double step_ns);
/// The command line of one process of a point; `steps` where the request leaves them open.
std::vector<std::string> child_words(RunRequest request, int steps);

}  // namespace app
