// SPDX-License-Identifier: Apache-2.0
// What CUPTI costs: steps of a process that it watches held against those of one that it does not.
#pragma once

#include <span>
#include <string>

namespace profiler {

/// A sentence for the capture's notes. `with`, `without`: traced steps after the warm-up [ns] of this process and of
/// one without CUPTI (timed_steps_ns()). Compared are their process_time_ns(); the noise is the larger interquartile
/// range of the two, since one process on each side tells nothing of what lies between processes. A cost is given only
/// where it is beyond that noise. `why_not`: why `without` is empty; may be empty itself.
std::string cupti_cost_words(std::span<const double> with, std::span<const double> without, const std::string& why_not);

}  // namespace profiler
