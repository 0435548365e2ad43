// SPDX-License-Identifier: Apache-2.0
// The catalog of a sweep's tables: `analyze --table` and its help are made from it.
#pragma once

#include <span>
#include <string_view>

#include "profiler/base/table.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

struct SweepTableEntry {
  const char* name;  ///< "series": analyze --table series
  const char* help;  ///< its rows in a few words, for --help
  Table (*make)(const Sweep&);
};
/// The first is what a sweep shows where no table is asked for.
std::span<const SweepTableEntry> sweep_table_catalog();
/// null: no table of a sweep has this name.
const SweepTableEntry* find_sweep_table(std::string_view name);

}  // namespace profiler
