// SPDX-License-Identifier: Apache-2.0
// What a point of a sweep was run with.
#pragma once

#include <string>
#include <string_view>

#include "profiler/sweep/sweep.h"

namespace profiler {

/// Value of a setting at a point: of the axis of that name, else from the fixed words, behind "--name" or "--set
/// name=". Empty: neither.
std::string setting_of(const Sweep&, size_t point, std::string_view name);

}  // namespace profiler
