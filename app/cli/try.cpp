// SPDX-License-Identifier: Apache-2.0
// tensortide try: runs a capture's command with and without the change a finding proposes; tensortide advice: how such
// trials went.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>

#include "app/base/child_run.h"
#include "app/base/trial.h"
#include "app/cli/argument_checks.h"
#include "app/cli/command.h"
#include "app/cli/findings_output.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/base/words.h"
#include "profiler/capture/noise.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::format_quantity;
using profiler::Quantity;

struct TryArguments {
  std::string file, change, output, progress;
  int finding = 0, pairs = 5;
  bool json = false, forget = false;
};

json trial_json(const profiler::AdviceTrial& t) {
  using profiler::Origin;
  return {{"rule", t.rule},
          {"change", {{"option", t.option}, {"before", t.before}, {"value", t.value}, {"work_ratio", t.work_ratio}}},
          {"captured_step_ns", json_figure(t.captured_step_ns, Origin::measured)},
          {"predicted_gain_ns", json_figure(t.predicted_gain_ns, Origin::modelled)},
          {"predicted_ratio", json_figure(t.predicted_ratio(), Origin::modelled)},
          {"step_ns", json_figure(t.step_ns, Origin::measured)},
          {"obtained_gain_ns", json_figure(t.obtained_gain_ns, Origin::measured)},
          {"obtained_low_ns", json_figure(t.obtained_low_ns, Origin::measured)},
          {"obtained_high_ns", json_figure(t.obtained_high_ns, Origin::measured)},
          {"obtained_ratio", json_figure(t.obtained_ratio(), Origin::measured)},
          {"predicted_saved_bytes",
           t.for_memory() ? json_figure(t.predicted_saved_bytes, Origin::modelled) : json(nullptr)},
          {"obtained_saved_bytes", t.for_memory() ? json_figure(t.obtained_saved_bytes, Origin::exact) : json(nullptr)},
          {"probability_ratio", json_number(t.probability)},
          {"pairs_count", t.pairs},
          {"verdict", name(t.verdict)},
          {"tried_at", t.tried_at}};
}

std::string part(double ratio) {
  if (std::isnan(ratio)) return "–";
  constexpr double kFar = -10;  // of processes that met something else; its digits say nothing
  return ratio < kFar ? "under −1000 %" : fmt::format("{}{:.1f} %", ratio < 0 ? "−" : "", std::abs(100 * ratio));
}

/// Freed against predicted, where memory was the aim.
std::string memory_text(const profiler::AdviceTrial& t) {
  const bool freed = t.obtained_saved_bytes >= 0;
  return fmt::format("{} {} (planned, exact), {} freed were predicted (modelled)",
                     format_quantity(std::abs(t.obtained_saved_bytes), Quantity::bytes),
                     freed ? "freed" : "more are needed", format_quantity(t.predicted_saved_bytes, Quantity::bytes));
}

/// "12 %"; where the step became longer: "a loss of 12 %".
std::string obtained_part(double ratio) { return ratio < 0 ? "a loss of " + part(-ratio) : part(ratio); }

std::string trial_text(const TrialResult& r) {
  const profiler::AdviceTrial& t = r.trial;
  std::string text = fmt::format("{} {}\n", profiler::found_text(r.finding), r.finding.advice);
  if (std::isnan(t.predicted_ratio())) {
    text += fmt::format("Predicted: – ({}).\n",
                        r.no_roofs.empty()
                            ? "the capture has no roofs to predict from: run `tensortide probe`, then record again"
                            : r.no_roofs);
  } else {
    text += fmt::format("Predicted: {} of a step of {} (modelled: {}).\n", part(t.predicted_ratio()),
                        format_quantity(t.captured_step_ns, Quantity::duration_ns), r.finding.gain_how);
  }
  if (!r.weak_roofs.empty()) text += fmt::format("           {}\n", r.weak_roofs);
  text += fmt::format(
      "Obtained:  {} of a step of {}, 95 % interval {} to {} (measured, {} pairs of processes, {} {} against {}).\n",
      obtained_part(t.obtained_ratio()), format_quantity(t.step_ns, Quantity::duration_ns),
      part(t.obtained_low_ns / t.step_ns), part(t.obtained_high_ns / t.step_ns), t.pairs, t.option, t.before, t.value);
  for (const profiler::FindingFigure& e : r.finding.evidence) {
    if (e.key.ends_with("_memory_bytes"))
      text += fmt::format("           {} {} ({})\n", format_quantity(e.value, e.quantity), e.title, name(e.origin));
  }
  text += fmt::format("Verdict:   {}\n", name(t.verdict));
  if (const std::string load = profiler::background_load_words(r.foreign_load_ratio); !load.empty())
    text += fmt::format("           {}\n", load);
  for (const std::string& note : r.notes) text += fmt::format("           {}\n", note);
  if (t.for_memory())
    text +=
        fmt::format("Memory:    {}: {}\n", memory_text(t), t.right() ? "the advice was right" : "the advice was wrong");
  return r.stopped ? text + "Stopped early: judged by the pairs there were.\n" : text;
}

/// One line for the window.
std::string trial_note(const TrialResult& r, const std::string& record) {
  const profiler::AdviceTrial& t = r.trial;
  const std::string load = profiler::background_load_words(r.foreign_load_ratio);
  const std::string memory = t.for_memory() ? "Memory: " + memory_text(t) + ". " : std::string();
  return fmt::format(
      "{}{}: {} {} instead of {} won {} of a step (95 % interval {} to {}; {} was predicted). {}{}Rule {}: {}.", memory,
      name(t.verdict), t.option, t.value, t.before, part(t.obtained_ratio()), part(t.obtained_low_ns / t.step_ns),
      part(t.obtained_high_ns / t.step_ns), part(t.predicted_ratio()), load, load.empty() ? "" : " ", t.rule,
      record.empty() ? "its trials are not remembered" : record);
}

int run_try(const TryArguments& options) {
  const bool json_progress = options.progress == "json";
  const auto fail = [&](const engine::Error& error) {
    if (!json_progress) return report(error);
    const bool usage = error.kind == engine::ErrorKind::usage;
    const json line = {{"error", {{"message", error.message}, {"kind", usage ? "usage" : "refused"}}}};
    tell_line(line);
    return usage ? kUsage : kRefused;
  };
  Result<std::filesystem::path> program = own_program();
  if (!program) return fail(program.error());
  const TrialOptions trial{.capture = options.file,
                           .finding = options.finding,
                           .change = options.change,
                           .pairs = options.pairs,
                           .output = options.output,
                           .program = *program,
                           .ledger = options.forget ? std::filesystem::path() : profiler::advice_file()};
  const auto progress = [&](const TrialProgress& p) {
    if (json_progress) {
      json line = {{"stage", p.stage},
                   {"changed", p.changed},
                   {"step", p.pair},
                   {"steps", p.pairs},
                   {"fraction", json_number(p.fraction)},
                   {"last_step_ns", json_number(p.step_ns)}};
      if (p.steps != nullptr) add_steps(line, *p.steps);
      tell_line(line);
    } else if (p.steps == nullptr) {
      tell("{:3.0f} %  pair {} of {}, {}\n", 100 * p.fraction, p.pair, p.pairs, p.stage);
    }
  };
  Result<TrialResult> done = try_finding(trial, progress, stop_on_interrupt());
  if (!done) return fail(done.error());
  const Result<profiler::AdviceLedger> ledger = profiler::read_ledger(trial.ledger);
  const std::string record =
      ledger ? profiler::record_text(profiler::advice_records(ledger->trials), done->trial.rule) : std::string();
  if (json_progress) {
    json result = {{"trial", trial_json(done->trial)}, {"note", trial_note(*done, record)}};
    if (!options.output.empty()) result["file"] = std::filesystem::absolute(options.output).string();
    tell_line(json{{"result", result}});
  } else if (options.json) {
    json document = {{"file", options.file},
                     {"trial", trial_json(done->trial)},
                     {"stopped", done->stopped},
                     {"notes", done->notes},
                     {"foreign_load_ratio", json_figure(done->foreign_load_ratio, profiler::Origin::measured)},
                     {"roofs_weakness", done->weak_roofs.empty() ? json() : json(done->weak_roofs)},
                     {"record", record.empty() ? json(nullptr) : json(record)}};
    print_json(document);
  } else {
    show("{}", trial_text(*done));
    if (!record.empty()) show("Rule {}: {} so far (tensortide advice).\n", done->trial.rule, record);
  }
  return kDone;
}

int run_advice(const TryArguments& options) {
  const std::filesystem::path file =
      options.file.empty() ? profiler::advice_file() : std::filesystem::path(options.file);
  // Without a ledger of one's own nothing was tried yet; one that is named is meant to be there.
  if (std::error_code unreadable; !options.file.empty() && !std::filesystem::exists(file, unreadable))
    return report(engine::refused_error(fmt::format("{}: there is no such file", file.string())));
  const Result<profiler::AdviceLedger> ledger = profiler::read_ledger(file);
  if (!ledger) return report(ledger.error());
  const profiler::Table rules = profiler::advice_table(*ledger), trials = profiler::trials_table(*ledger);
  if (options.json) {
    const json document = {{"file", file.string()},
                           {"rules", table_json(rules)},
                           {"trials", table_json(trials)},
                           {"unreadable_count", ledger->unreadable}};
    print_json(document);
    return kDone;
  }
  if (ledger->trials.empty()) {
    show("No advice was tried yet: tensortide try FILE runs a finding's change beside the command it is from.\n");
  } else {
    show("{}\n{}", profiler::to_text(rules), profiler::to_text(trials));
  }
  if (ledger->unreadable > 0) {
    show("Left out of {}: {} no trial.\n", engine::display_line(file.native()),
         profiler::counted(static_cast<uint64_t>(ledger->unreadable), "line that is", "lines that are"));
  }
  return kDone;
}

}  // namespace

Handler add_try(CLI::App& verb) {
  auto o = std::make_shared<TryArguments>();
  verb.add_option("file", o->file, "Capture recorded by `tensortide run`")->required()->option_text("FILE");
  verb.add_option("--finding", o->finding, "Number of the finding; 0: the first that a run can try (default 0)")
      ->transform(whole_number(0, 1000000))
      ->capture_default_str()
      ->option_text("N");
  verb.add_option("--change", o->change, "Own change instead: batch=8, dtype=bf16, fuse=on, any parameter")
      ->excludes("--finding")
      ->option_text("NAME=VALUE");
  verb.add_option("--pairs", o->pairs, "Pairs of processes [3..100] (default 5)")
      ->transform(whole_number(kFewestPairs, kMostPairs))
      ->capture_default_str()
      ->option_text("N");
  verb.add_flag("--forget", o->forget, "Do not remember the trial (see `tensortide advice`)");
  verb.add_option("-o,--output", o->output, "Keep the capture of the last changed run")
      ->option_text("FILE")
      ->group("Output");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide try r.tide --finding 1\nExample: tensortide try r.tide --change checkpointing=sqrt");
  return [o] { return run_try(*o); };
}

Handler add_advice(CLI::App& verb) {
  auto o = std::make_shared<TryArguments>();
  verb.add_option("file", o->file, "Record of trials (default: tensortide/advice.jsonl in $XDG_DATA_HOME)")
      ->option_text("[FILE]");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide advice");
  return [o] { return run_advice(*o); };
}

}  // namespace app::cli
