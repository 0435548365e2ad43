// SPDX-License-Identifier: Apache-2.0
// tensortide rerun: repeats the command of a report or capture and says whether it got slower.
#include "app/base/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/base/child_run.h"
#include "app/base/input_files.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/capture/noise.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::ChangeClass;
using profiler::format_quantity;
using profiler::Quantity;

/// Timed steps of one process, where the command leaves them to the program: as many as take about this long, within
/// bounds.
constexpr double kSecondsPerProcess = 0.5;
constexpr int kFewestSteps = 5, kMostSteps = 50;

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
  std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // as CLI11 wants them
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return engine::refused_error(
        fmt::format("the recorded command \"{}\" is not understood: {}", command, error.what()));
  }
  return options;
}

std::string sentence(const profiler::ReportRecord& record, const RerunResult& r) {
  const profiler::Change& c = r.change;
  const std::string by = fmt::format("{:+.1f} % (95 % interval {:+.1f} % to {:+.1f} %)", 100 * (c.ratio - 1),
                                     100 * (c.low - 1), 100 * (c.high - 1));
  const size_t ran = r.processes.size();
  const std::string of = ran == 1 ? "one process"
                                  : fmt::format("geometric mean of {}{} processes",
                                                c.left_out > 0 ? fmt::format("{} of ", c.after) : std::string(), ran);
  const std::string figures = fmt::format("{} per step now (measured, {}), {} then (lower quartile of {} steps)",
                                          format_quantity(r.now_ns(), Quantity::duration_ns), of,
                                          format_quantity(r.recorded_ns, Quantity::duration_ns), record.step_ns.size());
  return fmt::format("{}: {}: {}", name(c.verdict), figures, by);
}

std::vector<std::string> notes(const profiler::ReportRecord& record, const RerunResult& r,
                               const std::vector<std::string>& differences) {
  std::vector<std::string> list = differences;
  if (r.change.noise_assumed || r.change.before < 2) {
    list.push_back(
        "One process was recorded: how much processes differ is partly an assumption. Small changes are therefore "
        "UNSURE; compare sweeps or several captures to see them.");
  }
  std::vector<double> loads;
  for (const RerunProcess& p : r.processes) loads.push_back(p.background_load_ratio);
  if (const std::string load = profiler::background_load_words(loads); !load.empty()) list.push_back(load);
  if (const std::string load = profiler::background_load_words(record.foreign_load_ratio); !load.empty())
    list.push_back("While it was recorded: " + load);
  if (r.change.verdict == ChangeClass::unsure && r.processes.size() > 1)
    list.emplace_back("Repeat it on a quiet machine.");
  if (!record.machine.empty() && !r.machine.empty() && record.machine != r.machine) {
    list.push_back(fmt::format("It was recorded on another machine ({}); this is {}.", record.machine, r.machine));
  }
  if (r.stopped) list.push_back("Stopped early: judged from what had run.");
  return list;
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
          {"sentence", sentence(record, r)},
          {"notes", notes(record, r, differences)}};
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
    const double step_ns = profiler::process_time_ns(record->step_ns);
    steps = std::to_string(
        static_cast<int>(std::clamp(kSecondsPerProcess * 1e9 / step_ns, double{kFewestSteps}, double{kMostSteps})));
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
    show("{}\n", sentence(*record, *result));
    for (const std::string& note : notes(*record, *result, differences)) show("  - {}\n", note);
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
