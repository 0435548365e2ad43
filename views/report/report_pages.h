// SPDX-License-Identifier: GPL-3.0-or-later
// A report as PDF: pages painted with the painters of the screen.
#pragma once

#include <QByteArray>

#include "profiler/report/report.h"
#include "views/report/report_pictures.h"

namespace views {

/// A4 landscape: wide enough for charts and tables. The record is attached as tensortide-record.json.
QByteArray report_pdf(const profiler::Report&, const ReportPictures&);

}  // namespace views
