// SPDX-License-Identifier: Apache-2.0
// Why the figures of a report may be wrong: a badge on page 1, the details in a section of their own.
#include <fmt/format.h>

#include <cmath>

#include "profiler/analysis/roof_words.h"
#include "profiler/base/words.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }

ReportFacts trust_facts(const Capture& capture) {
  const Honesty& h = capture.honesty();
  const bool foreign = !capture.run().source.empty();
  const std::string no_figure = foreign ? "not in the trace" : "not measured in this run";
  ReportFacts all;
  const auto add = [&](const char* key, const char* label, double value, const std::string& note) {
    all.facts.push_back(
        number_fact(key, label, value, Quantity::percent_of, Origin::measured, std::isnan(value) ? no_figure : note));
  };
  const Honesty::Cost cost = h.cost();
  if (cost.kind == Honesty::Cost::Kind::within_noise) {
    all.facts.push_back(number_fact("profiling_cost_ratio", "Profiling cost", std::nan(""), Quantity::percent_of,
                                    Origin::measured, fmt::format("not measurable: {}", noise_text(cost.noise))));
  } else {
    add("profiling_cost_ratio", "Profiling cost", cost.ratio,
        fmt::format("± {}; median traced step / median untraced step - 1",
                    format_quantity(cost.noise, Quantity::percent_of)));
  }
  add("clock_drift_ratio", "Change of the clock rate", h.clock_drift_ratio, "a fixed loop timed before and after");
  add("foreign_load_ratio", "Used by other programs", h.foreign_load_ratio, "part of all processors while recording");
  add("queued_ratio", "Waiting for processors", h.queued_ratio,
      "part of a step, of the thread that waited longest; median over the steps");
  all.facts.push_back(number_fact("dropped_records", foreign ? "Events left out" : "Records dropped",
                                  static_cast<double>(h.dropped_records), Quantity::count, Origin::exact));
  return all;
}

}  // namespace

std::vector<ReportDoubt> machine_doubts(const Machine& machine) {
  std::vector<ReportDoubt> doubts;
  if (!roofs_weakness(machine).empty()) {
    doubts.push_back({"roofs measured on a busy machine, or not all of them",
                      "The roofs of this machine have low confidence. Shares of roofs, limits and predictions may be "
                      "wrong. The machine section has the figures."});
  }
  if (std::string beside = roofs_beside_words(machine); !beside.empty())
    doubts.push_back({"bandwidth changed between probe and run", std::move(beside)});
  return doubts;
}

std::vector<ReportDoubt> capture_doubts(const Capture& capture) {
  std::vector<ReportDoubt> doubts;
  if (!capture.run().complete) {
    doubts.push_back({"the run ended early", fmt::format("The run ended early: {}. The report has what was recorded.",
                                                         capture.run().incomplete_reason)});
  }
  if (const Spread steps = spread(timed_steps_ns(capture)); noisy(steps)) {
    doubts.push_back({"noisy step times", fmt::format("The step times are noisy. Their median is between {} and {}.",
                                                      duration(steps.low), duration(steps.high))});
  }
  if (std::string waited = queued_words(capture); !waited.empty())
    doubts.push_back({"threads waited for processors", std::move(waited)});
  for (ReportDoubt& doubt : machine_doubts(capture.machine())) doubts.push_back(std::move(doubt));
  if (const int64_t missing = capture.honesty().dropped_records; missing > 0) {
    const bool own = capture.run().source.empty();
    doubts.push_back(
        {own ? "some records are missing" : "some events of the trace are not shown",
         own ? fmt::format("{} missing. The buffers were full, or the records could not be read.",
                           counted(static_cast<size_t>(missing), "record is", "records are"))
             : fmt::format("{} of the trace {} not shown. The notes of the machine section name the reasons.",
                           counted(static_cast<size_t>(missing), "event"), missing == 1 ? "is" : "are")});
  }
  return doubts;
}

std::string badge_words(const Report& report) {
  if (report.doubts.empty()) return {};
  const size_t others = report.doubts.size() - 1;
  return fmt::format("Low confidence: {}{}", report.doubts.front().reason,
                     others == 0 ? "" : fmt::format(" (and {})", counted(others, "other reason")));
}

ReportSection quality_section(const SectionInput& in) {
  ReportSection section{.id = "quality", .title = "Data quality", .blocks = {}};
  for (const ReportDoubt& doubt : in.report->doubts)
    section.blocks.emplace_back(ReportText{doubt.detail, ReportText::Kind::warning});
  if (in.analyzed != nullptr) {
    section.blocks.emplace_back(trust_facts(*in.analyzed->capture));
    if (std::string above = above_roof_words(*in.analyzed); !above.empty())
      section.blocks.emplace_back(ReportText{.text = std::move(above)});
  }
  if (section.blocks.empty())
    section.blocks.emplace_back(ReportText{.text = "Nothing is known against these figures."});
  return section;
}

}  // namespace profiler
