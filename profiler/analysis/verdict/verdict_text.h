// SPDX-License-Identifier: Apache-2.0
// The words of a verdict. Nothing else makes text of reasons, and nothing reads that text again.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_reason.h"

namespace profiler {

/// One sentence; of a cause its clause: "compulsory: only fusion or a smaller dtype can help".
std::string reason_text(const Reason&);
/// The steps of the reasoning with their numbers, one sentence each.
std::vector<std::string> verdict_text(const Verdict&);
/// All causes in one line; empty: none was found.
std::string cause_text(const Verdict&);
/// What limits it and how sure that is: "memory-bound at DRAM (likely)".
std::string headline(const Verdict&);
/// The same without how sure it is: "memory-bound at DRAM".
std::string class_text(const Verdict&);
/// "DRAM bandwidth", "arithmetic", "starting threads": a bound in the words of the summary.
std::string cause_words(Bound, const std::string& level);

}  // namespace profiler
