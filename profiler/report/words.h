// SPDX-License-Identifier: Apache-2.0
// Words that several parts of a report share.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/findings/findings.h"
#include "profiler/report/report.h"
#include "profiler/report/section_catalog.h"

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

/// Sentences about GPUs and copies that page 1 holds. The findings leave them out.
inline constexpr size_t kSentencesOfPage1 = 2;
/// Ranks of the findings that page 1 gives as advice (of findings(), from 0). Their advice is there alone.
std::vector<size_t> leading_findings(const std::vector<RunFinding>&);

// ---- the parts of reports

/// The four answers; they say what is unknown, and why.
std::vector<ReportAnswer> capture_answers(const Analyzed&);
std::vector<ReportDoubt> capture_doubts(const Capture&);
/// Of the machine's roofs alone.
std::vector<ReportDoubt> machine_doubts(const Machine&);
/// Time by type of op, beside each timed step.
ReportBars capture_bars(const Analyzed&);
/// Time per step of each point; of very many, of the first ones.
ReportBars sweep_bars(const Sweep&);
/// The step and the ops that changed most, before and after.
ReportBars comparison_bars(const Comparison&);

ReportSection machine_section(const SectionInput&);
ReportSection quality_section(const SectionInput&);
ReportSection ops_section(const SectionInput&);
ReportSection changes_section(const SectionInput&);
ReportSection points_section(const SectionInput&);
ReportSection findings_section(const SectionInput&);
ReportSection reasons_section(const SectionInput&);
ReportSection origins_section(const SectionInput&);
ReportSection thresholds_section(const SectionInput&);
/// Of the tables of the sections before.
ReportSection names_section(const SectionInput&);
ReportSection command_section(const SectionInput&);

// Those of the kinds that differ; the ones above choose.
std::vector<ReportBlock> capture_method(const Capture&);
std::vector<ReportBlock> sweep_method(const Sweep&);
/// The machine itself, its levels and its roofs.
/// `no_roofs`: why there are none, where that is not for want of a probe.
std::vector<ReportBlock> machine_blocks(const Machine&, int threads, const std::string& no_roofs = {});
/// A row per column: what it is.
ReportTable definitions_of(const std::vector<Column>&);
std::vector<ReportBlock> sweep_findings(const Sweep&);

}  // namespace profiler
