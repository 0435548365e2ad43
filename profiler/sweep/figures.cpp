// SPDX-License-Identifier: Apache-2.0
// Counts, bytes and limits of one point.
#include "profiler/sweep/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "profiler/analysis/base/dependent_chain.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/batch.h"

namespace profiler {
namespace {

double weight(const RoleBytes& bytes) { return bytes[static_cast<size_t>(Role::weight)]; }

std::vector<SweepLink> links_of(const Capture& capture, const TrafficModel& model) {
  std::vector<SweepLink> links;
  double compulsory = 0;
  for (const OpRecord& op : capture.ops()) compulsory += compulsory_read(capture, op) + compulsory_written(capture, op);
  for (size_t i = 0; i < model.links.size(); ++i) {
    SweepLink link{.outer = model.links[i], .inner = model.inner[i], .compulsory_bytes = compulsory};
    if (!model.known) link.modelled_bytes = link.weight_bytes = kUnknown;
    for (const OpRecord& op : capture.ops()) {
      if (!model.known) break;
      const TrafficModel::OpLevel& moved = model.op_levels[op.id][i];
      link.modelled_bytes += moved.total();
      link.weight_bytes += weight(moved.read) + weight(moved.written);
    }
    links.push_back(std::move(link));
  }
  return links;
}

/// What shapes and plan tell.
SweepFigures figures_counted(const Capture& capture, const TrafficModel& model) {
  SweepFigures f;
  f.flops = f.compulsory_bytes = f.weight_compulsory_bytes = 0;
  f.samples = batch_of(capture);
  for (const OpRecord& op : capture.ops()) {
    f.flops += op.flops;
    f.compulsory_bytes += compulsory_read(capture, op) + compulsory_written(capture, op);
    for (const OperandRecord& operand : capture.operands(op)) {
      if (operand.role == Role::weight && !op.view)
        f.weight_compulsory_bytes += static_cast<double>(operand.read_bytes + operand.written_bytes);
    }
  }
  f.ops = static_cast<double>(std::ranges::count(capture.ops(), false, &OpRecord::view));
  f.in_a_row = f.in_all = 0;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    const auto chain = dependent_chain(capture, op);
    f.in_a_row += chain ? chain->in_a_row : kUnknown, f.in_all += chain ? chain->in_all : kUnknown;
  }
  if (!(f.in_a_row > 0)) f.in_a_row = f.in_all = kUnknown;
  // A device that runs no kernel does none of that work: a rate of it would be none.
  if (!capture.computed()) f.flops = f.compulsory_bytes = f.weight_compulsory_bytes = std::nan("");
  const RunInfo& run = capture.run();
  f.memory_bytes = static_cast<double>(run.persistent_bytes) + static_cast<double>(run.arena_bytes) +
                   static_cast<double>(run.workspace_bytes);
  f.links = links_of(capture, model);
  return f;
}

std::string longest(const std::map<std::string, double>& times) {
  const auto most = std::ranges::max_element(times, {}, [](const auto& entry) { return entry.second; });
  return most == times.end() ? std::string() : most->first;
}

}  // namespace

SweepFigures found_figures(const Analyzed& analyzed) {
  SweepFigures f = figures_counted(*analyzed.capture, analyzed.model);
  const Summary s = summary(analyzed);
  f.step_ns = s.step_ns.median;
  if (analyzed.sources.of(Origin::simulated) != nullptr) {
    for (SweepLink& link : f.links) {
      link.simulated_bytes = 0;
      for (const OpRecord& op : analyzed.capture->ops())
        link.simulated_bytes +=
            known_bytes(analyzed, Origin::simulated, op.id, link.outer);  // of one op unknown: of all
    }
  }
  f.roof_ratio = s.roof_ratio;
  if (!s.limiters.empty() && s.limiters.front().bound != Bound::unknown)
    f.limit = cause_words(s.limiters.front().bound, s.limiters.front().level);
  return f;
}

std::string simulation_words(const Analyzed& analyzed) {
  const TrafficSource* source = analyzed.sources.of(Origin::simulated);
  if (source == nullptr) return {};
  std::string text = source->method.empty() ? std::string("Simulated.") : source->method;
  size_t unknown = 0;
  std::string why;
  for (const OpRecord& op : analyzed.capture->ops()) {
    if (analyzed.model.links.empty() ||
        !std::isnan(known_bytes(analyzed, Origin::simulated, op.id, analyzed.model.links.front())))
      continue;
    ++unknown;
    if (why.empty() && op.id < source->op_notes.size()) why = source->op_notes[op.id];
  }
  if (unknown > 0 && !source->records.empty())
    text += fmt::format(" The bytes of {} of {} are unknown{}", unknown, counted(analyzed.capture->ops().size(), "op"),
                        why.empty() ? "." : ": " + why);
  return text;
}

SweepFigures predicted_figures(const Capture& planned) {
  const TrafficModel model = model_traffic(planned);
  SweepFigures f = figures_counted(planned, model);
  double step_ns = 0, peak_ns = 0;
  std::map<std::string, double> by_limit;
  for (const OpRecord& op : planned.ops()) {
    if (op.view) continue;
    const OpLimits limits = op_limits(planned, model, op);
    if (!limits.known || !limits.chain_known) return f;  // the roof of a chain is its latency, not the bandwidth
    const double roofs_ns = std::max(limits.compute_ns, limits.data_ns(0, 1));
    // Loads that wait for each other, or that no prefetcher foresees, take their latencies however wide the links are.
    const Waiting waiting =
        find_waiting(planned, model, op, limits, VerdictRules::built_in(), std::numeric_limits<double>::infinity());
    const double waiting_ns = std::accumulate(waiting.ns.begin(), waiting.ns.end(), 0.0),
                 op_ns = std::max({roofs_ns, waiting_ns, limits.chain_ns});
    const auto longest_wait = std::ranges::max_element(waiting.ns);
    step_ns += op_ns;
    peak_ns += limits.compute_ns;
    if (limits.chain_ns > std::max(roofs_ns, waiting_ns)) {
      by_limit[std::string(kChainLevel) + " latency"] += op_ns;
      continue;
    }
    by_limit[waiting_ns > roofs_ns
                 ? limits.levels[static_cast<size_t>(longest_wait - waiting.ns.begin())].level + " latency"
                 : limits.nearest_roof()] += op_ns;
  }
  if (!(step_ns > 0)) return f;
  f.step_ns = step_ns;
  f.roof_ratio = peak_ns / step_ns;
  f.limit = longest(by_limit);
  return f;
}

}  // namespace profiler
