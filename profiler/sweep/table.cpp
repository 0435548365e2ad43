// SPDX-License-Identifier: Apache-2.0
// A sweep as tables: one row per point, one row per series.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/losses.h"
#include "profiler/sweep/schedule.h"
#include "profiler/sweep/setting.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isnan(value) ? Cell() : Cell(value); }
Cell text(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

bool has_threads(const Sweep& sweep) {
  return std::ranges::find(sweep.request.axes, "threads", &SweepAxis::name) != sweep.request.axes.end();
}

/// Whether the steps of some point are chains of dependent operations.
bool has_chains(const Sweep& sweep) {
  return std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return figures_of(p).in_a_row > 0; });
}

/// The links of the first point that has any.
std::vector<SweepLink> links_of(const Sweep& sweep) {
  for (const SweepPoint& point : sweep.points) {
    if (!figures_of(point).links.empty()) return figures_of(point).links;
  }
  return {};
}

/// Whether some point has simulated bytes of a link of this name.
bool simulated(const Sweep& sweep, const SweepLink& wanted) {
  return std::ranges::any_of(sweep.points, [&](const SweepPoint& p) {
    return std::ranges::any_of(p.found.links, [&](const SweepLink& l) {
      return l.outer == wanted.outer && l.inner == wanted.inner && !std::isnan(l.simulated_bytes);
    });
  });
}

/// The links that some point has simulated bytes of; each look goes through all points.
std::vector<SweepLink> simulated_links(const Sweep& sweep) {
  std::vector<SweepLink> links = links_of(sweep);
  std::erase_if(links, [&sweep](const SweepLink& link) { return !simulated(sweep, link); });
  return links;
}

/// Columns of what the cache simulation found.
void add_simulated(std::vector<Column>& columns, const std::vector<SweepLink>& links) {
  for (const SweepLink& link : links) {
    const std::string key = fmt::format("{}_{}_simulated", link.outer, link.inner),
                      title = say("{}->{} sim.", link.outer, link.inner);
    columns.push_back({key + "_bytes", title, Quantity::bytes, Origin::simulated,
                       say("Bytes over this link per step, by the cache simulation; unknown where an "
                           "op has no access model")});
    columns.push_back({key + "_bytes_per_s", title + "/s", Quantity::bytes_per_s, Origin::simulated,
                       say("Simulated bytes over this link / step (measured)")});
  }
}

std::vector<Column> point_columns(const Sweep& sweep, const std::vector<SweepLink>& with_simulation) {
  std::vector<Column> columns;
  for (const SweepAxis& axis : sweep.request.axes) {
    columns.push_back({axis.name, axis.name, Quantity::text, Origin::exact, say("Setting of this point")});
  }
  const auto add = [&](const char* key, const char* title, Quantity quantity, Origin origin, const char* help) {
    columns.push_back({key, title, quantity, origin, help});
  };
  add("outcome", "Outcome", Quantity::text, Origin::exact, "measured, out of memory, failed, or pending");
  add("processes", "Processes", Quantity::count, Origin::exact,
      "Fresh processes that ran this point, in turn with the other points");
  add("step_ns", "Step", Quantity::duration_ns, Origin::measured,
      "Median over the processes of each one's median step");
  add("step_low_ns", "Low", Quantity::duration_ns, Origin::measured,
      "Lower end of the 95 % interval of the median (fewer than 6 processes: the fastest)");
  add("step_high_ns", "High", Quantity::duration_ns, Origin::measured,
      "Upper end of that interval (fewer than 6: the slowest)");
  add("noise_ratio", "Noise", Quantity::percent_of, Origin::measured,
      "Standard error of the mean over processes / mean");
  add("background_load_ratio", "Load", Quantity::percent_of, Origin::measured,
      "Share of the processors that other programs used, median over the processes");
  add("queued_ratio", "Queued", Quantity::percent_of, Origin::measured,
      "Part of a step for which a thread waited for a processor (kernel's account, longest thread), median over "
      "processes");
  add("unsteady_processes", "Unsteady clock", Quantity::count, Origin::measured,
      "Processes that were throttled, or with a clock rate that changed or differed by over 5 %; left out where enough "
      "others ran");
  if (last_common_steps(sweep) > 0)
    add("loss", "Loss", Quantity::count, Origin::measured,
        "Median over the processes of the loss after the last count of steps that all points have");
  add("sample_ns", "Per sample", Quantity::duration_ns, Origin::measured,
      "Step / batch (of latency_ladder: / accesses); unknown where the workload has no batch");
  add("samples_per_s", "Samples/s", Quantity::count, Origin::measured,
      "Batch / step; unknown where the workload has no batch");
  if (has_chains(sweep)) {
    add("each_ns", "Time of each", Quantity::duration_ns, Origin::measured,
        "Step / operations of which each needs the one before: the latency where few chains run at once");
    add("operations_per_s", "Operations/s", Quantity::count, Origin::measured,
        "Operations of all chains / step: the throughput");
  }
  add("flop_per_s", "FLOP/s", Quantity::flop_per_s, Origin::measured, "FLOPs (exact) / step (measured)");
  add("roof_ratio", "Of peak", Quantity::percent_of, Origin::measured,
      "FLOP/s over this machine's measured arithmetic peak");
  add("flops", "FLOPs", Quantity::flops, Origin::exact, "Per step, counted from shapes");
  add("ops_count", "Ops", Quantity::count, Origin::exact,
      "Ops of a step that run a kernel: its launches; views are none");
  add("compulsory_bytes_per_s", "Compulsory/s", Quantity::bytes_per_s, Origin::measured,
      "Compulsory bytes (exact) / step (measured): each operand's bytes once per op");
  add("compulsory_bytes", "Compulsory", Quantity::bytes, Origin::exact, "Each operand's bytes once per op, per step");
  for (const SweepLink& link : links_of(sweep)) {
    columns.push_back({fmt::format("{}_{}_bytes", link.outer, link.inner),
                       fmt::format("{}->{}", link.outer, link.inner), Quantity::bytes, Origin::modelled,
                       say("Bytes over this link per step, by the traffic model")});
  }
  add_simulated(columns, with_simulation);
  add("compulsory_bytes_per_sample", "Compulsory/sample", Quantity::bytes, Origin::exact,
      "Each operand's bytes once per op, per sample");
  add("weight_bytes_per_sample", "Weights/sample", Quantity::bytes, Origin::exact,
      "Compulsory bytes of parameters, per sample: falls as 1 / batch");
  for (const SweepLink& link : links_of(sweep)) {
    columns.push_back({fmt::format("{}_{}_bytes_per_sample", link.outer, link.inner),
                       say("{}->{}/sample", link.outer, link.inner), Quantity::bytes, Origin::modelled,
                       say("Bytes over this link per sample, by the traffic model")});
  }
  if (has_threads(sweep)) {
    add("speed_up_ratio", "Speed-up", Quantity::ratio, Origin::measured,
        "Step with one thread / step, all else the same");
    add("efficiency_ratio", "Efficiency", Quantity::percent_of, Origin::measured, "Speed-up / threads");
  }
  add("step_energy_j", "Energy", Quantity::energy_j, Origin::measured,
      "Of the processor packages per step, other programs' part included; unknown where the machine has no counter");
  add("sample_energy_j", "Energy/sample", Quantity::energy_j, Origin::measured, "Energy of a step / batch");
  add("memory_bytes", "Memory", Quantity::bytes, Origin::exact,
      "Parameters, states, inputs, activations and scratch, as planned");
  add("predicted_step_ns", "Predicted", Quantity::duration_ns, Origin::modelled,
      "Before the run: the sum over the ops of the nearest roof's time. A lower bound");
  add("limit", "Limited by", Quantity::text, Origin::modelled,
      "What takes most of the step, by the verdicts of the last process");
  add("message", "Message", Quantity::text, Origin::exact, "The message of the run where there is no figure");
  return columns;
}

std::vector<Cell> point_row(const Sweep& sweep, size_t index, const std::vector<SweepLink>& links,
                            const std::vector<SweepLink>& with_simulation, int loss_steps) {
  const SweepPoint& point = sweep.points[index];
  const bool ran = !point.samples.empty();
  const SweepFigures& f = ran ? point.found : point.predicted;
  const int least = sweep.request.least_samples;
  const Spread step = sample_spread(point, least);
  const double step_ns = ran ? step.median : kUnknown;
  std::vector<double> loads;
  for (const SweepSample& sample : point.samples) loads.push_back(sample.foreign_load_ratio);
  const auto unsteady = static_cast<double>(std::ranges::count_if(point.samples, &SweepSample::unsteady_clock));
  std::vector<Cell> row;
  const std::vector<size_t> at = sweep.position(index);
  for (size_t axis = 0; axis < at.size(); ++axis) row.emplace_back(sweep.request.axes[axis].values[at[axis]]);
  row.insert(row.end(),
             {std::string(name(point.outcome)), static_cast<double>(point.samples.size()), cell(step_ns),
              cell(ran ? step.low : kUnknown), cell(ran ? step.high : kUnknown), cell(sample_noise(point, least)),
              cell(median(loads)), cell(queued_ratio(point, least)), ran ? Cell(unsteady) : Cell()});
  if (loss_steps > 0) row.push_back(cell(loss_after(point, loss_steps)));
  row.insert(row.end(), {cell(step_ns / f.samples), cell(f.samples / step_ns * 1e9)});
  if (has_chains(sweep)) row.insert(row.end(), {cell(step_ns / f.in_a_row), cell(f.in_all / step_ns * 1e9)});
  row.insert(
      row.end(),
      {cell(f.flops / step_ns * 1e9),
       cell(ran && !above_roof(f.roof_ratio * f.step_ns / step_ns) ? f.roof_ratio * f.step_ns / step_ns : kUnknown),
       cell(f.flops), cell(f.ops), cell(f.compulsory_bytes / step_ns * 1e9), cell(f.compulsory_bytes)});
  // By name: another device of the sweep may have other links.
  const auto moved = [&](const SweepLink& wanted) {
    const auto link = std::ranges::find_if(
        f.links, [&](const SweepLink& l) { return l.outer == wanted.outer && l.inner == wanted.inner; });
    if (link != f.links.end()) return *link;
    SweepLink none = wanted;
    none.modelled_bytes = none.simulated_bytes = kUnknown;
    return none;
  };
  for (const SweepLink& link : links) row.push_back(cell(moved(link).modelled_bytes));
  for (const SweepLink& link : with_simulation) {
    const double bytes = moved(link).simulated_bytes;
    row.insert(row.end(), {cell(bytes), cell(bytes / step_ns * 1e9)});
  }
  row.insert(row.end(), {cell(f.compulsory_bytes / f.samples), cell(f.weight_compulsory_bytes / f.samples)});
  for (const SweepLink& link : links) row.push_back(cell(moved(link).modelled_bytes / f.samples));
  if (has_threads(sweep)) {
    const double gain = speed_up(sweep, index);
    row.insert(row.end(), {cell(gain), cell(gain / std::atof(setting_of(sweep, index, "threads").c_str()))});
  }
  const double joules = step_energy_j(point, least);
  row.insert(row.end(), {cell(joules), cell(joules / f.samples), cell(f.memory_bytes), cell(point.predicted.step_ns),
                         text(ran ? point.found.limit : std::string()), text(point.message)});
  return row;
}

}  // namespace

Table sweep_table(const Sweep& sweep) {
  const std::vector<SweepLink> links = links_of(sweep), with_simulation = simulated_links(sweep);
  Table table{.name = "sweep", .columns = point_columns(sweep, with_simulation), .rows = {}, .row_ops = {}};
  const int loss_steps = last_common_steps(sweep);
  for (size_t i = 0; i < sweep.points.size(); ++i)
    table.rows.push_back(point_row(sweep, i, links, with_simulation, loss_steps));
  return table;
}

bool ops_vary(const Sweep& sweep) {
  return std::ranges::any_of(sweep.points, [&](const SweepPoint& p) {
    return figures_of(p).ops > 0 && figures_of(p).ops != figures_of(sweep.points.front()).ops;
  });
}

Table sweep_series_table(const Sweep& sweep) {
  Table table{.name = "series", .columns = {}, .rows = {}, .row_ops = {}};
  table.columns = {{"series", "Series", Quantity::text, Origin::exact, "The settings of the other axes"},
                   {"axis", "Along", Quantity::text, Origin::exact, "The numeric axis"},
                   {"knee", "Knee", Quantity::count, Origin::measured,
                    "Where time per step turns from a plateau to growing with the axis: max(a, b x) fitted to the "
                    "measured steps in ln t"},
                   {"predicted_knee", "Predicted", Quantity::count, Origin::modelled,
                    "The same fit to the times the roofs predicted before the run"},
                   {"knee_ratio", "Found / predicted", Quantity::ratio, Origin::measured, "Knee over predicted knee"},
                   {"as_one_count", "As one sample", Quantity::count, Origin::measured,
                    "The largest batch up to which a step takes at most 1.1 times as long as one sample"},
                   {"predicted_as_one_count", "As one, predicted", Quantity::count, Origin::modelled,
                    "The same of the times the roofs predicted before the run"},
                   {"limit_left", "Limited left", Quantity::text, Origin::modelled, "What binds at the first point"},
                   {"limit_right", "Limited right", Quantity::text, Origin::modelled, "What binds at the last point"},
                   {"serial_ratio", "Serial part", Quantity::percent_of, Origin::measured,
                    "Amdahl's serial share, fitted over threads up to the cores"},
                   {"serial_low_ratio", "Serial, low", Quantity::percent_of, Origin::measured,
                    "Lower end of its 95 % interval; with two thread counts, of what their spread allows"},
                   {"serial_high_ratio", "Serial, high", Quantity::percent_of, Origin::measured, "Upper end of it"},
                   {"cliffs", "Cache cliffs", Quantity::text, Origin::modelled,
                    "Where bytes over a link, per unit of work, jump by half or more"},
                   {"cliff_unit", "Per", Quantity::text, Origin::exact,
                    "The unit of work: a step where all do the same; a sample along a batch; else a compulsory byte "
                    "(STREAM) or a FLOP"}};
  for (const SweepSeries& series : sweep_series(sweep)) {
    const double found = series.knee ? series.knee->x : kUnknown,
                 predicted = series.predicted_knee ? series.predicted_knee->x : kUnknown;
    std::vector<std::string> cliffs;
    for (const CacheCliff& cliff : series.cliffs) cliffs.push_back(say("{} at {:g}", cliff.inner, cliff.x));
    table.rows.push_back(
        {series.label.empty() ? Cell(std::string("all")) : Cell(series.label), sweep.request.axes[series.axis].name,
         cell(found), cell(predicted), cell(found / predicted), cell(series.almost ? series.almost->x : kUnknown),
         cell(series.predicted_almost ? series.predicted_almost->x : kUnknown), text(series.limit_left),
         text(series.limit_right), cell(series.amdahl ? series.amdahl->serial_ratio : kUnknown),
         cell(series.amdahl ? series.amdahl->serial_low : kUnknown),
         cell(series.amdahl ? series.amdahl->serial_high : kUnknown), text(fmt::format("{}", fmt::join(cliffs, ", "))),
         std::string(name(series.unit))});
  }
  return table;
}

}  // namespace profiler
