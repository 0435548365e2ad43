// SPDX-License-Identifier: Apache-2.0
// Pairs of child processes, their times, the judgement.
#include "app/base/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/base/input_files.h"
#include "app/base/paired_runs.h"
#include "app/base/run_settings.h"
#include "app/base/work_folder.h"
#include "app/base/workbench.h"
#include "engine/base/clock.h"
#include "engine/base/nearest_name.h"
#include "engine/base/shell_words.h"
#include "engine/tensor/device.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/whole_file.h"
#include "profiler/sweep/figures.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;
using engine::usage_error;
using profiler::kUnknown;

/// Timed steps of one process: as many as take about this long, within bounds.
constexpr double kSecondsPerProcess = 0.5;
constexpr int kFewestSteps = 5, kMostSteps = 200;

/// What a trial sets itself.
constexpr std::array kOwnOptions{"--steps", "--warmup"};

/// Removes --set key=value.
void remove_parameter(std::vector<std::string>& words, const std::string& key) {
  for (size_t i = 1; i + 1 < words.size();) {
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (words[i] == "--set" && words[i + 1].starts_with(key + "=")) words.erase(at, at + 2);
    else ++i;
  }
}

Result<profiler::RunFinding> choose(const profiler::Analyzed& analyzed, int number) {
  const std::vector<profiler::RunFinding> list = profiler::findings(analyzed);
  if (list.empty()) return refused_error("there is nothing to try: no rule found anything worth changing");
  if (number < 0 || number > static_cast<int>(list.size())) {
    return usage_error(
        fmt::format("[--finding] there is no finding {}; there are 1 to {} (tensortide analyze FILE --table findings)",
                    number, list.size()));
  }
  if (number > 0) {
    const profiler::RunFinding& f = list[static_cast<size_t>(number) - 1];
    if (!f.change)
      return refused_error(fmt::format("finding {} ({}) cannot be tried: {}", number, f.rule, f.no_change));
    return f;
  }
  const profiler::RunFinding* first = profiler::first_to_try(list);
  if (first == nullptr)
    return refused_error("there is nothing a run can try: no option makes any of the changes the findings propose");
  return *first;
}

/// What the roofs say of a request; everything is NaN where that cannot be planned: the run will say why.
profiler::SweepFigures planned_figures(const RunRequest& request, const profiler::Machine& roofs) {
  const Result<PlannedRun> planned = plan(request, roofs);
  return planned && planned->capture ? profiler::predicted_figures(*planned->capture) : profiler::SweepFigures{};
}

/// What a change may name: settings of the run, then what the workload was given.
std::vector<std::string> names_to_change(const profiler::RunInfo& run) {
  std::vector<std::string> names;
  for (const RunSetting& s : run_settings()) {
    if (s.varies()) names.push_back(s.name());
  }
  for (const auto& [key, value] : run.arguments) {
    if (key != kContent) names.push_back(key);
  }
  return names;
}

/// The user's own change as a finding, with the gain that the roofs predict.
Result<profiler::RunFinding> own_change(const profiler::Analyzed& analyzed, const std::string& workload,
                                        const std::string& text) {
  const profiler::RunInfo& run = analyzed.capture->run();
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return usage_error(fmt::format("[--change] \"{}\" is not of the form name=value, as batch=8", text));
  const std::string name = text.substr(0, equals);
  const RunSetting* setting = find_run_setting(name);
  const auto argument = run.arguments.find(name);
  using profiler::RunChange;
  RunChange change;
  const RunRequest as_captured = request_of(run, workload);
  RunRequest changed = as_captured;
  if (setting != nullptr && setting->varies()) {
    Result<std::string> value = checked_value(*setting, text.substr(equals + 1));
    if (!value) return usage_error(fmt::format("[--change] {}: {}", name, value.error().message));
    if (Result<void> here = check_device(*setting, *value, as_captured.device); name != "device" && !here)
      return here.error();
    set_value(changed, *setting, *value);
    change = RunChange::of_run(name, captured_value(run, *setting), *std::move(value));
  } else if (argument != run.arguments.end() && name != kContent) {  // what the file was, not how it was run
    change = RunChange::of_workload(name, argument->second, text.substr(equals + 1));
    changed.settings[name] = change.value;
  } else {
    return usage_error(fmt::format("[--change] this run has no \"{}\"; did you mean \"{}\"?", name,
                                   engine::nearest_name(name, names_to_change(run))));
  }
  if (change.before == change.value)
    return usage_error(fmt::format("[--change] {} is {} already", change.option, change.value));
  for (const RunRequest* side : {&as_captured, &std::as_const(changed)}) {
    if (name == "device" && !engine::traits_of(side->device).computes)
      return usage_error(
          fmt::format("[--change] device {} computes nothing, so its time compares with none", side->device));
  }
  const Result<PlannedRun> with_it = plan(changed, analyzed.capture->machine());
  if (!with_it && plan(as_captured, analyzed.capture->machine()))  // known before anything runs
    return usage_error(fmt::format("[--change] {} {}: {}", change.option, change.value, with_it.error().message));
  const profiler::SweepFigures before = planned_figures(as_captured, analyzed.capture->machine());
  const profiler::SweepFigures after = planned_figures(changed, analyzed.capture->machine());
  if (after.samples > 0 && before.samples > 0) change.work_ratio = after.samples / before.samples;
  profiler::RunFinding f;
  f.rule = profiler::kOwnChange;
  f.sentence = fmt::format("Your own change: {} {} instead of {}.", change.option, change.value,
                           change.before.empty() ? "the usual" : change.before);
  f.evidence = {{"before_memory_bytes", "of memory without it", before.memory_bytes, profiler::Quantity::bytes,
                 profiler::Origin::exact},
                {"after_memory_bytes", "of memory with it", after.memory_bytes, profiler::Quantity::bytes,
                 profiler::Origin::exact}};
  f.gain_ns = profiler::median_step_ns(*analyzed.capture) * (1 - after.step_ns / before.step_ns / change.work_ratio);
  f.gain_how = "the sums over the ops of the nearest roof's time, with and without it, for the same work";
  f.change = std::move(change);
  return f;
}

/// One side of the pairs.
struct Side {
  std::string stage;
  std::vector<std::string> words;
  fs::path file;
  std::vector<double> times_ns;    ///< one per process
  double memory_bytes = kUnknown;  ///< planned
};

class Runner {
 public:
  Runner(const TrialOptions& options, const std::function<void(const TrialProgress&)>& progress,
         const std::atomic<bool>& stop)
      : options_(options), progress_(progress), stop_(stop) {}

  Result<TrialResult> run();

 private:
  Result<void> prepare(std::vector<std::string> words, double step_ns);
  Result<void> measure();
  Result<void> take(Side&, const profiler::Capture&);
  void judge(const profiler::Capture&, double captured_step_ns);

  const TrialOptions& options_;
  const std::function<void(const TrialProgress&)>& progress_;
  const std::atomic<bool>& stop_;
  std::optional<WorkFolder> folder_;
  Side before_, after_;
  int ended_ = 0;
  TrialResult result_;
};

Result<void> Runner::prepare(std::vector<std::string> words, double step_ns) {
  Result<std::vector<std::string>> changed = changed_words(words, *result_.finding.change);
  if (!changed) return changed.error();
  const int steps =
      step_ns > 0
          ? static_cast<int>(std::clamp(kSecondsPerProcess * 1e9 / step_ns, double{kFewestSteps}, double{kMostSteps}))
          : kFewestSteps;
  Result<WorkFolder> folder = WorkFolder::make("try");
  if (!folder) return folder.error();
  folder_.emplace(*std::move(folder));
  before_ = {"without the change", std::move(words), folder_->path() / "before.tide", {}, kUnknown};
  after_ = {
      "with " + result_.finding.change->flag(), *std::move(changed), folder_->path() / "after.tide", {}, kUnknown};
  for (Side* side : {&before_, &after_}) {
    for (const char* option : kOwnOptions) remove_option(side->words, option);
    side->words.insert(side->words.end(), {"--steps", std::to_string(steps)});
  }
  return {};
}

Result<void> Runner::take(Side& side, const profiler::Capture& capture) {
  side.times_ns.push_back(profiler::process_time_ns(profiler::timed_steps_ns(capture)));
  result_.foreign_load_ratio =
      std::fmax(result_.foreign_load_ratio, capture.honesty().foreign_load_ratio);  // NaN stays out
  const profiler::RunInfo& run = capture.run();
  side.memory_bytes = static_cast<double>(run.persistent_bytes + run.arena_bytes + run.workspace_bytes);
  ++ended_;
  return {};
}

Result<void> Runner::measure() {
  const std::array sides{&before_, &after_};
  PairedRuns pairs{.program = options_.program, .least = options_.pairs, .most = options_.pairs};
  for (const Side* side : sides) {
    pairs.sides.push_back({.words = side->words,
                           .output = [side](int) { return side->file; },
                           .refusal = fmt::format("this cannot be run {}: ", side->stage)});
  }
  TrialProgress now;
  pairs.starts = [&](size_t i, int pair) {
    const std::vector<double>& times_ns = sides[i]->times_ns;
    now = {.stage = sides[i]->stage,
           .changed = sides[i] == &after_,
           .fraction = ended_ / (2.0 * options_.pairs),
           .pair = pair + 1,
           .pairs = options_.pairs,
           .step_ns = times_ns.empty() ? kUnknown : times_ns.back()};
    if (progress_) progress_(now);
  };
  pairs.told = [&](const ProgressLine& line) {
    TrialProgress of_process = now;
    of_process.steps = &line;
    of_process.fraction += line.fraction / (2.0 * options_.pairs);
    if (progress_ && line.recent_steps > 0) progress_(of_process);
  };
  pairs.ended = [&](size_t i, const std::shared_ptr<const profiler::Capture>& capture) {
    return take(*sides[i], *capture);
  };
  return pairs.run(stop_);
}

void Runner::judge(const profiler::Capture& capture, double captured_step_ns) {
  const profiler::RunChange& change = *result_.finding.change;
  const size_t pairs = std::min(before_.times_ns.size(), after_.times_ns.size());
  before_.times_ns.resize(pairs), after_.times_ns.resize(pairs);
  // A bigger batch is judged by the time of the same work.
  for (double& ns : after_.times_ns) ns /= change.work_ratio;
  const profiler::Change judged = profiler::judge_pairs(before_.times_ns, after_.times_ns);
  profiler::AdviceTrial& t = result_.trial;
  t.tried_at = engine::local_time_now();
  t.product_version = TENSORTIDE_VERSION;
  t.machine = capture.machine().info.model;
  t.workload = capture.run().title.empty() ? capture.run().workload : capture.run().title;
  t.command = capture.run().command;
  t.rule = result_.finding.rule;
  t.option = change.option, t.before = change.before, t.value = change.value, t.work_ratio = change.work_ratio;
  t.captured_step_ns = captured_step_ns;
  t.predicted_gain_ns = result_.finding.gain_ns;
  t.step_ns = profiler::median(before_.times_ns);
  t.obtained_gain_ns = t.step_ns * (1 - judged.ratio);
  t.obtained_low_ns = t.step_ns * (1 - judged.high);
  t.obtained_high_ns = t.step_ns * (1 - judged.low);
  t.probability = judged.probability;
  t.pairs = static_cast<int>(pairs);
  t.predicted_saved_bytes = result_.finding.saved_bytes;
  if (t.for_memory() && pairs > 0) t.obtained_saved_bytes = before_.memory_bytes - after_.memory_bytes;
  t.verdict = judged.verdict;
}

Result<TrialResult> Runner::run() {
  if (options_.pairs < kFewestPairs || options_.pairs > kMostPairs)
    return usage_error(fmt::format("[--pairs] {} is out of range: {} to {}", options_.pairs, kFewestPairs, kMostPairs));
  if (!options_.output.empty()) {
    if (Result<void> free = profiler::check_capture_target(options_.output); !free) return free.error();
  }
  const auto capture = profiler::open_capture(options_.capture);
  if (!capture) return capture.error();
  if (const std::string& source = (*capture)->run().source; !source.empty())
    return refused_error(fmt::format("{}: is a trace of another tool ({}), which cannot be run again",
                                     options_.capture.string(), source));
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  const auto analyzed = profiler::analyze(*capture, *rules);
  Result<FoundRun> found = found_run((*capture)->run().command, recorded_content((*capture)->run()), options_.capture);
  if (!found)
    return refused_error(fmt::format("{}: the command it was recorded with cannot be run again: {}",
                                     options_.capture.string(), found.error().message));
  result_.notes = found->notes;
  Result<profiler::RunFinding> finding = options_.change.empty()
                                             ? choose(*analyzed, options_.finding)
                                             : own_change(*analyzed, found->words[1], options_.change);
  if (!finding)
    return engine::Error{finding.error().kind,
                         fmt::format("{}: {}", options_.capture.string(), finding.error().message)};
  result_.finding = *std::move(finding);
  const double step_ns = profiler::median_step_ns(*analyzed->capture);
  if (Result<void> ready = prepare(std::move(found->words), step_ns); !ready) return ready.error();
  if (Result<void> done = measure(); !done) return done.error();
  result_.stopped = stop_;
  if (const std::string_view kind = profiler::unprobed_kind(**capture); !kind.empty())
    result_.no_roofs = fmt::format("roofs of {} are not measured", kind);
  result_.weak_roofs = profiler::roofs_weakness((*capture)->machine());
  judge(**capture, step_ns);
  if (const int pairs = result_.trial.pairs; pairs == 0 || (pairs < kFewestPairs && !result_.trial.for_memory())) {
    return refused_error(fmt::format("stopped after {} of {} pairs of runs: fewer than {} say nothing", pairs,
                                     options_.pairs, kFewestPairs));
  }
  if (!options_.ledger.empty()) {  // first: what was learnt is kept whatever becomes of the file
    if (Result<void> kept = profiler::append_trial(options_.ledger, result_.trial); !kept) return kept.error();
  }
  if (!options_.output.empty()) {
    if (Result<void> kept = profiler::copy_capture(after_.file, options_.output); !kept) return kept.error();
  }
  return std::move(result_);
}

}  // namespace

Result<std::vector<std::string>> words_of_command(const std::string& command) {
  Result<std::vector<std::string>> split = engine::shell_words(command);
  if (!split) return split.error();
  std::vector<std::string> words = *std::move(split);
  if (words.size() < 3 || words[0] != "tensortide" || words[1] != "run")
    return usage_error(fmt::format("\"{}\" is no `tensortide run`", command));
  words.erase(words.begin());
  return words;
}

Result<std::vector<std::string>> changed_words(std::vector<std::string> words, const profiler::RunChange& change) {
  const RunSetting* setting = find_run_setting(change.option);
  const bool of_run = change.scope == profiler::RunChange::Scope::run;
  if (of_run) {
    if (setting == nullptr || !setting->varies()) {
      return refused_error(
          fmt::format("{} cannot be tried: `tensortide run` of this version has no such option", change.flag()));
    }
    const Result<std::string> value = checked_value(*setting, change.value);
    if (!value) return refused_error(fmt::format("[{}] {}", setting->flag(), value.error().message));
  }
  // A parameter of the workload may have been given in two ways (--batch 8, --set batch=8); other options have names of
  // their own.
  const bool both = setting != nullptr && setting->about == RunSetting::About::workload;
  if (of_run || both) remove_option(words, "--" + change.option);
  if (!of_run || both) remove_parameter(words, change.option);
  for (std::string& word : change.words()) words.push_back(std::move(word));
  return words;
}

Result<TrialResult> try_finding(const TrialOptions& options, const std::function<void(const TrialProgress&)>& progress,
                                const std::atomic<bool>& stop) {
  return Runner(options, progress, stop).run();
}

}  // namespace app
