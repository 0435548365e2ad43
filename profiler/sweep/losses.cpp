// SPDX-License-Identifier: Apache-2.0
// Losses by point and number of steps.
#include "profiler/sweep/losses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "engine/base/display_text.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

constexpr double kLearns = 0.99;  ///< of the loss after the first step; ours

std::map<int, std::vector<double>> by_steps(const SweepPoint& point) {
  std::map<int, std::vector<double>> found;
  for (const SweepSample& sample : point.samples) {
    for (const SweepLoss& loss : sample.losses) found[loss.steps].push_back(loss.loss);
  }
  return found;
}

std::vector<SweepLoss> medians(const std::map<int, std::vector<double>>& losses, size_t least = 1) {
  std::vector<SweepLoss> all;
  for (const auto& [steps, values] : losses) {
    if (values.size() >= least) all.push_back({steps, median(values)});
  }
  return all;
}

/// "preset=f16 batch=4": every axis but the seed's.
std::string label_without_seed(const Sweep& sweep, size_t point) {
  const std::vector<size_t> at = sweep.position(point);
  std::vector<std::string> parts;
  for (size_t a = 0; a < at.size(); ++a) {
    const SweepAxis& axis = sweep.request.axes[a];
    if (axis.name != kSeedAxis)
      parts.push_back(fmt::format("{}={}", axis.name, engine::display_line(axis.values[at[a]])));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string number(double loss) { return fmt::format("{:.3g}", loss); }

Cell known(double value) { return std::isnan(value) ? Cell() : Cell(value); }

}  // namespace

double loss_after(const SweepPoint& point, int steps) {
  const auto all = by_steps(point);
  const auto found = all.find(steps);
  return found == all.end() ? kUnknown : median(found->second);
}

int last_common_steps(const Sweep& sweep) {
  const auto has = [](const SweepPoint& point, int steps) {
    return std::ranges::any_of(point.samples, [&](const SweepSample& sample) {
      return std::ranges::find(sample.losses, steps, &SweepLoss::steps) != sample.losses.end();
    });
  };
  const auto trained = [](const SweepPoint& point) {
    return std::ranges::any_of(point.samples, [](const SweepSample& sample) { return !sample.losses.empty(); });
  };
  const auto first = std::ranges::find_if(sweep.points, trained);
  if (first == sweep.points.end()) return 0;
  const auto candidates = by_steps(*first);
  for (auto at = candidates.rbegin(); at != candidates.rend(); ++at) {
    if (std::ranges::all_of(sweep.points, [&](const SweepPoint& p) { return !trained(p) || has(p, at->first); }))
      return at->first;
  }
  return 0;
}

std::vector<LossCurve> loss_curves(const Sweep& sweep) {
  std::vector<LossCurve> curves;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    LossRun run{i, medians(by_steps(sweep.points[i]))};
    if (run.losses.empty()) continue;
    const std::string label = label_without_seed(sweep, i);
    auto found = std::ranges::find(curves, label, &LossCurve::label);
    if (found == curves.end()) found = curves.insert(curves.end(), LossCurve{label, {}, {}});
    found->runs.push_back(std::move(run));
  }
  for (LossCurve& curve : curves) {
    std::map<int, std::vector<double>> all;
    for (const LossRun& run : curve.runs) {
      for (const SweepLoss& loss : run.losses) all[loss.steps].push_back(loss.loss);
    }
    curve.median = medians(all, curve.runs.size());
  }
  return curves;
}

FinalLoss final_loss(const LossCurve& curve, int steps) {
  FinalLoss found{steps, kUnknown, kUnknown, kUnknown, false};
  std::vector<double> last;
  for (const LossRun& run : curve.runs) {
    const auto at = std::ranges::find(run.losses, steps, &SweepLoss::steps);
    if (at != run.losses.end()) last.push_back(at->loss);
  }
  if (last.empty()) return found;
  found.median = median(last);
  const auto [least, most] = std::ranges::minmax(last);
  found.least = least, found.most = most;
  found.stuck =
      !curve.median.empty() && curve.median.front().steps < steps && found.median > kLearns * curve.median.front().loss;
  return found;
}

Table sweep_final_losses_table(const Sweep& sweep) {
  Table table{.name = "final_losses", .columns = {}, .rows = {}, .row_ops = {}};
  table.columns = {
      {"settings", "Settings", Quantity::text, Origin::exact, "Every axis but the seed"},
      {"seeds_count", "Seeds", Quantity::count, Origin::exact, "Trainings that differ in the seed alone"},
      {"steps_count", "Steps", Quantity::count, Origin::exact,
       "Steps of training, warm-up included: the most that all points have"},
      {"loss", "Loss", Quantity::text, Origin::measured, "Median over the seeds after these steps"},
      {"loss_least", "Least", Quantity::text, Origin::measured, "Smallest of them"},
      {"loss_most", "Largest", Quantity::text, Origin::measured, "Largest of them"},
      {"learns", "Learns", Quantity::text, Origin::measured, "no: the loss fell by under 1 % since the first step"},
      {"step_ns", "Step", Quantity::duration_ns, Origin::measured, "Median over the seeds of each one's step"},
      {"compulsory_bytes", "Compulsory", Quantity::bytes, Origin::exact,
       "Each operand's bytes once per op, per step; copies in another number format included"},
      {"weight_compulsory_bytes", "Weights", Quantity::bytes, Origin::exact, "Of these, bytes of parameters"},
      {"memory_bytes", "Memory", Quantity::bytes, Origin::exact, "As planned"}};
  const int steps = last_common_steps(sweep);
  for (const LossCurve& curve : loss_curves(sweep)) {
    const FinalLoss last = final_loss(curve, steps);
    std::vector<double> times;
    for (const LossRun& run : curve.runs)
      times.push_back(sample_spread(sweep.points[run.point], sweep.request.least_samples).median);
    const SweepFigures& figures = sweep.points[curve.runs.front().point].found;
    const auto loss = [](double value) { return std::isnan(value) ? Cell() : Cell(fmt::format("{:.6g}", value)); };
    table.rows.push_back(
        {curve.label.empty() ? Cell(std::string("all")) : Cell(curve.label), static_cast<double>(curve.runs.size()),
         steps > 0 ? Cell(static_cast<double>(steps)) : Cell(), loss(last.median), loss(last.least), loss(last.most),
         std::isnan(last.median) ? Cell() : Cell(std::string(last.stuck ? "no" : "yes")), known(median(times)),
         known(figures.compulsory_bytes), known(figures.weight_compulsory_bytes), known(figures.memory_bytes)});
  }
  return table;
}

std::vector<std::string> loss_sentences(const Sweep& sweep) {
  std::vector<std::string> sentences;
  const int steps = last_common_steps(sweep);
  if (steps == 0) return sentences;
  for (const LossCurve& curve : loss_curves(sweep)) {
    const FinalLoss last = final_loss(curve, steps);
    const std::string spread = curve.runs.size() > 1 ? say(" ({} to {} over {})", number(last.least), number(last.most),
                                                           counted(curve.runs.size(), "seed"))
                                                     : std::string();
    const std::string loss = number(last.median) + spread, after = counted(static_cast<uint64_t>(steps), "step");
    std::string sentence = curve.label.empty()
                               ? say("The loss is {} after {} of training (measured).", loss, after)
                               : say("{}: the loss is {} after {} of training (measured).", curve.label, loss, after);
    if (last.stuck) sentence += say(" It does not fall: nothing was learned.");
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::string loss_headline(const Sweep& sweep) {
  const int steps = last_common_steps(sweep);
  if (steps == 0) return {};
  std::vector<std::string> parts;
  for (const LossCurve& curve : loss_curves(sweep)) {
    const std::string loss = number(final_loss(curve, steps).median);
    parts.push_back(curve.label.empty() ? loss : fmt::format("{} ({})", loss, curve.label));
  }
  return say("Loss after {}: {}", counted(static_cast<uint64_t>(steps), "step"), fmt::join(parts, ", "));
}

std::vector<StepLosses> sweep_losses(const Sweep& sweep) {
  std::vector<StepLosses> all;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    for (const auto& [steps, losses] : by_steps(sweep.points[i])) {
      const auto [least, most] = std::ranges::minmax(losses);
      all.push_back({i, steps, losses.size(), median(losses), least, most});
    }
  }
  return all;
}

Table sweep_losses_table(const Sweep& sweep) {
  Table table{.name = "losses", .columns = {}, .rows = {}, .row_ops = {}};
  for (const SweepAxis& axis : sweep.request.axes)
    table.columns.push_back({axis.name, axis.name, Quantity::text, Origin::exact, say("Setting of this point")});
  table.columns.push_back(
      {"steps_count", "Steps", Quantity::count, Origin::exact, "Steps that trained so far, warm-up included"});
  table.columns.push_back(
      {"processes_count", "Processes", Quantity::count, Origin::exact, "Processes that ran as many steps"});
  table.columns.push_back({"loss", "Loss", Quantity::text, Origin::measured,
                           "Median over the processes; computed by the run in its dtype"});
  table.columns.push_back({"loss_least", "Least", Quantity::text, Origin::measured, "Smallest of them"});
  table.columns.push_back({"loss_most", "Largest", Quantity::text, Origin::measured, "Largest of them"});
  const auto text = [](double loss) { return fmt::format("{:.6g}", loss); };
  for (const StepLosses& l : sweep_losses(sweep)) {
    const std::vector<size_t> at = sweep.position(l.point);
    std::vector<Cell> row;
    for (size_t axis = 0; axis < at.size(); ++axis) row.emplace_back(sweep.request.axes[axis].values[at[axis]]);
    row.insert(row.end(), {static_cast<double>(l.steps), static_cast<double>(l.processes), text(l.median),
                           text(l.least), text(l.most)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace profiler
