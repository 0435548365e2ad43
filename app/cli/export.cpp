// SPDX-License-Identifier: Apache-2.0
// tensortide export: a capture in the formats of other tools.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/export/exporter.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

using engine::Result;
using engine::usage_error;
using nlohmann::json;

struct ExportArguments {
  std::string file, output, format, range, progress = "text";
  bool json = false;
};

/// "12.5ms" -> 12500000; bare numbers are ns. Nothing for what is no time.
std::optional<int64_t> nanoseconds(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, factor] : units) {
    if (error == std::errc() && unit == name && std::abs(value * factor) < 9e18)
      return static_cast<int64_t>(value * factor);
  }
  return std::nullopt;
}

/// "10ms:20ms" (or "10ms..20ms") since the capture's first instant; either end may be left out.
Result<profiler::ExportRange> parse_range(const std::string& text, int64_t begin_ns, int64_t end_ns) {
  profiler::ExportRange range;
  if (text.empty()) return range;
  const size_t colon = text.find(':'), at = colon != text.npos ? colon : text.find("..");
  const std::string from = text.substr(0, at),
                    to = at == text.npos ? "" : text.substr(at + (colon != text.npos ? 1 : 2));
  const auto first = from.empty() ? std::optional<int64_t>(0) : nanoseconds(from);
  const auto last = to.empty() ? std::optional<int64_t>(0) : nanoseconds(to);
  if (at == text.npos || !first || !last || (!to.empty() && *last <= *first)) {
    return usage_error(fmt::format(
        "[--range] \"{}\" is no range START:END such as 10ms:20ms (units: ns, us, ms, s; since the first span)", text));
  }
  if (!from.empty() && begin_ns + *first > end_ns) {
    return engine::refused_error(fmt::format(
        "[--range] {} begins behind the last span: the capture lasts {}", text,
        profiler::format_quantity(static_cast<double>(end_ns - begin_ns), profiler::Quantity::duration_ns)));
  }
  if (!from.empty()) range.begin_ns = begin_ns + *first;
  if (!to.empty()) range.end_ns = begin_ns + *last;
  return range;
}

/// Whether some span but a step's lies in the range.
bool touched(const profiler::Capture& capture, const profiler::ExportRange& range) {
  const profiler::ActivityColumns& a = capture.activities();
  for (size_t row = 0; row < a.size(); ++row) {
    if (a.kind[row] != profiler::ActivityKind::step && range.touches(a.start_ns[row], a.duration_ns[row])) return true;
  }
  return false;
}

int run_export(const ExportArguments& o) {
  if (const auto known = profiler::exporter_for(o.output, o.format); !known)
    return report_error(known.error(), o.progress);
  if (const auto free = profiler::check_output(o.output, o.file); !free) return report_error(free.error(), o.progress);
  const auto capture = open_any(o.file);
  if (!capture) return report_error(capture.error(), o.progress);
  const auto exporter = profiler::exporter_for(**capture, o.output, o.format);
  if (!exporter) return report_error(exporter.error(), o.progress);
  const auto range = parse_range(o.range, (*capture)->begin_ns(), (*capture)->end_ns());
  if (!range) return report_error(range.error(), o.progress);
  if (!o.range.empty() && !touched(**capture, *range))
    return report_error(
        engine::refused_error(fmt::format(
            "[--range] {}: nothing lies in it. Numbers without a unit are ns; the capture lasts {}", o.range,
            profiler::format_quantity(static_cast<double>((*capture)->end_ns() - (*capture)->begin_ns()),
                                      profiler::Quantity::duration_ns))),
        o.progress);
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
