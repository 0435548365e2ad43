// SPDX-License-Identifier: Apache-2.0
// What a run put out, as a table: checksums and figures of its results.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// A row per result: its checksum, and what its values are.
Table results_table(const Capture&);
std::vector<std::string> results_sentences(const Capture&);
/// Why there are no results; empty: there are.
std::string no_results_words(const Capture&);

}  // namespace profiler
