// SPDX-License-Identifier: Apache-2.0
// Words that several parts of a report share.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/traffic.h"
#include "profiler/report/report.h"

namespace profiler {

/// A number with its name; `key` as in `analyze --json`.
ReportFact number_fact(std::string key, std::string label, double value, Quantity, Origin, std::string note = {});
/// Words with their name; `origin` says who claims them.
ReportFact words_fact(std::string label, std::string text, Origin = Origin::specified);
/// "first, second and third".
std::string listed(const std::vector<std::string>& words);
/// With an upper-case first letter (ASCII).
std::string sentence_case(std::string text);
/// The table without the columns that `keys` does not name, in its order; rows beyond `rows` are left out.
Table selected(const Table&, const std::vector<std::string>& keys, size_t rows);

// ---- the parts of a capture's report
// --------------------------------------------------------------------------------------

/// The four answers; they say what is unknown, and why.
std::vector<ReportAnswer> capture_answers(const Analyzed&);
ReportSection machine_section(const Capture&, const Traffic&);
ReportSection ops_section(const Analyzed&);
ReportSection findings_section(const Analyzed&);
ReportSection origins_section(const Analyzed&, const Traffic&);
/// The machine itself, its levels and its roofs.
std::vector<ReportBlock> machine_blocks(const Machine&, int threads);
ReportSection command_section(const ReportRecord&);

}  // namespace profiler
