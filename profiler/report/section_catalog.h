// SPDX-License-Identifier: Apache-2.0
// The sections of reports: one table, from which reports, their dialog, --sections and its help are made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/report/report.h"

namespace profiler {

/// What sections are made from. Null: this kind of report has none.
struct SectionInput {
  ReportKind kind = ReportKind::capture;
  const Analyzed* analyzed = nullptr;  ///< of a comparison: the run after
  const Sweep* sweep = nullptr;
  const Comparison* comparison = nullptr;
  const Report* report = nullptr;  ///< as far as it is made: its doubts, answers, record and the sections before
};

struct ReportSectionEntry {
  /// usual: part of every report; found: a chart that findings choose; asked: where somebody asks for it.
  enum class When : uint8_t { usual, found, asked };
  const char* key;
  const char* title;
  const char* help;  ///< one line, for the dialog and --help
  unsigned kinds;    ///< bits of ReportKind
  When when = When::usual;
  /// Null: page 1, or a chart, whose picture is the view of that key.
  ReportSection (*make)(const SectionInput&) = nullptr;
  bool chart() const { return make == nullptr && !first_page; }
  bool first_page = false;
  bool of(ReportKind kind) const { return (kinds >> static_cast<unsigned>(kind)) & 1U; }
};
/// In the order of a report.
std::span<const ReportSectionEntry> report_sections();

/// "answers,ops" or "all" to keys. Refused (usage) with all keys: a word that no kind of report has, or none.
engine::Result<std::vector<std::string>> parse_sections(const std::string& text);
/// Refused (usage) with the keys of that kind: a section that it cannot have.
engine::Result<void> check_choice(ReportKind, const ReportChoice&);
/// Whether a report of that choice has it; `found`: charts that findings choose.
bool chosen(const ReportSectionEntry&, const ReportChoice&, const std::vector<Report::Chart>& found);
/// Adds charts and sections to a report whose other members are complete.
void add_sections(Report&, SectionInput, const ReportChoice&, const std::vector<Report::Chart>& found,
                  const std::vector<std::string>& not_drawn);

}  // namespace profiler
