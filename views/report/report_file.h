// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a report of what is on the table as .html or .pdf.
#pragma once

#include <QString>

#include "profiler/report/report.h"
#include "views/base/document.h"

namespace views {

/// Whether `path` ends in what save_report() writes; fails (usage) naming what it writes.
engine::Result<void> check_report_name(const QString& path);

/// Of the document's capture or, when `of_sweep`, of its sweep. The file is written at once: a failure leaves none
/// behind. Fails in words: unknown suffix, a file that cannot be written. Needs a QApplication.
engine::Result<void> save_report(Document&, bool of_sweep, const QString& path);

}  // namespace views
