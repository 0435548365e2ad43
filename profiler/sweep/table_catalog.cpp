// SPDX-License-Identifier: Apache-2.0
// The catalog of a sweep's tables: name, help, rows.
#include "profiler/sweep/table_catalog.h"
#include "profiler/base/say.h"

#include <algorithm>
#include <array>

#include "profiler/base/say.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/losses.h"
#include "profiler/sweep/reference.h"

namespace profiler {
namespace {

constexpr std::array kSweepTables{
    SweepTableEntry{"sweep", marked("Its points: settings, times, rates, bytes, limit"), sweep_table},
    SweepTableEntry{"series", marked("Its curves: knees, serial share, cache cliffs"), sweep_series_table},
    SweepTableEntry{"losses", marked("Losses of its trainings after 1, 2, 5, ... steps"), sweep_losses_table},
    SweepTableEntry{"final_losses", marked("Final loss of each setting over seeds, with time and bytes"),
                    sweep_final_losses_table},
    SweepTableEntry{"reference", marked("Its points beside published times"), reference_table}};

}  // namespace

std::span<const SweepTableEntry> sweep_table_catalog() { return kSweepTables; }

const SweepTableEntry* find_sweep_table(std::string_view name) {
  const auto found = std::ranges::find(kSweepTables, name, &SweepTableEntry::name);
  return found == kSweepTables.end() ? nullptr : &*found;
}

}  // namespace profiler
