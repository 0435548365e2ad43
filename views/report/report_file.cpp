// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a file.
#include "views/report/report_file.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "views/base/save_file.h"
#include "views/report/report_pages.h"
#include "views/report/report_pictures.h"

namespace views {

namespace {

bool is_html(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  return suffix == QLatin1String("html") || suffix == QLatin1String("htm") || suffix == QLatin1String("xhtml");
}

engine::Result<void> write(const QByteArray& bytes, const QString& path) {
  if (const QString why = save_file(path, bytes); !why.isEmpty()) {
    return engine::refused_error(
        QStringLiteral("[report] cannot write %1: %2").arg(QDir::toNativeSeparators(path), why).toStdString());
  }
  return {};
}

/// A chart that is missing is missed: the section says so.
void say_unfinished(const QStringList& titles, profiler::Report& report) {
  const auto charts = std::ranges::find(report.sections, "charts", &profiler::ReportSection::id);
  if (titles.isEmpty() || charts == report.sections.end()) return;
  const QString text =
      QObject::tr("Not drawn: %1, because its simulation takes longer than a report waits; the window shows it.")
          .arg(titles.join(QStringLiteral(", ")));
  charts->blocks.insert(charts->blocks.begin(), profiler::ReportText{.text = text.toStdString()});
}

}  // namespace

engine::Result<void> check_report_name(const QString& path) {
  if (is_html(path) || QFileInfo(path).suffix().toLower() == QLatin1String("pdf")) return {};
  return engine::usage_error(
      QStringLiteral("[report] %1: a report is written as .html or .pdf").arg(path).toStdString());
}

engine::Result<void> save_report(Document& document, bool of_sweep, const QString& path) {
  if (const auto named = check_report_name(path); !named) return named.error();
  profiler::Report report =
      of_sweep ? profiler::sweep_report(*document.sweep(), QFileInfo(document.sweep_path()).fileName().toStdString())
               : profiler::capture_report(document.analyzed(), QFileInfo(document.path()).fileName().toStdString());
  const ReportPictures pictures(document, report.charts);
  say_unfinished(pictures.unfinished(), report);
  if (is_html(path)) return write(QByteArray::fromStdString(profiler::report_html(report, pictures.as_svg())), path);
  return write(report_pdf(report, pictures), path);
}

}  // namespace views
