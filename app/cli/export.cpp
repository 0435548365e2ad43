// SPDX-License-Identifier: Apache-2.0
// tensortide export: a capture in the formats of other tools.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/time_range.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/export/exporter.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

struct ExportArguments {
  std::string file, output, format, range, progress = "text";
  bool json = false;
};

int run_export(const ExportArguments& o) {
  if (const auto known = profiler::exporter_for(o.output, o.format); !known)
    return report_error(known.error(), o.progress);
  if (const auto free = profiler::check_output(o.output, o.file); !free) return report_error(free.error(), o.progress);
  const auto capture = open_any(o.file);
  if (!capture) return report_error(capture.error(), o.progress);
  const auto exporter = profiler::exporter_for(**capture, o.output, o.format);
  if (!exporter) return report_error(exporter.error(), o.progress);
  const auto range = parse_range(o.range, **capture);
  if (!range) return report_error(range.error(), o.progress);
  profiler::ExportControl control{.progress = {}, .stop = &stop_on_interrupt()};
  if (o.progress == "json")
    control.progress = [](double fraction) { tell_line({{"stage", "exporting"}, {"fraction", fraction}}); };
  if (Result<void> done = profiler::export_capture(**capture, *range, *exporter, o.output, control); !done)
    return report_error(done.error(), o.progress);
  if (o.progress == "json") tell_line({{"result", {{"file", o.output}}}});
  if (o.json) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(o.output));
    print_json(json{{"file", o.output}, {"format", exporter->name}, {"size_bytes", bytes}});
  } else {
    const bool instead =
        o.format.empty() && std::string_view(exporter->name) != profiler::exporter_for(o.output, o.format)->name;
    const int64_t cut = profiler::steps_cut(**capture, *range);
    show("{}{}{}\n", engine::display_line(o.output),
         instead ? fmt::format(": {}, because no GPU work was recorded", exporter->help) : std::string(),
         cut > 0 ? fmt::format(": the range cuts {}, whose marks are left out",
                               profiler::counted(static_cast<uint64_t>(cut), "step"))
                 : std::string());
  }
  return kDone;
}

std::string formats() {
  std::string text;
  for (const profiler::Exporter& e : profiler::exporters())
    text += fmt::format("\n  {:<12} {:<17} {}", e.name, e.extension, e.help);
  return text;
}

}  // namespace

Handler add_export(CLI::App& verb) {
  auto o = std::make_shared<ExportArguments>();
  verb.add_option("file", o->file, "Capture, or trace of another tool")->required()->option_text("FILE");
  verb.add_option("-o,--output", o->output, "File to write; its ending chooses the format")
      ->required()
      ->option_text("FILE");
  verb.add_option("--format", o->format, "Format, if the ending does not decide; see below")->option_text("NAME");
  verb.add_option("--range", o->range, "Only spans in this part of the time: 10ms:20ms, 5s:")->option_text("START:END");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Formats:" + formats() + "\nExample: tensortide export r.tide -o r.pftrace --range 10ms:20ms");
  return [o] { return run_export(*o); };
}

}  // namespace app::cli
