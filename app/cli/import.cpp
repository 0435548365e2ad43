// SPDX-License-Identifier: Apache-2.0
// tensortide import: traces of other tools as one capture of ours.
#include <fmt/format.h>

#include <memory>

#include "app/base/roofs.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "engine/base/shell_words.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/import/importer.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_target.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

struct ImportArguments {
  std::vector<std::string> files, graphs;
  std::string output, format, roofs, progress = "text";
  bool json = false;
  profiler::Privacy privacy;
};

int done(const profiler::Capture& capture, const ImportArguments& o) {
  const profiler::GpuRecords& gpu = capture.gpu();
  if (o.progress == "json") {
    tell_line({{"result", {{"file", o.output}}}});
  }
  if (o.json) {
    const json document = {{"file", o.output},
                           {"source", capture.run().source},
                           {"spans", capture.activities().size()},
                           {"kernels", gpu.kernels.size()},
                           {"copies", gpu.copies.size()},
                           {"api_calls", gpu.api_calls.size()},
                           {"ops", capture.ops().size()},
                           {"left_out", capture.honesty().dropped_records},
                           {"notes", capture.honesty().notes}};
    print_json(document);
    return kDone;
  }
  using profiler::counted;
  show("{}: {}, {}: {}, {}, {}, {}\n", engine::display_line(o.output), capture.run().source,
       counted(capture.activities().size(), "span", "spans"), counted(gpu.kernels.size(), "kernel", "kernels"),
       counted(gpu.copies.size(), "copy", "copies"), counted(gpu.api_calls.size(), "API call", "API calls"),
       counted(capture.ops().size(), "op", "ops"));
  for (const std::string& note : capture.honesty().notes) show("  - {}\n", note);
  return kDone;
}

int import(const ImportArguments& o) {
  // what cannot be written is refused before minutes of reading
  if (Result<void> target = profiler::check_capture_target(o.output); !target)
    return report_error(target.error(), o.progress);
  ForeignTraces traces{.files = {o.files.begin(), o.files.end()},
                       .graphs = {o.graphs.begin(), o.graphs.end()},
                       .format = o.format,
                       .output = o.output,
                       .progress = o.progress,
                       .privacy = o.privacy};
  if (Result<void> taken = take_roofs(o.roofs, traces); !taken) return report_error(taken.error(), o.progress);
  const auto capture = read_foreign(std::move(traces));
  if (!capture) return report_error(capture.error(), o.progress);
  if (Result<void> saved = profiler::save_capture(**capture, o.output); !saved)
    return report_error(saved.error(), o.progress);
  return done(**capture, o);
}

/// By its content, whatever its name.
bool is_capture(const std::filesystem::path& file) {
  constexpr uint64_t kHeader = 100;
  const Result<std::string> front = engine::read_front(file, kHeader);
  return front && profiler::parse_file_header(*front).ours;
}

std::string formats() {
  std::string text;
  for (const profiler::Importer& importer : profiler::importers())
    text += fmt::format("\n  {:<8} {}: {}", importer.name, importer.title, importer.help);
  return text;
}

}  // namespace

Result<std::shared_ptr<const profiler::Capture>> read_foreign(ForeignTraces traces) {
  profiler::ImportRequest request{.files = std::move(traces.files),
                                  .format = traces.format,
                                  .command = "tensortide import",
                                  .control = {},
                                  .privacy = traces.privacy,
                                  .graphs = std::move(traces.graphs),
                                  .machine = std::move(traces.machine),
                                  .sheet = traces.sheet};
  // What is kept says what was done, not where: folders and files name people and projects.
  const auto kept = [&](const std::filesystem::path& file) {
    return request.privacy.anonymise
               ? std::string("FILE")
               : engine::shell_line({request.privacy.keep_paths ? file.string() : file.filename().string()});
  };
  for (const auto& file : request.files) request.command += " " + kept(file);
  for (const auto& file : request.graphs) request.command += " --graphs " + kept(file);
  if (request.machine) request.command += " --roofs here";
  if (request.sheet != nullptr) request.command += " --roofs " + engine::shell_line({request.sheet->name});
  if (!traces.output.empty()) request.command += " -o " + kept(traces.output);
  request.control.stop = &stop_on_interrupt();
  if (traces.progress == "json") {
    request.control.progress = [](double fraction) { tell_line({{"stage", "importing"}, {"fraction", fraction}}); };
  }
  return profiler::import_traces(request);
}

int report_error(const engine::Error& error, const std::string& progress) {
  if (progress != "json") return report(error);
  tell_line({{"error", {{"message", error.message}}}});
  return error.kind == engine::ErrorKind::usage ? kUsage : kRefused;
}

Result<void> take_roofs(const std::string& roofs, ForeignTraces& traces) {
  if (roofs.empty()) return {};
  if (roofs == "here") {
    traces.machine = remembered_roofs();
    if (traces.machine) return {};
    return engine::refused_error("[--roofs] the roofs of this machine are not measured yet: run `tensortide probe`");
  }
  traces.sheet = profiler::named_data_sheet(roofs);
  if (traces.sheet != nullptr && traces.sheet->kind == "gpu") return {};
  std::vector<std::string> known{"here"};
  for (const profiler::GpuDataSheet& sheet : profiler::gpu_data_sheets())
    if (sheet.kind == "gpu") known.push_back(sheet.name);
  return engine::usage_error(fmt::format(
      "[--roofs] no data sheet of a GPU \"{}\"{} \"here\" are this machine's roofs; `tensortide predict mlp "
      "--on sheets` lists the names of GPUs",
      roofs, engine::did_you_mean(roofs, known)));
}

Result<std::shared_ptr<const profiler::Capture>> open_any(const std::filesystem::path& file, const std::string& roofs,
                                                          std::vector<std::filesystem::path> graphs) {
  // What is too short to tell by its content is taken by its name, so that it is refused as what it is meant to be.
  const bool named = (file.extension() == ".gz" || file.extension() == ".json") && !is_capture(file);
  if (!named && !profiler::is_foreign_trace(file)) {
    if (roofs.empty() && graphs.empty()) return profiler::open_capture(file);
    if (!graphs.empty())
      return engine::usage_error(
          fmt::format("[--graphs] {}: is no trace of another tool; leave --graphs out, or import its trace again",
                      engine::display_line(file.string())));
    return engine::usage_error(
        fmt::format("[--roofs] {}: is no trace of another tool. A capture has the roofs of its run; leave --roofs out",
                    engine::display_line(file.string())));
  }
  ForeignTraces traces{.files = {file}, .graphs = std::move(graphs)};
  if (Result<void> taken = take_roofs(roofs, traces); !taken) return taken.error();
  return read_foreign(std::move(traces));
}

Handler add_import(CLI::App& verb) {
  auto o = std::make_shared<ImportArguments>();
  verb.add_option("files", o->files, "Traces of other tools; several: one per rank, in this order")
      ->required()
      ->option_text("FILE...");
  verb.add_option("-o,--output", o->output, "Capture to write")->required()->option_text("FILE");
  verb.add_option("--graphs", o->graphs, "Trace of the capture of replayed CUDA graphs, for their ops; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("FILE");
  verb.add_option("--format", o->format, "Format, if the content does not decide; see below")->option_text("NAME");
  verb.add_option("--roofs", o->roofs, "Roofs of a trace: of this machine (here), or of a GPU by its name")
      ->option_text("WHERE");
  auto* keep =
      verb.add_flag("--keep-paths", o->privacy.keep_paths, "Keep folders in names and in the recorded command");
  verb.add_flag("--anonymise,--anonymize", o->privacy.anonymise,
                "Number processes, threads, Python functions; drop paths and file names")
      ->excludes(keep)
      ->option_text(" ");
  keep->option_text(" ");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Formats:" + formats() +
              "\nPaths are reduced to the file's name. Host names, user names and environment are never kept.\n"
              "Example: tensortide import rank0.pt.trace.json.gz rank1.pt.trace.json.gz -o run.tide");
  return [o] { return import(*o); };
}

}  // namespace app::cli
