// SPDX-License-Identifier: GPL-3.0-or-later
// A report from a file, headless.
#include "app/gui/report.h"

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

}  // namespace

Result<void> write_report(const CommandLine& line) {
  const QString& file = line.files.front();
  if (const auto free = profiler::check_output(views::name_bytes(line.output), views::name_bytes(file)); !free)
    return free.error();
  views::Document document;
  if (profiler::is_sweep(views::name_bytes(file))) {
    Result<profiler::Sweep> sweep = profiler::open_sweep(views::name_bytes(file));
    if (!sweep) return sweep.error();
    document.set_sweep(std::make_shared<const profiler::Sweep>(*std::move(sweep)), file);
    return views::save_report(document, true, line.output);
  }
  const auto analyzed = load_any(file);
  if (!analyzed) return analyzed.error();
  document.set(*analyzed, file);
  return views::save_report(document, false, line.output);
}

}  // namespace app::gui
