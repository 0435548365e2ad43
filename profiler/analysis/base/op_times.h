// SPDX-License-Identifier: Apache-2.0
// Time of each op in a step.
#pragma once

#include <vector>

#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Time of one op per step, over the traced steps without warm-up. `ns.median` is the median in own captures. In
/// imported traces, whose steps run different ops, it is the mean (of_a_step()). samples = 0: never ran (views) or not
/// traced.
struct OpTime {
  Spread ns;
  double judged_ns = 0;  ///< judged_step_ns()
};
std::vector<OpTime> op_times(const Capture&);  ///< indexed by OpId

}  // namespace profiler
