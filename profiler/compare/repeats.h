// SPDX-License-Identifier: Apache-2.0
// Repeats of a run: captures of the same command, in a folder beside the capture they repeat.
#pragma once

#include <filesystem>
#include <vector>

#include "profiler/compare/comparison.h"

namespace profiler {

/// "a.tide" -> "a.repeats".
std::filesystem::path repeats_folder(const std::filesystem::path& capture);
/// The captures in it, by name; empty: there are none.
std::vector<std::filesystem::path> repeats_of(const std::filesystem::path& capture);
/// Reads them into a side. With any repeat, the run's own process no longer counts: it did not run in turn with the
/// others. Repeats older than the capture belong to one of that name that is gone: left out. Returns how many count.
/// Refused: a damaged file, another graph.
engine::Result<int> add_repeats(CompareSide&, const std::filesystem::path& capture);

}  // namespace profiler
