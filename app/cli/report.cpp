// SPDX-License-Identifier: Apache-2.0
// tensortide report: has the window's program draw a report; this program knows no Qt.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/base/child_run.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/window_program.h"
#include "profiler/report/section_catalog.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

using engine::Result;

struct Options {
  std::string file, output, against;
  std::optional<std::string> sections;
  bool json = false;
};

Result<void> check(const Options& o) {
  std::string suffix = std::filesystem::path(o.output).extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix != ".html" && suffix != ".htm" && suffix != ".xhtml" && suffix != ".pdf") {
    return engine::usage_error(fmt::format("[-o] {}: a report is written as .html or .pdf", o.output));
  }
  if (o.sections) {
    if (const auto keys = profiler::parse_sections(*o.sections); !keys) return keys.error();
  }
  for (const std::string& file : {o.file, o.against}) {
    std::error_code code;
    if (!file.empty() && !std::filesystem::exists(file, code))
      return engine::refused_error(fmt::format("{}: there is no such file", file));
    if (file.empty()) continue;
    if (const Result<void> free = profiler::check_output(o.output, file); !free) return free;
  }
  return {};
}

int write_report(const Options& o) {
  if (Result<void> valid = check(o); !valid) return report(valid.error());
  const Result<std::filesystem::path> program = window_program(
      "draws the charts of a report", "Or write the report where it is installed; the capture is enough");
  if (!program) return report(program.error());
  const auto word = [](const std::string& file) { return file.starts_with('-') ? "./" + file : file; };
  std::vector<std::string> line{"--report", "--speak-as", "tensortide", "-o", word(o.output)};
  if (o.sections) line.insert(line.end(), {"--sections", *o.sections});
  if (!o.against.empty()) line.push_back(word(o.against));
  line.push_back(word(o.file));
  const Result<int> code = run_program(*program, line);
  if (!code) return report(code.error());
  if (*code != kDone) return *code == kUsage ? kUsage : kRefused;  // it has said why
  if (o.json) {
    const nlohmann::json document = {{"file", std::filesystem::absolute(o.output).string()}};
    print_json(document);
  } else {
    show("Report: {}\n", engine::display_line(o.output));
  }
  return kDone;
}

}  // namespace

Handler add_report(CLI::App& verb) {
  auto o = std::make_shared<Options>();
  verb.add_option("file", o->file, "Capture, sweep, or trace of another tool")->required()->option_text("FILE");
  verb.add_option("-o,--output", o->output, "Report to write [.html, .pdf]")->required()->option_text("FILE");
  verb.add_option("--against", o->against, "Compare FILE with this capture or trace: a report of both")
      ->option_text("FILE");
  verb.add_option("--sections", o->sections, "Parts to write, separated by commas, or all")->option_text("NAMES");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  std::string sections;
  for (const profiler::ReportSectionEntry& entry : profiler::report_sections())
    sections += fmt::format("  {:<12} {}\n", entry.key, entry.help);
  verb.footer(
      fmt::format("Sections:\n{}\nExample: tensortide report r.tide -o r.html && tensortide rerun r.html\n"
                  "Example: tensortide report new.tide --against old.tide -o change.pdf",
                  sections));
  return [o] { return write_report(*o); };
}

}  // namespace app::cli
