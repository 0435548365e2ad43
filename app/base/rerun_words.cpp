// SPDX-License-Identifier: Apache-2.0
// Answers: whether a recorded run takes longer now.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/answers.h"
#include "app/base/input_files.h"
#include "app/base/paired_runs.h"
#include "profiler/capture/noise.h"

namespace app {

using engine::Result;
using profiler::format_quantity;
using profiler::Quantity;

int rerun_steps(const profiler::ReportRecord& record) {
  constexpr double kSecondsPerProcess = 0.5;
  constexpr int kFewestSteps = 5, kMostSteps = 50;
  const double step_ns = profiler::process_time_ns(record.step_ns);
  return static_cast<int>(std::clamp(kSecondsPerProcess * 1e9 / step_ns, double{kFewestSteps}, double{kMostSteps}));
}

Result<RerunOptions> rerun_options(const std::filesystem::path& capture, const std::filesystem::path& program,
                                   std::vector<std::string>& notes) {
  Result<profiler::ReportRecord> record = rerun_record(capture);
  if (!record) return record.error();
  Result<FoundRun> found = found_run(record->command, record->content, capture);
  if (!found) return engine::refused_error(fmt::format("{}: {}", capture.string(), found.error().message));
  notes = std::move(found->notes);
  std::vector<std::string> words = std::move(found->words);
  // Only times are compared, in which the roofs take no part.
  for (const char* option : {"--roofs", "-o", "--output", "--progress"}) remove_option(words, option);
  const auto steps = std::ranges::find(words, "--steps");
  const bool fixed = steps != words.end() && steps + 1 != words.end() && *(steps + 1) != "auto";
  if (!fixed) {
    remove_option(words, "--steps");
    words.insert(words.end(), {"--steps", std::to_string(rerun_steps(*record))});
  }
  return RerunOptions{.record = *std::move(record), .words = std::move(words), .program = program};
}

std::string rerun_sentence(const profiler::ReportRecord& record, const RerunResult& r) {
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

std::vector<std::string> rerun_notes(const profiler::ReportRecord& record, const RerunResult& r,
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
  if (r.change.verdict == profiler::ChangeClass::unsure && r.processes.size() > 1)
    list.emplace_back("Repeat it on a quiet machine.");
  if (!record.machine.empty() && !r.machine.empty() && record.machine != r.machine) {
    list.push_back(fmt::format("It was recorded on another machine ({}); this is {}.", record.machine, r.machine));
  }
  if (r.stopped) list.push_back("Stopped early: judged from what had run.");
  return list;
}

Answer rerun_answer(const profiler::ReportRecord& record, const RerunResult& r,
                    const std::vector<std::string>& differences) {
  using profiler::Origin;
  Answer answer;
  answer.sentence = rerun_sentence(record, r);
  answer.notes = rerun_notes(record, r, differences);
  answer.table = {.name = "rerun",
                  .columns = {{.key = "process",
                               .title = "Process",
                               .quantity = Quantity::text,
                               .origin = Origin::exact,
                               .help = "The recorded process, then the fresh ones in their order"},
                              {.key = "time_ns",
                               .title = "Time per step",
                               .quantity = Quantity::duration_ns,
                               .origin = Origin::measured,
                               .help = "Lower quartile of its timed steps"},
                              {.key = "steps_count",
                               .title = "Steps",
                               .quantity = Quantity::count,
                               .origin = Origin::exact,
                               .help = "Timed steps"},
                              {.key = "background_load_ratio",
                               .title = "Background load",
                               .quantity = Quantity::percent_of,
                               .origin = Origin::measured,
                               .help = "Share of the processors that other programs used"}},
                  .rows = {},
                  .row_ops = {}};
  const auto known = [](double value) { return std::isnan(value) ? profiler::Cell() : profiler::Cell(value); };
  answer.table.rows.push_back({std::string("recorded"), r.recorded_ns, static_cast<double>(record.step_ns.size()),
                               known(record.foreign_load_ratio)});
  for (size_t i = 0; i < r.processes.size(); ++i) {
    const RerunProcess& p = r.processes[i];
    answer.table.rows.push_back(
        {fmt::format("now, {}", i + 1), p.time_ns, static_cast<double>(p.steps), known(p.background_load_ratio)});
  }
  return answer;
}

}  // namespace app
