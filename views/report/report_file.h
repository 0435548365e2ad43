// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a report of what is on the table as .html or .pdf.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "profiler/report/report.h"
#include "views/base/document.h"

namespace views {

/// Whether `path` ends in what save_report() writes; fails (usage) naming what it writes.
engine::Result<void> check_report_name(const QString& path);

/// What of the document a report is of, and which sections it has (nothing: the usual ones).
struct ReportRequest {
  profiler::ReportKind kind = profiler::ReportKind::capture;
  profiler::ReportChoice sections;
};

/// The kinds that the document can give; the capture on the table is a trace where another tool recorded it.
std::vector<profiler::ReportKind> report_kinds(const Document&);
/// Keys of the sections that a report of that kind has unless somebody chooses: charts by what was found.
std::vector<std::string> usual_sections(Document&, profiler::ReportKind);

/// The file is written at once: a failure leaves none behind. Fails in words: unknown suffix (usage), a section that
/// the kind does not have (usage), a file that cannot be written. Needs a QApplication.
engine::Result<void> save_report(Document&, const ReportRequest&, const QString& path);

}  // namespace views
