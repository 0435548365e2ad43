// SPDX-License-Identifier: Apache-2.0
// How the durations of ops and of calls are distributed: what one figure hides.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// One row per type of op and per name of an API call: count in the timed steps, quantiles, longest.
Table quantiles_table(const Capture&);
std::vector<std::string> quantiles_sentences(const Capture&);

}  // namespace profiler
