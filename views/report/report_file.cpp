// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a file.
#include "views/report/report_file.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/base/display_text.h"
#include "profiler/compare/repeats.h"
#include "profiler/report/section_catalog.h"
#include "views/base/file_name.h"
#include "views/base/save_file.h"
#include "views/base/theme.h"
#include "views/report/bars_paint.h"
#include "views/report/report_pages.h"
#include "views/report/report_pictures.h"

namespace views {

namespace {

using profiler::ReportKind;

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

constexpr double kLeadWidth = 1080, kMostLeadHeight = 460;

/// The name without its folder, as text for people.
std::string shown_name(const QString& path) {
  const std::string bytes = name_bytes(path);
  return engine::display_line(bytes.substr(bytes.rfind('/') + 1));
}

profiler::Report comparison_of(Document& document, const ReportRequest& request) {
  std::vector<profiler::ReportDoubt> left_out;
  const auto side = [&](std::shared_ptr<const profiler::Analyzed> run, const QString& path) {
    profiler::CompareSide made = profiler::side_of(shown_name(path), std::move(run));
    if (const auto added = profiler::add_repeats(made, name_bytes(path)); !added)
      left_out.push_back({"repeats left out", added.error().message});
    return made;
  };
  const profiler::CompareSide before = side(document.shared_reference(), document.reference_path()),
                              after = side(document.shared(), document.path());
  const profiler::Comparison compared = profiler::compare(before, after, {}, document.unsaid_settings());
  profiler::Report report = profiler::comparison_report(compared, before, after, request.sections);
  report.doubts.insert(report.doubts.end(), left_out.begin(), left_out.end());
  return report;
}

profiler::Report make_report(Document& document, const ReportRequest& request) {
  switch (request.kind) {
    case ReportKind::sweep:
      return profiler::sweep_report(*document.sweep(), shown_name(document.sweep_path()), request.sections);
    case ReportKind::comparison: return comparison_of(document, request);
    case ReportKind::capture:
    case ReportKind::trace: break;
  }
  return profiler::capture_report(document.analyzed(), shown_name(document.path()), request.sections);
}

profiler::ReportPicture lead_picture(const profiler::ReportBars& bars) {
  const QFont font = data_font();
  const BarsLayout layout = layout_bars(bars, {kLeadWidth, std::min(kMostLeadHeight, full_height(bars, font))}, font);
  return {profiler::kLeadPicture, bars.title, bars.help, bars_svg(layout, kLeadWidth, font)};
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

std::vector<profiler::ReportKind> report_kinds(const Document& document) {
  std::vector<profiler::ReportKind> kinds;
  if (document.loaded()) kinds.push_back(profiler::report_kind(document.capture()));
  if (document.loaded() && document.reference() != nullptr) kinds.push_back(ReportKind::comparison);
  if (document.sweep() != nullptr) kinds.push_back(ReportKind::sweep);
  return kinds;
}

std::vector<std::string> usual_sections(Document& document, ReportKind kind) {
  const profiler::Report report = make_report(document, {kind, {}});
  std::vector<std::string> keys;
  for (const profiler::ReportSectionEntry& entry : profiler::report_sections()) {
    if (entry.of(kind) && profiler::chosen(entry, {}, report.charts)) keys.emplace_back(entry.key);
  }
  return keys;
}

engine::Result<void> save_report(Document& document, const ReportRequest& request, const QString& path) {
  if (const auto named = check_report_name(path); !named) return named.error();
  if (const auto valid = profiler::check_choice(request.kind, request.sections); !valid) return valid.error();
  profiler::Report report = make_report(document, request);
  const ReportPictures pictures(document, report.charts);
  say_unfinished(pictures.unfinished(), report);
  if (!is_html(path)) return write(report_pdf(report, pictures), path);
  std::vector<profiler::ReportPicture> drawn = pictures.as_svg();
  if (report.lead && (!report.lead->bars.empty() || report.lead->steps.size() > 1))
    drawn.insert(drawn.begin(), lead_picture(*report.lead));
  return write(QByteArray::fromStdString(profiler::report_html(report, drawn)), path);
}

}  // namespace views
