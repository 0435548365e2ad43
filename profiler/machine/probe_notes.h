// SPDX-License-Identifier: Apache-2.0
// What a probe met, in words: made from Machine's fields where they are shown.
#pragma once

#include <string>
#include <vector>

#include "profiler/machine/machine.h"

namespace profiler {

/// What was not measured and why, background load, figures of an earlier probe; then Machine::notes. One sentence or
/// two each.
std::vector<std::string> probe_notes(const Machine&);

}  // namespace profiler
