// SPDX-License-Identifier: Apache-2.0
// Two measured points, and all others by their predictions.
#include "app/base/sweep_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "app/base/child_run.h"
#include "app/base/paired_runs.h"
#include "app/base/sweep_child.h"
#include "app/base/work_folder.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/figures.h"

namespace app {

using engine::Result;
using profiler::kUnknown;

namespace {

/// Seconds of a process beyond its timed steps: start, plan, warm-up, writing.
double overhead_s(const SweepCostBase& base) {
  return std::max(0.0, base.process_s - 1e-9 * base.steps * base.step_ns);
}

/// Measured step over predicted step.
double ratio_of(const SweepCostBase& base) { return base.step_ns / base.predicted_ns; }

Result<SweepCostBase> measured(const SweepOptions& options, const profiler::Sweep& sweep, size_t point,
                               double predicted_ns, const std::atomic<bool>& stop) {
  Result<RunRequest> request = request_of(options, sweep, point);
  if (!request) return request.error();
  Result<WorkFolder> folder = WorkFolder::make("cost");
  if (!folder) return folder.error();
  const std::filesystem::path file = folder->path() / "capture.tide";
  const auto words = repeat_words(child_words(*request, steps_for(predicted_ns)), file);
  const auto begin = std::chrono::steady_clock::now();
  const Result<ChildOutcome> child = run_child(options.program, words, stop);
  if (!child) return child.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (child->end != ChildOutcome::End::done)
    return engine::refused_error(fmt::format("[{}] {}", sweep.label(point),
                                             child->end == ChildOutcome::End::stopped ? "stopped" : child->message));
  const auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  const std::vector<double> steps = profiler::timed_steps_ns(**capture);
  return SweepCostBase{.label = sweep.label(point),
                       .steps = static_cast<int>(steps.size()),
                       .step_ns = profiler::median(steps),
                       .predicted_ns = predicted_ns,
                       .process_s = seconds};
}

std::string seconds_words(double seconds) {
  return profiler::format_quantity(1e9 * seconds, profiler::Quantity::duration_ns);
}

}  // namespace

std::vector<size_t> base_places(const std::vector<double>& predicted_ns, int steps) {
  constexpr double kMostNs = 10e9;
  std::vector<size_t> places{static_cast<size_t>(std::ranges::min_element(predicted_ns) - predicted_ns.begin())};
  std::optional<size_t> slowest;
  for (size_t i = 0; i < predicted_ns.size(); ++i) {
    const double process_ns = (steps > 0 ? steps : steps_for(predicted_ns[i])) * predicted_ns[i];
    if (i != places[0] && process_ns <= kMostNs && (!slowest || predicted_ns[i] > predicted_ns[*slowest])) slowest = i;
  }
  if (slowest) places.push_back(*slowest);
  return places;
}

void estimate(SweepCost& cost, const std::vector<double>& predicted_ns) {
  cost.low_s = cost.likely_s = cost.high_s = kUnknown;
  if (cost.base.empty()) {
    cost.why_unknown = cost.points == 0 ? "no point fits into memory" : "no point was measured";
    return;
  }
  std::vector<double> ratios, overheads;
  for (const SweepCostBase& base : cost.base) {
    ratios.push_back(ratio_of(base));
    overheads.push_back(overhead_s(base));
  }
  const bool unpredicted = std::ranges::any_of(ratios, [](double r) { return !(r > 0); }) ||
                           std::ranges::any_of(predicted_ns, [](double ns) { return !(ns > 0); });
  if (unpredicted) {
    cost.why_unknown = "the roofs of this machine are unknown, so points cannot be predicted; run `tensortide probe`";
    return;
  }
  const auto total = [&](double ratio, double overhead, int samples) {
    double seconds = 0;
    for (const double ns : predicted_ns)
      seconds += overhead + 1e-9 * (cost.steps > 0 ? cost.steps : steps_for(ns)) * ns * ratio;
    return seconds * samples;
  };
  const auto [least, most] = std::ranges::minmax(ratios);
  const auto [quick, slow] = std::ranges::minmax(overheads);
  const double mean_ratio = std::sqrt(least * most), mean_overhead = 0.5 * (quick + slow);
  cost.low_s = total(least, quick, cost.least_samples);
  cost.likely_s = total(mean_ratio, mean_overhead, cost.least_samples);
  cost.high_s = total(most, slow, cost.most_samples);
}

Result<SweepCost> sweep_cost(const SweepOptions& options, const std::function<void(const SweepProgress&)>& progress,
                             const std::atomic<bool>& stop) {
  const Result<profiler::Sweep> sweep = predicted_sweep(options, progress, stop);
  if (!sweep) return sweep.error();
  SweepCost cost;
  cost.least_samples = options.request.least_samples;
  cost.most_samples = options.request.most_samples;
  cost.steps = options.base.steps;
  std::vector<size_t> runs;
  for (size_t i = 0; i < sweep->points.size(); ++i) {
    if (sweep->points[i].outcome == profiler::PointOutcome::pending) runs.push_back(i);
  }
  cost.points = runs.size();
  cost.out_of_memory = sweep->points.size() - runs.size();
  std::vector<double> predicted;
  for (const size_t point : runs) predicted.push_back(sweep->points[point].predicted.step_ns);
  if (!runs.empty()) {
    for (const size_t place : base_places(predicted, options.base.steps)) {
      if (progress) {
        progress({.stage = "measuring",
                  .label = sweep->label(runs[place]),
                  .fraction = 0.5,
                  .point = runs[place],
                  .sample = 1,
                  .step_ns = kUnknown});
      }
      Result<SweepCostBase> base = measured(options, *sweep, runs[place], predicted[place], stop);
      if (!base) return base.error();
      cost.base.push_back(*std::move(base));
    }
  }
  estimate(cost, predicted);
  return cost;
}

std::string sweep_cost_words(const SweepCost& cost) {
  std::string text = profiler::counted(cost.points, "point");
  if (cost.out_of_memory > 0)
    text +=
        fmt::format(" ({} more {} not fit into memory)", cost.out_of_memory, cost.out_of_memory == 1 ? "does" : "do");
  text += fmt::format(", {} to {} processes each.\n", cost.least_samples, cost.most_samples);
  if (std::isnan(cost.likely_s)) {
    text += fmt::format("The time of this sweep is unknown: {}.\n", cost.why_unknown);
  } else {
    text += fmt::format("This sweep takes about {} (extrapolated), between {} and {}.\n", seconds_words(cost.likely_s),
                        seconds_words(cost.low_s), seconds_words(cost.high_s));
  }
  std::vector<std::string> parts;
  for (const SweepCostBase& base : cost.base) {
    const double ratio = ratio_of(base);
    parts.push_back(fmt::format("{}: {} of {}{}, the process {}", base.label,
                                profiler::counted(static_cast<uint64_t>(base.steps), "step"),
                                profiler::format_quantity(base.step_ns, profiler::Quantity::duration_ns),
                                ratio > 0 ? fmt::format(" ({:.2g} times the prediction)", ratio) : std::string(),
                                seconds_words(base.process_s)));
  }
  if (!parts.empty()) text += fmt::format("Base (measured): {}.\n", fmt::join(parts, "; "));
  return text;
}

}  // namespace app
