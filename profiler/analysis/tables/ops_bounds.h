// SPDX-License-Identifier: Apache-2.0
// What limits each row of the ops table, as a fact: the table itself has it in words.
#pragma once

#include <optional>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/verdict/verdict.h"

namespace profiler {

/// By row of ops_table(): the op's bound, of a group the one that most of its time has. Nothing: no op of the row was
/// timed.
std::vector<std::optional<Bound>> ops_bounds(const Analyzed&, OpsBy);

}  // namespace profiler
