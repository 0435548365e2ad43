// SPDX-License-Identifier: Apache-2.0
// The one place that reads facts out of a kernel's name. Captures before format 3 held nothing else. In other tools'
// traces the names are the data.
#pragma once

#include <string_view>

#include "engine/graph/kernel_facts.h"

namespace profiler {

/// Key of an op attribute in captures before format 3: it marks ops that ran in reference code. Its value is the name
/// of an engine::CodeKind.
inline constexpr std::string_view kCodeKindKey = "code";

/// As this program named its kernels until format 3. Other names are of fast kernels, of which only the tile of
/// libraries' GPU kernels is known ("..._128x64_..."). The tile is the first two such extents that are multiples of 8
/// from 16 to 512.
engine::KernelFacts facts_from_name(std::string_view kernel);

/// Of a trace of another tool: the same, but nobody said what kind of code a kernel is that is not named as our
/// reference.
engine::KernelFacts facts_of_imported_kernel(std::string_view kernel);

}  // namespace profiler
