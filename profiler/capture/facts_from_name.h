// SPDX-License-Identifier: Apache-2.0
// The one place that reads facts out of a kernel's name: of captures before format 3, which held nothing else, and of
// other tools' traces, whose names are the data.
#pragma once

#include <string_view>

#include "engine/graph/kernel_facts.h"

namespace profiler {

/// Key of the op attribute by which captures before format 3 told that an op ran in reference code: an
/// engine::CodeKind's name.
inline constexpr std::string_view kCodeKindKey = "code";

/// As this program named its kernels until format 3. Names that it never gave are of fast kernels of which nothing else
/// is known but the tile that libraries' GPU kernels carry ("..._128x64_..."): the first two such extents that are
/// multiples of 8 from 16 to 512.
engine::KernelFacts facts_from_name(std::string_view kernel);

/// Of a trace of another tool: the same, but nobody said what kind of code a kernel is that is not named as our
/// reference.
engine::KernelFacts facts_of_imported_kernel(std::string_view kernel);

}  // namespace profiler
