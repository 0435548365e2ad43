// SPDX-License-Identifier: Apache-2.0
// tensortide rerun: repeats the command of a report or capture and says whether it got slower.
#include "app/base/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/base/answers.h"
#include "app/base/child_run.h"
#include "app/base/input_files.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::ChangeClass;
using profiler::format_quantity;
using profiler::Quantity;

struct RerunArguments {
  std::string file, progress = "text";
  bool json = false;
};

/// The words of a recorded command, through the same parser and checks as `tensortide run`: what run would not take is
/// refused, and nothing but run is run. Paths as found from here; `notes`: what differs.
Result<RunOptions> read_command(const profiler::ReportRecord& record, const std::string& file,
                                std::vector<std::string>& notes) {
  const std::string& command = record.command;
  Result<FoundRun> found = found_run(command, record.content, file);
  if (!found) return engine::refused_error(found.error().message);
  notes = std::move(found->notes);
  std::vector<std::string>& words = found->words;
  // Only times are compared, in which the roofs take no part.
  if (const auto roofs = std::ranges::find(words, "--roofs"); roofs != words.end() && roofs + 1 != words.end())
    words.erase(roofs, roofs + 2);
  RunOptions options;
  CLI::App parser{"run"};
  add_run_options(parser, options);
  add_input_options(parser, options);
  std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // as CLI11 wants them
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return engine::refused_error(
        fmt::format("the recorded command \"{}\" is not understood: {}", command, error.what()));
  }
  return options;
}

json document(const profiler::ReportRecord& record, const RerunResult& r, const std::vector<std::string>& differences) {
  json processes = json::array();
  for (const RerunProcess& p : r.processes)
    processes.push_back(
        {{"time_ns", p.time_ns}, {"steps", p.steps}, {"background_load_ratio", json_number(p.background_load_ratio)}});
  return {{"command", record.command},
          {"verdict", name(r.change.verdict)},
          {"ratio",
           {{"value", json_number(r.change.ratio)},
            {"low", json_number(r.change.low)},
            {"high", json_number(r.change.high)},
            {"origin", "measured"}}},
          {"probability_ratio", json_number(r.change.probability)},
          {"noise_ratio", json_number(r.change.noise)},
          {"noise_assumed", r.change.noise_assumed},
          {"recorded",
           {{"time_ns", json_number(r.recorded_ns)},
            {"steps", record.step_ns.size()},
            {"machine", record.machine},
            {"created_at", record.created_at},
            {"origin", "measured"}}},
          {"now",
           {{"time_ns", json_number(r.now_ns())},
            {"processes", processes},
            {"machine", r.machine},
            {"origin", "measured"}}},
          {"sentence", rerun_sentence(record, r)},
          {"notes", rerun_notes(record, r, differences)}};
}

/// "slower" is the one "no"; who cannot tell has not found that it got slower.
int exit_code(ChangeClass verdict) { return verdict == ChangeClass::slower ? kNo : kDone; }

int rerun_file(const RerunArguments& o) {
  Result<profiler::ReportRecord> record = rerun_record(o.file);
  if (!record) return report(record.error());
  std::vector<std::string> differences;
  Result<RunOptions> run = read_command(*record, o.file, differences);
  if (!run) return report(engine::Error{run.error().kind, fmt::format("{}: {}", o.file, run.error().message)});
  if (std::string& steps = run->values["steps"]; steps.empty() || steps == "auto") {
    steps = std::to_string(rerun_steps(*record));
  }
  // what cannot run is said before anything is started
  Result<RunRequest> request = make_request(*run);
  if (!request) return report(request.error());
  Result<std::filesystem::path> program = own_program();
  if (!program) return report(program.error());
  for (const std::string& difference : differences) tell("{}\n", difference);
  RerunOptions options{.record = *record, .words = words_of(*request), .program = *program};
  options.words.insert(options.words.begin(), "run");
  const bool lines = o.progress == "json";
  const auto told = [&](const RerunResult& r) {
    const size_t done = r.processes.size();
    if (lines)
      tell_line(json{{"stage", "running"},
                     {"fraction", static_cast<double>(done) / options.most},
                     {"last_step_ns", r.processes.back().time_ns}});
    else tell("process {}: {} per step\n", done, format_quantity(r.processes.back().time_ns, Quantity::duration_ns));
  };
  if (!lines) tell("repeating: {}\n", engine::display_line(record->command));
  Result<RerunResult> result = rerun(options, told, stop_on_interrupt());
  if (!result) return report(result.error());
  if (o.json) {
    print_json(document(*record, *result, differences));
  } else {
    show("{}\n", rerun_sentence(*record, *result));
    for (const std::string& note : rerun_notes(*record, *result, differences)) show("  - {}\n", note);
  }
  return exit_code(result->change.verdict);
}

}  // namespace

Handler add_rerun(CLI::App& verb) {
  auto o = std::make_shared<RerunArguments>();
  verb.add_option("file", o->file, "Report (.html) or capture (.tide)")->required()->option_text("FILE");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer(
      "Example: tensortide rerun r.html --json\n"
      "Exit codes: 0 not slower, 1 slower, 2 wrong usage, 3 cannot be repeated here.");
  return [o] { return rerun_file(*o); };
}

}  // namespace app::cli
