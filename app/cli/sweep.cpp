// SPDX-License-Identifier: Apache-2.0
// tensortide sweep: one workload over one or several axes of settings, each sample in a fresh process.
#include "app/base/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/base/child_run.h"
#include "app/base/run_settings.h"
#include "app/base/studies.h"
#include "app/base/sweep_cost.h"
#include "app/cli/argument_checks.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/catalog.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/reference.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

constexpr const char* kUsualSamples = "3..10";

struct SweepArguments {
  RunOptions run;
  std::vector<std::string> axes;
  std::string study, output, progress, roofs, samples;
  double noise = 0.02, seconds = 0;
  bool json = false, restart = false, no_probe = false, dry_run = false;
};

/// What the study chosen leaves to be filled in: its workload, its axes where the user gave none of that name.
Result<void> apply_study(SweepArguments& options) {
  if (options.study.empty()) {
    if (options.run.workload.empty())
      return engine::usage_error("[workload] is missing: name one, or a study: --study batch");
    if (options.axes.empty())
      return engine::usage_error(
          "[--axis] there is none: give at least one, as in --axis batch=1,2,4..64, or a study: --study batch");
    return {};
  }
  Result<const Study*> study = find_study(options.study);
  if (!study) return study.error();
  const std::string& own = (*study)->workload;
  if (!own.empty() && !options.run.workload.empty() && options.run.workload != own) {
    return engine::usage_error(
        fmt::format("[--study] {} is about {}, not about {}", options.study, own, options.run.workload));
  }
  if (options.run.workload.empty()) options.run.workload = own.empty() ? "mlp" : own;
  Result<std::vector<std::string>> axes = study_axes(**study, options.run.workload, options.axes);
  if (!axes) return axes.error();
  for (const std::string& axis : *axes) options.axes.insert(options.axes.begin(), axis);
  options.run.settings.insert(options.run.settings.begin(), (*study)->fixed.begin(), (*study)->fixed.end());
  if ((*study)->simulates && options.run.value("collect").empty()) options.run.values["collect"] = "simulate";
  const std::string device = options.run.value("device").empty() ? "cpu" : options.run.value("device");
  for (const auto& [name, value] : (*study)->settings) {
    const RunSetting* setting = find_run_setting(name);
    const bool means = setting != nullptr && check_device(*setting, value, device).ok();
    if (means && options.run.value(name).empty()) options.run.values[name] = value;
  }
  if (options.samples.empty()) options.samples = (*study)->samples;
  return {};
}

std::string study_list() {
  std::string text = "Studies (--study):\n";
  for (const Study& study : studies()) text += fmt::format("  {:15} {}\n", study.name, study.title);
  return text;
}

Result<SweepOptions> make_options(SweepArguments options) {
  SweepOptions sweep;
  if (Result<void> applied = apply_study(options); !applied) return applied.error();
  Result<RunRequest> base = make_request(options.run);
  if (!base) return base.error();
  sweep.base = *std::move(base);
  sweep.base.probe = !options.no_probe;
  sweep.base.roofs = options.roofs;
  sweep.output = options.output.empty()
                     ? new_capture_path(".", (options.study.empty() ? options.run.workload : options.study) + "-sweep")
                     : std::filesystem::path(options.output);
  RunRequest stored = sweep.base;
  stored.output = sweep.output;
  stored = stored_request(std::move(stored));
  sweep.request.workload = stored.workload;
  std::vector<std::string> words = words_of(stored);
  words.erase(words.begin());
  sweep.request.fixed = std::move(words);
  for (const std::string& text : options.axes) {
    Result<profiler::SweepAxis> axis = profiler::parse_axis(text);
    if (!axis) return axis.error();
    sweep.request.axes.push_back(*std::move(axis));
  }
  const Result<Counts> samples =
      parse_counts("--samples", options.samples.empty() ? kUsualSamples : options.samples, 1, 1000);
  if (!samples) return samples.error();
  sweep.request.least_samples = samples->least;
  sweep.request.most_samples = samples->most;
  sweep.request.noise_target = options.noise;
  sweep.seconds = options.seconds;
  sweep.restart = options.restart;
  Result<std::filesystem::path> program = own_program();
  if (!program) return program.error();
  sweep.program = *std::move(program);
  return sweep;
}

json progress_json(const SweepProgress& p) {
  json line = {{"stage", p.stage},    {"point", p.label},       {"point_index", p.point},
               {"samples", p.sample}, {"fraction", p.fraction}, {"last_step_ns", json_number(p.step_ns)},
               {"part", p.part}};
  if (p.steps != nullptr) add_steps(line, *p.steps);
  return line;
}

void tell_text(const SweepProgress& p) {
  if (p.stage == "predicting" || p.part > 0 || p.steps != nullptr) return;
  if (p.label.empty()) {
    tell("{}\n", p.stage);
    return;
  }
  if (p.stage == "simulating") {
    tell("{:3.0f} %  {}: simulating the caches\n", 100 * p.fraction, engine::display_line(p.label));
    return;
  }
  tell("{:3.0f} %  {}: {} (process {})\n", 100 * p.fraction, engine::display_line(p.label),
       std::isnan(p.step_ns) ? std::string("no time")
                             : profiler::format_quantity(p.step_ns, profiler::Quantity::duration_ns),
       p.sample);
}

json sweep_json(const profiler::Sweep& sweep) {
  const profiler::SweepRequest& r = sweep.request;
  json axes = json::array();
  for (const profiler::SweepAxis& axis : r.axes) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  return {{"workload", r.workload},
          {"title", sweep.title},
          {"fixed", r.fixed},
          {"axes", axes},
          {"least_samples", r.least_samples},
          {"most_samples", r.most_samples},
          {"noise_target_ratio", r.noise_target},
          {"created_at", sweep.created_at},
          {"version", sweep.product_version},
          {"machine", sweep.machine.info.model},
          {"complete", sweep.complete}};
}

}  // namespace

json sweep_document(const profiler::Sweep& sweep, const std::string& file) {
  std::vector<std::string> sentences = profiler::sweep_sentences(sweep);
  for (std::string& sentence : profiler::reference_sentences(sweep)) sentences.push_back(std::move(sentence));
  const std::string weakness = profiler::roofs_weakness(sweep.machine);
  return {{"file", file},
          {"sweep", sweep_json(sweep)},
          {"sentences", sentences},
          {"roofs_weakness", weakness.empty() ? json() : json(weakness)},
          {"points", table_json(profiler::sweep_table(sweep))},
          {"series", table_json(profiler::sweep_series_table(sweep))},
          {"reference", table_json(profiler::reference_table(sweep))}};
}

std::string sweep_text(const profiler::Sweep& sweep) {
  const std::string& machine = sweep.machine.info.model;  // unknown without a probe
  std::string text = fmt::format(
      "{} over {}{}\n\n{}", sweep.title.empty() ? engine::display_line(sweep.request.workload) : sweep.title,
      profiler::counted(sweep.points.size(), "point"), machine.empty() ? "" : " on " + machine,
      profiler::to_text(profiler::sweep_digest(sweep)));
  const profiler::Table series = profiler::sweep_series_table(sweep);
  for (const std::string& sentence : profiler::sweep_sentences(sweep)) text += "\n" + sentence;
  for (const std::string& sentence : profiler::reference_sentences(sweep)) text += "\n" + sentence;
  return text + (series.rows.empty() ? "" : "\n");
}

namespace {

json cost_json(const SweepCost& cost) {
  json base = json::array();
  for (const SweepCostBase& b : cost.base) {
    base.push_back({{"point", b.label},
                    {"steps", b.steps},
                    {"step_ns", json_figure(b.step_ns, profiler::Origin::measured)},
                    {"predicted_ns", json_figure(b.predicted_ns, profiler::Origin::modelled)},
                    {"process_s", json_number(b.process_s)}});
  }
  return {{"points", cost.points},
          {"out_of_memory", cost.out_of_memory},
          {"least_samples", cost.least_samples},
          {"most_samples", cost.most_samples},
          {"low_s", json_number(cost.low_s)},
          {"likely_s", json_number(cost.likely_s)},
          {"high_s", json_number(cost.high_s)},
          {"why_unknown", cost.why_unknown.empty() ? json() : json(cost.why_unknown)},
          {"base", base},
          {"origin", "modelled"}};
}

/// --dry-run: what the sweep would take.
int run_cost(const SweepArguments& options, const SweepOptions& sweep,
             const std::function<void(const SweepProgress&)>& progress,
             const std::function<int(const engine::Error&)>& fail) {
  const Result<SweepCost> cost = sweep_cost(sweep, progress, stop_on_interrupt());
  if (!cost) return fail(cost.error());
  if (options.json) {
    print_json(cost_json(*cost));
  } else {
    show("{}", sweep_cost_words(*cost));
  }
  return kDone;
}

int run(const SweepArguments& options) {
  const bool json_progress = options.progress == "json";
  const auto fail = [&](const engine::Error& error) {
    if (!json_progress) return report(error);
    const bool usage = error.kind == engine::ErrorKind::usage;
    const json line = {{"error", {{"message", error.message}, {"kind", usage ? "usage" : "refused"}}}};
    tell_line(line);
    return usage ? kUsage : kRefused;
  };
  Result<SweepOptions> sweep = make_options(options);
  if (!sweep) return fail(sweep.error());
  bool points_told = false;
  const auto progress = [&](const SweepProgress& p) {
    if (json_progress) {
      tell_line(progress_json(p));
    } else {
      // Which points the ranges mean, once they are known to be right and before any time is spent on them.
      for (const profiler::SweepAxis& axis :
           std::exchange(points_told, true) ? std::vector<profiler::SweepAxis>() : sweep->request.axes)
        tell("{}\n", engine::display_line(fmt::format("{} = {}", axis.name, fmt::join(axis.values, ", "))));
      tell_text(p);
    }
  };
  if (options.dry_run) return run_cost(options, *sweep, progress, fail);
  Result<SweepResult> done = app::sweep(*sweep, progress, stop_on_interrupt());
  if (!done) return fail(done.error());
  const std::string file = std::filesystem::absolute(done->file).string();
  if (options.json) {
    print_json(sweep_document(done->sweep, file));
  } else if (!json_progress) {
    show("{}\nSweep: {}{}\n", sweep_text(done->sweep), engine::display_line(done->file.native()),
         done->stopped    ? " (unfinished: the same command goes on with it)"
         : done->resumed  ? " (went on with an unfinished one)"
         : done->replaced ? " (took the place of an older sweep)"
                          : "");
  }
  if (json_progress) {
    const json line = {{"result", {{"file", file}, {"complete", done->sweep.complete}}}};
    tell_line(line);
  }
  return kDone;
}

}  // namespace

Handler add_sweep(CLI::App& verb) {
  auto o = std::make_shared<SweepArguments>();
  const char* group = "Sweep";
  verb.add_option("--axis", o->axes, "Axis: batch=1,2,4..512, threads=1..8, dtype=f32,bf16; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAME=VALUES")
      ->group(group);
  verb.add_option("--study", o->study, "Ready-made sweep; see below")->option_text("NAME")->group(group);
  verb.add_option("--samples", o->samples, "Fresh processes per point, least..most (default 3..10)")
      ->option_text("N..M")
      ->group(group);
  verb.add_option("--noise", o->noise, "Standard error of the mean that is enough (default 0.02)")
      ->check(real_number(0, 1))
      ->capture_default_str()
      ->option_text("RATIO")
      ->group(group);
  verb.add_option("--seconds", o->seconds, "Start no process after this time; 0: no limit (default 0)")
      ->check(real_number(0, 1e7))
      ->capture_default_str()
      ->option_text("SECONDS")
      ->group(group);
  verb.add_flag("--dry-run", o->dry_run, "Measure two points and print what the sweep would take")->group(group);
  verb.add_flag("--restart", o->restart, "Discard an unfinished sweep in the file instead of continuing it")
      ->group(group);
  add_run_options(verb, o->run);
  verb.get_option("workload")->required(false)->option_text("[NAME|FILE]");
  verb.get_option("--collect")
      ->description(fmt::format("Sources of each point [{}] (default ops)", profiler::collector_choices(true)));
  verb.add_flag("--no-probe", o->no_probe, "Measure no roofs first; use the stored ones, if any")->group("Measurement");
  verb.add_option("--roofs", o->roofs, "Take the roofs from a file of `tensortide probe --json`")
      ->option_text("FILE")
      ->group("Measurement");
  verb.add_option("-o,--output", o->output, "Sweep file (default WORKLOAD-sweep.tide, numbered)")
      ->option_text("FILE")
      ->group("Output");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer(study_list() +
              "\nExample: tensortide sweep mlp --axis batch=1,2,4..1024 --mode inference -o s.tide --json");
  return [o] { return run(*o); };
}

}  // namespace app::cli
