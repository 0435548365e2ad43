// SPDX-License-Identifier: Apache-2.0
// How far a machine's roofs are to be trusted: what their probe met, and what that means for figures computed from
// them.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/machine/machine.h"

namespace profiler {

/// (Highest - lowest repeat) / median, its median over all roofs; NaN: there is no roof. Below 0.05 on a quiet virtual
/// machine.
double roof_spread(const Machine&);

/// What helps against low confidence in roofs.
constexpr const char* kMeasureAgain = marked("Run `tensortide probe` on a quiet machine, then record again.");

/// Why figures computed from these roofs may be wrong, and what helps, in short sentences. Reasons: background load,
/// roofs that were not measured, figures kept from an earlier probe under load. Empty: nothing is known against them,
/// or there are none.
std::string roofs_weakness(const Machine&);
/// "L2 read, 1 thread; L2 copy, 1 thread; L2 read, 2 threads; 12 more": Machine::unfinished or unfinished_choices.
/// Empty: there are none.
std::string unfinished_words(const std::vector<std::string>&);

/// Where a roof of this machine comes from, said beside each that is drawn or named: "measured"; "measured, low
/// confidence" where roofs_weakness() says why. What a data sheet claims is not weakened by what a probe met.
std::string roof_origin_words(Origin, const Machine&);

/// Whether so large a share of a roof (rate / roof) says that the roof is no bound: measured too low, or for other
/// work. No share is shown then.
constexpr bool above_roof(double share_ratio) { return share_ratio > 1.05; }

}  // namespace profiler
