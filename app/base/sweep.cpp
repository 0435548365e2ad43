// SPDX-License-Identifier: Apache-2.0
// Predict, measure in turn, keep on disk.
#include "app/base/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>

#include "app/base/paired_runs.h"
#include "app/base/run_settings.h"
#include "app/base/sweep_child.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/tensor/device.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/training_loss.h"
#include "profiler/record/catalog.h"
#include "profiler/record/host_load.h"
#include "profiler/record/probe.h"
#include "profiler/record/simulate_collector.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/whole_file.h"
#include "profiler/sweep/figures.h"
#include "profiler/sweep/file.h"
#include "profiler/sweep/schedule.h"

namespace app {
namespace {

using engine::refused_error;
using engine::Result;
using engine::usage_error;
using profiler::kUnknown;
using profiler::PointOutcome;
using profiler::Sweep;
using profiler::SweepPoint;

constexpr size_t kMostPoints = 10000;
/// Reads what a finished process left, into the point.
Result<void> take_sample(const std::shared_ptr<const profiler::Capture>& capture, const std::filesystem::path& file,
                         Sweep& sweep, size_t index) {
  SweepPoint& point = sweep.points[index];
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  const auto analyzed = profiler::analyze(capture, *rules);
  const profiler::Summary s = profiler::summary(*analyzed);
  const profiler::Honesty& honesty = capture->honesty();
  if (!(s.step_ns.median > 0)) return refused_error(fmt::format("{}: no step was timed", file.string()));
  point.samples.push_back({.round = static_cast<int>(point.samples.size()),
                           .step_ns = s.step_ns.median,
                           .steps = s.step_ns.samples,
                           .foreign_load_ratio = honesty.foreign_load_ratio,
                           .clock_drift_ratio = honesty.clock_drift_ratio,
                           .queued_ratio = honesty.queued_ratio,
                           .spin_ns = honesty.spin_ns,
                           .throttle_events = honesty.throttle_events,
                           .step_energy_j = capture->run().step_energy_j});
  if (const auto loss = profiler::training_loss(*capture)) {
    for (const auto& [steps, value] : loss->after)
      point.samples.back().losses.push_back({static_cast<int>(steps), value});
  }
  profiler::compare_clocks(sweep);
  point.found = profiler::found_figures(*analyzed);
  const double own_ns = point.found.step_ns;
  point.found.step_ns = profiler::sample_spread(point, sweep.request.least_samples).median;
  point.found.roof_ratio *= own_ns / point.found.step_ns;
  point.capture = file.filename().string();
  point.outcome = PointOutcome::measured;
  point.message.clear();
  point.simulation.clear();  // of the capture that this one took the place of
  return {};
}

/// The words of the request that set what an axis varies: "--batch 8"; empty: none do.
std::string set_beside(const RunRequest& base, const std::string& axis) {
  if (axis == "preset" || axis == "workload") return base.preset.empty() ? std::string() : "--preset " + base.preset;
  if (const RunSetting* s = find_run_setting(axis); s != nullptr && s->is_axis()) {
    const std::string value = value_of(base, *s);
    return value == s->usual() ? std::string() : fmt::format("{} {}", s->flag(), value);
  }
  const auto set = base.settings.find(axis);
  return set == base.settings.end() ? std::string() : fmt::format("--set {}={}", axis, set->second);
}

/// What a sweep would have to drop is refused: what an axis varies and the request sets as well, and what is counted
/// after the timed steps, or holds the clocks meanwhile, because a point keeps times, counts, modelled and simulated
/// bytes alone.
Result<void> check_nothing_is_dropped(const SweepOptions& options) {
  for (const profiler::SweepAxis& axis : options.request.axes) {
    if (const std::string words = set_beside(options.base, axis.name); !words.empty()) {
      return usage_error(fmt::format("[--axis] {}: {} sets it as well; leave one of them out", axis.name, words));
    }
  }
  const RunRequest& b = options.base;
  for (const profiler::Collector* collector : profiler::collectors()) {
    if (b.collect.contains(collector->name) && !collector->in_sweeps) {
      return usage_error(
          fmt::format("[--collect] {}: a sweep keeps only times, exact counts, modelled and "
                      "simulated bytes. Leave it "
                      "out, and collect it at one point with `tensortide run {} ... --collect {}`",
                      collector->name, b.workload, collector->name));
    }
  }
  return {};
}

class Runner {
 public:
  Runner(const SweepOptions& options, const std::function<void(const SweepProgress&)>& progress,
         const std::atomic<bool>& stop)
      : options_(options), progress_(progress), stop_(stop), started_(std::chrono::steady_clock::now()) {}
  Result<SweepResult> run();
  /// Stops behind the predictions.
  Result<Sweep> run_predictions();

 private:
  Result<void> begin();
  Result<void> check_first_point() const;
  Result<void> predict();
  Result<void> resume();
  Result<void> measure();
  Result<void> measure_point(size_t index);
  Result<void> simulate_point(size_t index);
  Result<void> keep_roofs(const std::filesystem::path& folder);
  void tell(const char* stage, size_t point, double step_ns, double fraction) const {
    if (progress_)
      progress_({stage, sweep_.label(point), fraction, point, static_cast<int>(sweep_.points[point].samples.size()),
                 step_ns});
  }
  bool out_of_time() const {
    return options_.seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count() > options_.seconds;
  }

  const SweepOptions& options_;
  const std::function<void(const SweepProgress&)>& progress_;
  const std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point started_;
  Sweep sweep_;
  SweepResult result_;
  std::unique_ptr<profiler::SweepWriter> writer_;
  std::filesystem::path roofs_;  ///< empty: none are known
  /// Where the sweep is kept while it goes on: its file, or a draft beside that when an older sweep is in it, which
  /// stays until this one has ended.
  std::filesystem::path place_;
};

Result<void> Runner::predict() {
  for (size_t i = 0; i < sweep_.points.size() && !stop_; ++i) {
    tell("predicting", i, kUnknown, 0);
    Result<RunRequest> request = request_of(options_, sweep_, i);
    if (!request) return request.error();
    Result<PlannedRun> planned = plan(*request, sweep_.machine);
    if (!planned)
      return engine::Error{planned.error().kind, fmt::format("[{}] {}", sweep_.label(i), planned.error().message)};
    if (planned->capture) sweep_.points[i].predicted = profiler::predicted_figures(*planned->capture);
    if (planned->capture && sweep_.dtype.empty()) {
      const auto& arguments = planned->capture->run().arguments;
      if (const auto dtype = arguments.find("dtype"); dtype != arguments.end()) sweep_.dtype = dtype->second;
    }
    const bool several =
        std::ranges::any_of(sweep_.request.axes, [](const profiler::SweepAxis& a) { return a.name == "workload"; });
    sweep_.title = several ? "Several workloads" : planned->title;
    if (planned->does_not_fit.empty()) continue;
    sweep_.points[i].outcome = PointOutcome::out_of_memory;
    sweep_.points[i].message = planned->does_not_fit;
  }
  return {};
}

/// Finds where the sweep goes, and takes over the samples of an unfinished one of the same request.
Result<void> Runner::resume() {
  place_ = options_.output;
  if (!profiler::is_sweep(options_.output)) return {};
  const std::filesystem::path draft = profiler::draft_beside(options_.output);
  const bool in_draft = profiler::is_sweep(draft);
  if (options_.restart) {
    place_ = draft;
    result_.replaced = true;
    return {};
  }
  Result<Sweep> before = profiler::open_sweep(in_draft ? draft : options_.output);
  if (!before) return before.error();
  const bool ended = !in_draft && before->complete;
  result_.replaced = in_draft || ended;
  if (in_draft || ended) place_ = draft;
  if (ended) return {};
  if (!(before->request == sweep_.request)) {
    return refused_error(
        fmt::format("{}: holds an unfinished sweep of something else; choose another name, or --restart to replace it",
                    place_.string()));
  }
  if (before->machine.info.model != sweep_.machine.info.model) {
    return refused_error(fmt::format("{}: its samples were taken on another machine ({}); --restart begins again",
                                     place_.string(), before->machine.info.model));
  }
  sweep_.created_at = before->created_at;
  for (size_t i = 0; i < sweep_.points.size(); ++i) {
    SweepPoint& was = before->points[i];
    if (was.samples.empty()) continue;
    was.predicted = sweep_.points[i].predicted;
    sweep_.points[i] = std::move(was);
    result_.resumed = true;
  }
  return {};
}

/// Of the machine's memory: a run that plans less is not what the system kills first.
constexpr double kBigPart = 0.25;

Result<void> Runner::measure_point(size_t index) {
  SweepPoint& point = sweep_.points[index];
  Result<RunRequest> request = request_of(options_, sweep_, index);
  if (!request) return request.error();
  request->roofs = roofs_;
  const double expected_ns = point.samples.empty() ? point.predicted.step_ns : point.found.step_ns;
  const auto file = profiler::points_folder(place_) / fmt::format("{:04}.tide", index);
  bool ended = false;  // else it was stopped
  PairedRuns runs{.program = options_.program};
  runs.sides.push_back({.words = child_words(*request, steps_for(expected_ns)), .output = [&](int) { return file; }});
  runs.told = [&](const ProgressLine& line) {
    if (progress_ && line.recent_steps > 0)
      progress_({.stage = "measuring",
                 .label = sweep_.label(index),
                 .fraction = profiler::fraction_done(sweep_),
                 .point = index,
                 .sample = static_cast<int>(point.samples.size()),
                 .step_ns = line.last_step_ns,
                 .steps = &line});
  };
  runs.ended = [&](size_t, const std::shared_ptr<const profiler::Capture>& capture) {
    ended = true;
    if (Result<void> taken = take_sample(capture, file, sweep_, index); !taken) {
      point.outcome = PointOutcome::failed;
      point.message = taken.error().message;
    }
    return Result<void>();
  };
  runs.failed = [&](const ChildOutcome& child) {
    ended = true;
    // What the system kills without a word was too big for it, where it was big at all: else somebody else killed it.
    const bool big = point.predicted.memory_bytes > kBigPart * static_cast<double>(engine::host_memory().total_bytes);
    const bool too_big = child.end == ChildOutcome::End::killed && child.signal == SIGKILL && big;
    point.outcome = too_big ? PointOutcome::out_of_memory : PointOutcome::failed;
    point.message = child.message;
    return Result<void>();
  };
  if (Result<void> done = runs.run(stop_); !done || !ended) return done;
  tell("measuring", index, point.samples.empty() ? kUnknown : point.samples.back().step_ns,
       profiler::fraction_done(sweep_));
  return writer_->update(sweep_, index);
}

/// Adds to the last capture of a point what its step moves through the caches, and to the point what that came to. Its
/// times are known by then: the simulation disturbs none. Stopped meanwhile: the point stays without.
Result<void> Runner::simulate_point(size_t index) {
  SweepPoint& point = sweep_.points[index];
  const auto file = profiler::points_folder(place_) / point.capture;
  const auto told = [&](double part) {
    if (progress_)
      progress_({.stage = "simulating",
                 .label = sweep_.label(index),
                 .fraction = profiler::fraction_done(sweep_),
                 .point = index,
                 .sample = 0,
                 .step_ns = kUnknown,
                 .part = part});
  };
  told(0);
  const auto simulated = [&]() -> Result<std::shared_ptr<const profiler::Analyzed>> {
    auto capture = profiler::open_capture(file);
    if (!capture) return capture.error();
    Result<profiler::TrafficSource> source =
        profiler::simulate_capture(*capture, options_.base.simulate_seconds, told, stop_);
    if (stop_) return refused_error("stopped");
    if (!source) source = profiler::not_simulated(source.error());
    capture = profiler::add_traffic(**capture, *std::move(source), file);
    if (!capture) return capture.error();
    const auto rules = profiler::VerdictRules::of_user();
    if (!rules) return rules.error();
    return profiler::analyze(*capture, *rules);
  };
  const auto analyzed = simulated();
  if (stop_) return {};
  if (!analyzed) {
    point.simulation = fmt::format("Not simulated: {}.", analyzed.error().message);
  } else {
    point.found.links = profiler::found_figures(**analyzed).links;
    point.simulation = profiler::simulation_words(**analyzed);
  }
  return writer_->update(sweep_, index);
}

/// The roofs the predictions use, for the children: a probe beside which others worked is not remembered, and they
/// would have none.
Result<void> Runner::keep_roofs(const std::filesystem::path& folder) {
  if (!sweep_.machine.probed()) return {};
  roofs_ = folder / "roofs.json";
  return profiler::write_whole_file(roofs_, profiler::machine_to_json(sweep_.machine));
}

Result<void> Runner::measure() {
  std::error_code code;
  const auto folder = profiler::points_folder(place_);
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(folder, code))) {
    return refused_error(
        fmt::format("{}: the captures of the points are kept there, but it is a link; remove it", folder.string()));
  }
  // First the lock: where another sweep goes on, the roofs its children read are its own.
  Result<std::unique_ptr<profiler::SweepWriter>> writer = profiler::SweepWriter::create(place_, sweep_);
  if (!writer) return writer.error();
  writer_ = *std::move(writer);
  std::filesystem::create_directories(folder, code);
  if (code) return refused_error(fmt::format("{}: cannot be made: {}", folder.string(), code.message()));
  if (Result<void> kept = keep_roofs(folder); !kept) return kept.error();
  while (!stop_ && !out_of_time()) {
    const std::optional<size_t> next = profiler::next_point(sweep_);
    if (!next) break;
    if (Result<void> done = measure_point(*next); !done) return done;
  }
  while (!stop_ && !out_of_time() && !profiler::next_point(sweep_)) {
    const std::optional<size_t> next = profiler::next_simulation(sweep_);
    if (!next) break;
    if (Result<void> done = simulate_point(*next); !done) return done;
  }
  sweep_.complete = !profiler::next_point(sweep_) && !profiler::next_simulation(sweep_);
  result_.stopped = !sweep_.complete;
  if (Result<void> finished = writer_->finish(sweep_); !finished) return finished;
  writer_.reset();
  const bool any = std::ranges::any_of(sweep_.points, [](const SweepPoint& p) { return !p.samples.empty(); });
  const bool stays = place_ == options_.output || !any;
  result_.file = stays ? place_ : options_.output;
  return stays ? Result<void>() : profiler::put_draft_in_place(options_.output);
}

/// Whether the first point can be planned: a name that nothing has is found before anything is measured.
Result<void> Runner::check_first_point() const {
  const Result<RunRequest> request = request_of(options_, sweep_, 0);
  if (!request) return request.error();
  const Result<PlannedRun> planned = plan(*request, {});
  if (planned || planned.error().kind != engine::ErrorKind::usage) return {};
  return engine::Error{planned.error().kind, fmt::format("[{}] {}", sweep_.label(0), planned.error().message)};
}

/// Checks the request and finds the roofs.
Result<void> Runner::begin() {
  sweep_.request = options_.request;
  sweep_.product_version = TENSORTIDE_VERSION;
  sweep_.huge_pages = profiler::huge_page_setting();
  sweep_.created_at = engine::local_time_now();
  if (sweep_.request.axes.empty())
    return usage_error("[--axis] there is none: give at least one, as in --axis batch=1,2,4..64");
  size_t points = 1;
  for (const profiler::SweepAxis& axis : sweep_.request.axes) {
    if (std::ranges::count(sweep_.request.axes, axis.name, &profiler::SweepAxis::name) > 1)
      return usage_error(fmt::format("[--axis] {} is given twice", axis.name));
    points *= axis.values.size();
    if (points > kMostPoints) return usage_error(fmt::format("[--axis] these axes have over {} points", kMostPoints));
  }
  if (Result<void> kept = check_nothing_is_dropped(options_); !kept) return kept.error();
  const auto on_emulated = [](const profiler::SweepAxis& axis) {
    return axis.name == "device" &&
           std::ranges::any_of(axis.values, [](const std::string& v) { return engine::traits_of(v).emulated; });
  };
  if (engine::traits_of(options_.base.device).emulated || std::ranges::any_of(sweep_.request.axes, on_emulated)) {
    return usage_error(
        "[--device] emu:0: a sweep compares times, and those of an emulation are not a GPU's; use --device cuda or "
        "cpu");
  }
  sweep_.points.resize(points);
  if (Result<void> writable = profiler::check_capture_target(options_.output); !writable) return writable.error();
  if (Result<void> named = check_first_point(); !named) return named;
  if (!options_.base.roofs.empty()) {
    Result<profiler::Machine> machine = roofs_from(options_.base.roofs);
    if (!machine) return machine.error();
    sweep_.machine = *std::move(machine);
  } else if (options_.base.probe) {
    const auto told = [&](const profiler::RecordProgress& p) {
      if (progress_ && p.fraction == 0)
        progress_({.stage = p.stage.substr(0, p.stage.find(':')),
                   .label = {},
                   .fraction = 0,
                   .point = 0,
                   .sample = 0,
                   .step_ns = kUnknown});
    };
    Result<profiler::Machine> machine = machine_roofs(RoofsAge::minutes, options_.base.threads, told, stop_);
    if (!machine) return machine.error();
    sweep_.machine = *std::move(machine);
  } else {
    sweep_.machine = profiler::cached_probe().value_or(profiler::Machine{});
  }
  return {};
}

Result<Sweep> Runner::run_predictions() {
  for (const auto step : {&Runner::begin, &Runner::predict}) {
    if (Result<void> done = (this->*step)(); !done) return done.error();
  }
  return std::move(sweep_);
}

Result<SweepResult> Runner::run() {
  for (const auto step : {&Runner::begin, &Runner::predict, &Runner::resume, &Runner::measure}) {
    if (Result<void> done = (this->*step)(); !done) return done.error();
  }
  result_.sweep = std::move(sweep_);
  return std::move(result_);
}

}  // namespace

Result<RunRequest> with_setting(RunRequest base, const std::string& axis, const std::string& value) {
  if (axis == "preset") {
    base.preset = value;
  } else if (axis == "workload") {
    // "mlp" or, with a preset, "mlp:fcn-s"; the path of a model file keeps its colons.
    const size_t colon = value.find(':');
    const bool with_preset = colon != std::string::npos && value.find('/') == std::string::npos;
    base.workload = value.substr(0, with_preset ? colon : std::string::npos);
    base.preset = with_preset ? value.substr(colon + 1) : std::string();
  } else if (const RunSetting* s = find_run_setting(axis); s != nullptr && s->is_axis()) {
    Result<std::string> checked = checked_axis_value(*s, value);
    if (!checked) return usage_error(fmt::format("[--axis] {}: {}", axis, checked.error().message));
    set_value(base, *s, *checked);
  } else {
    base.settings[axis] = value;
  }
  return base;
}

Result<profiler::Sweep> predicted_sweep(const SweepOptions& options,
                                        const std::function<void(const SweepProgress&)>& progress,
                                        const std::atomic<bool>& stop) {
  return Runner(options, progress, stop).run_predictions();
}

Result<SweepResult> sweep(const SweepOptions& options, const std::function<void(const SweepProgress&)>& progress,
                          const std::atomic<bool>& stop) {
  return Runner(options, progress, stop).run();
}

}  // namespace app
