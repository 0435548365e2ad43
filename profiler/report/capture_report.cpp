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
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

std::vector<std::string> warnings_of(const Capture& capture) {
  std::vector<std::string> warnings;
  if (!capture.run().complete) {
    warnings.push_back(
        fmt::format("The run ended early: {}. What was recorded until then is here.", capture.run().incomplete_reason));
  }
  if (const Spread steps = spread(timed_steps_ns(capture)); noisy(steps)) {
    warnings.push_back(fmt::format("The step times are noisy: their median is between {} and {}.",
                                   format_quantity(steps.low, Quantity::duration_ns),
                                   format_quantity(steps.high, Quantity::duration_ns)));
  }
  if (std::string waited = queued_words(capture); !waited.empty()) warnings.push_back(std::move(waited));
  for (const std::string& doubt : {roofs_weakness(capture.machine()), roofs_beside_words(capture.machine())}) {
    if (!doubt.empty()) warnings.push_back(doubt);
  }
  if (capture.honesty().dropped_records > 0) {
    const int64_t missing = capture.honesty().dropped_records;
    warnings.push_back(capture.run().source.empty()
                           ? fmt::format("{} missing: the buffers were full, or they could not be read.",
                                         missing == 1 ? "1 record is" : fmt::format("{} records are", missing))
                           : fmt::format("{} of the trace not shown; see the notes under "
                                         "Machine and method.",
                                         missing == 1 ? "1 event" : fmt::format("{} events", missing)));
  }
  return warnings;
}

/// Views that have something to draw; the others are named with the reason in `left_out`.
std::vector<std::string> charts_of(const Analyzed& analyzed, const Traffic& all, std::vector<std::string>& left_out) {
  const Capture& capture = *analyzed.capture;
  const bool bytes = !all.links.empty() && all.links.front().compulsory_total() > 0;
  const Roofline lines = roofline(capture, analyzed.model);
  const bool dots = std::ranges::any_of(
      lines.points, [](const RooflinePoint& p) { return std::isfinite(p.intensity) && p.flop_per_s > 0; });
  const bool memory = footprint(capture).peak_bytes > 0 || !allocated_series(capture).empty();
  std::vector<std::string> charts;
  if (bytes) charts.push_back("traffic");
  charts.push_back("timeline");
  if (dots) charts.push_back("roofline");
  if (bytes && capture.run().source.empty()) charts.push_back("cache");  // accesses are not in traces of other tools
  if (memory) charts.push_back("memory");
  if (!bytes) left_out.push_back("Traffic, because it is unknown which bytes the ops read and write");
  if (!dots) left_out.push_back("Roofline, because no op has known FLOPs, bytes and a time");
  if (!memory) left_out.push_back("Memory, because it is unknown which tensors live when");
  return charts;
}

ReportSection charts_section(const std::vector<std::string>& left_out) {
  ReportSection section{.id = "charts", .title = "Charts", .blocks = {}};
  if (!left_out.empty())
    section.blocks.emplace_back(ReportText{.text = fmt::format("Not drawn: {}.", fmt::join(left_out, "; "))});
  section.blocks.emplace_back(ReportCharts{});
  return section;
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

Report capture_report(const Analyzed& analyzed, const std::string& file) {
  const Capture& capture = *analyzed.capture;
  const Traffic all = traffic(capture, analyzed.model, {});
  Report report;
  report.title = run_heading(capture.run());
  report.subtitle = fmt::format("Report of {}", file);
  report.warnings = warnings_of(capture);
  report.answers = capture_answers(analyzed);
  report.record = record_of(capture);
  std::vector<std::string> left_out;
  report.charts = charts_of(analyzed, all, left_out);
  report.sections = {machine_section(capture, all), charts_section(left_out),       ops_section(analyzed),
                     findings_section(analyzed),    origins_section(analyzed, all), command_section(report.record)};
  return report;
}

}  // namespace profiler
