// SPDX-License-Identifier: Apache-2.0
// Ops of a step as a table, one by one or in groups.
#pragma once

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/base/table.h"

namespace profiler {

/// One row per op or group: calls, time, share, FLOPs, compulsory and modelled bytes per level, intensity, FLOP/s, % of
/// roof, verdict.
Table ops_table(const Analyzed&, OpsBy);

}  // namespace profiler
