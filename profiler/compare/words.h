// SPDX-License-Identifier: Apache-2.0
// A comparison in sentences.
#pragma once

#include <string>
#include <vector>

#include "profiler/compare/comparison.h"

namespace profiler {

/// The answer in one line: "10 % faster, not certain".
std::string comparison_headline(const Comparison&);
/// "12 % shorter to 3 % longer", the 95 % interval of the whole step; or why it tells nothing.
std::string interval_words(const Change&);
/// The answer: by how much, which ops, at which bytes, limited by what.
std::string comparison_sentence(const Comparison&);
/// What differs between the runs besides time, which ops have no partner, what to do when it is unsure.
std::vector<std::string> comparison_notes(const Comparison&, const CompareSide& before, const CompareSide& after,
                                          const UnsaidSettings& = {});
/// "one process each", "1 and 5 processes".
std::string processes_words(const Change&);
/// The test with its figures.
std::string comparison_method(const Comparison&, const ChangeTest&);

}  // namespace profiler
