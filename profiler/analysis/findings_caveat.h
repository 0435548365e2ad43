// SPDX-License-Identifier: Apache-2.0
// What is to be said beside findings of a run that others disturbed.
#pragma once

#include <string>

#include "profiler/model/capture.h"

namespace profiler {

/// "Other programs used 84 % of the processor while this was recorded: ..."; empty: the machine was quiet (Capture::disturbed).
std::string findings_caveat(const Capture&);
/// The same of a trial, whose processes saw others use up to so much (NaN: unknown, which says nothing).
std::string trial_caveat(double foreign_load_ratio);

}  // namespace profiler
