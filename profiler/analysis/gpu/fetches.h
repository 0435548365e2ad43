// SPDX-License-Identifier: Apache-2.0
// Ops of imported traces in which the host fetches its data.
#pragma once

#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Ops that fetch data, by their type: enumerate(DataLoader)..., IteratorGetNext. Own captures have none.
std::vector<OpId> fetching_ops(const Capture&);

}  // namespace profiler
