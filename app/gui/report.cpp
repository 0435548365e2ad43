// SPDX-License-Identifier: GPL-3.0-or-later
// A report from a file, headless.
#include "app/gui/report.h"

#include "app/base/run_settings.h"
#include "app/gui/capture_loader.h"
#include "engine/base/shell_words.h"
#include "profiler/import/importer.h"
#include "profiler/store/whole_file.h"
#include "profiler/sweep/file.h"
#include "views/base/file_name.h"
#include "views/report/report_file.h"

namespace app::gui {

namespace {

using engine::Result;

Result<std::shared_ptr<const profiler::Analyzed>> load_any(const QString& file) {
  if (!profiler::is_foreign_trace(views::name_bytes(file))) return load_capture(file);
  const profiler::ImportRequest request{
      .files = {views::name_bytes(file)},
      .format = {},
      .command = engine::shell_line({"tensortide", "import", views::name_bytes(file), "-o", "FILE.tide"}),
      .control = {}};
  auto capture = profiler::import_traces(request);
  if (!capture) return capture.error();
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  return profiler::analyze(*std::move(capture), *rules);
}

/// What the command line's files are: one capture, trace or sweep, or two to compare.
Result<views::ReportRequest> load(const CommandLine& line, views::Document& document) {
  const QString& file = line.files.back();
  if (profiler::is_sweep(views::name_bytes(file))) {
    if (line.files.size() > 1) {
      return engine::usage_error("[file] " + views::name_bytes(file) +
                                 " is a sweep, which is compared with nothing. Give two captures");
    }
    Result<profiler::Sweep> sweep = profiler::open_sweep(views::name_bytes(file));
    if (!sweep) return sweep.error();
    document.set_sweep(std::make_shared<const profiler::Sweep>(*std::move(sweep)), file);
    return views::ReportRequest{profiler::ReportKind::sweep, line.sections};
  }
  const auto analyzed = load_any(file);
  if (!analyzed) return analyzed.error();
  document.set_unsaid_settings(unsaid_settings());
  document.set(*analyzed, file);
  if (line.files.size() == 1) return views::ReportRequest{profiler::report_kind(document.capture()), line.sections};
  if (profiler::is_sweep(views::name_bytes(line.files.front()))) {
    return engine::usage_error("[--against] " + views::name_bytes(line.files.front()) +
                               " is a sweep. Compare two captures, as those of its points");
  }
  const auto reference = load_any(line.files.front());
  if (!reference) return reference.error();
  document.set_reference(*reference, line.files.front());
  return views::ReportRequest{profiler::ReportKind::comparison, line.sections};
}

}  // namespace

Result<void> write_report(const CommandLine& line) {
  for (const QString& file : line.files) {
    const auto free = profiler::check_output(views::name_bytes(line.output), views::name_bytes(file));
    if (!free) return free.error();
  }
  views::Document document;
  const Result<views::ReportRequest> request = load(line, document);
  if (!request) return request.error();
  return views::save_report(document, *request, line.output);
}

}  // namespace app::gui
