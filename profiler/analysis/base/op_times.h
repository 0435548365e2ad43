// SPDX-License-Identifier: Apache-2.0
// Time of each op in a step.
#pragma once

#include <vector>

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// What one op takes of a step, over the traced, non-warm-up steps: `ns.median` is the median in runs of ours and the
/// mean in traces of other tools (of_a_step(): steps that run different ops). samples = 0: never ran (views) or not
/// traced.
struct OpTime {
  Spread ns;
};
std::vector<OpTime> op_times(const Capture&);  ///< indexed by OpId

}  // namespace profiler
