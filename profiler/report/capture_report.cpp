// SPDX-License-Identifier: Apache-2.0
// The report of one capture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/base/display_text.h"
#include "profiler/analysis/allocated.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/traffic.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

constexpr double kWorthAChart = 0.10;  // of a step
constexpr size_t kMostCharts = 3;

/// What a chart would show: how much of the step it explains, and in which words.
struct Candidate {
  const char* key;
  bool drawable;
  double share;
  std::string why;
  const char* not_drawn;  ///< why not, where it is not drawable
};

std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }

/// The part of a step that these limits take.
double share_of(const Summary& s, std::initializer_list<Bound> bounds) {
  double sum = 0;
  for (const Limiter& limiter : s.limiters)
    sum += std::ranges::find(bounds, limiter.bound) != bounds.end() ? limiter.share : 0;
  return sum;
}

std::vector<Candidate> candidates(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const Traffic all = traffic(capture, analyzed.model, {});
  const Summary s = summary(analyzed);
  const bool bytes = !all.links.empty() && all.links.front().compulsory_total() > 0;
  const Roofline lines = roofline(capture, analyzed.model);
  const bool dots = std::ranges::any_of(
      lines.points, [](const RooflinePoint& p) { return std::isfinite(p.intensity) && p.flop_per_s > 0; });
  const bool memory = footprint(capture).peak_bytes > 0 || !allocated_series(capture).empty();
  const double moved = share_of(s, {Bound::memory, Bound::latency, Bound::balanced}),
               computed = share_of(s, {Bound::compute, Bound::overhead, Bound::parallelism});
  const StepParts parts = step_parts(analyzed);
  const double varies = parts.known() && parts.has_rest() ? std::abs(parts.rest_ns / parts.step_ns) : 0;
  const double outside = std::isnan(s.untimed_ratio) ? 0 : s.untimed_ratio;
  const double waits = std::max({outside, varies,
                                 share_of(s, {Bound::dispatch, Bound::launch, Bound::transfer, Bound::communication,
                                              Bound::waiting, Bound::too_short})});
  double freed = 0;
  for (const RunFinding& finding : findings(analyzed)) freed = std::max(freed, finding.saved_bytes);
  return {
      {"traffic", bytes, moved, fmt::format("Memory limits {} of the step.", percent(moved)),
       "Traffic, because it is unknown which bytes the ops read and write"},
      {"roofline", dots, computed,
       fmt::format("{} of the step is limited by arithmetic, or below its roof.", percent(computed)),
       "Roofline, because no op has known FLOPs, bytes and a time"},
      {"timeline", true, waits,
       waits > varies ? fmt::format("{} of the step passes without useful work.", percent(waits))
                      : fmt::format("Step-to-step variation is {} of the step.", percent(varies)),
       ""},
      {"memory", memory, freed > 0 ? kWorthAChart : 0,
       fmt::format("A finding frees {} of memory.", format_quantity(freed, Quantity::bytes)),
       "Memory, because it is unknown which tensors live when"},
  };
}

/// Those that explain most of the step; where none does, the timeline.
std::vector<Report::Chart> charts_of(const std::vector<Candidate>& all) {
  std::vector<Candidate> worth;
  std::ranges::copy_if(all, std::back_inserter(worth),
                       [](const Candidate& c) { return c.drawable && c.share >= kWorthAChart; });
  std::ranges::stable_sort(worth, std::greater<>(), &Candidate::share);
  if (worth.size() > kMostCharts) worth.resize(kMostCharts);
  std::vector<Report::Chart> charts;
  for (const Candidate& c : worth) charts.push_back({c.key, c.why});
  if (charts.empty()) charts.push_back({"timeline", ""});
  return charts;
}

}  // namespace

std::string run_heading(const RunInfo& run) {
  std::string text = run.title.empty() ? engine::display_line(run.workload) : run.title;
  const auto append = [&](const char* key, const char* prefix) {
    if (auto found = run.arguments.find(key); found != run.arguments.end())
      text += fmt::format(" · {}{}", prefix, found->second);
  };
  append("batch", "batch ");
  append("dtype", "");
  append("mode", "");
  append("graph", "");
  if (run.threads == 0) return text + " · " + run.device;  // a foreign trace does not say
  return text + fmt::format(" · {} ({} thread{})", run.device, run.threads, run.threads == 1 ? "" : "s");
}

Report capture_report(const Analyzed& analyzed, const std::string& file, const ReportChoice& choice) {
  const Capture& capture = *analyzed.capture;
  Report report;
  report.kind = report_kind(capture);
  report.title = run_heading(capture.run());
  report.subtitle = report.kind == ReportKind::trace ? fmt::format("Report of {}, imported from a {}", file,
                                                                   engine::display_line(capture.run().source))
                                                     : fmt::format("Report of {}", file);
  report.doubts = capture_doubts(capture);
  report.answers = capture_answers(analyzed);
  report.lead = capture_bars(analyzed);
  report.record = record_of(capture);
  std::vector<std::string> not_drawn;
  const std::vector<Candidate> all = candidates(analyzed);
  for (const Candidate& c : all) {
    if (!c.drawable && (!choice || std::ranges::find(*choice, c.key) != choice->end()))
      not_drawn.emplace_back(c.not_drawn);
  }
  add_sections(report, {.analyzed = &analyzed}, choice, charts_of(all), not_drawn);
  std::erase_if(report.charts, [&](const Report::Chart& chart) {
    const auto at = std::ranges::find(all, chart.key, &Candidate::key);
    return at != all.end() && !at->drawable;
  });
  return report;
}

}  // namespace profiler
