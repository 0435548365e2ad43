// SPDX-License-Identifier: Apache-2.0
// The report of a sweep: the four questions asked of curves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/base/display_text.h"
#include "profiler/base/words.h"
#include "profiler/report/words.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/published_facts.h"
#include "profiler/sweep/reference.h"

namespace profiler {
namespace {

constexpr size_t kMostPoints = 1000, kPointsOnPaper = 60, kMostBars = 60;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }

struct Extremes {
  size_t fastest = 0, best_throughput = 0, slowest = 0, measured = 0;
};

/// Points that were measured, by time per step and by samples per second; `steady`: without those that are
/// is_disturbed().
Extremes extremes(const Sweep& sweep, bool steady) {
  Extremes e;
  const auto rate = [&](size_t p) { return sweep.points[p].found.samples / sweep.points[p].found.step_ns; };
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    if (sweep.points[p].samples.empty() || (steady && is_disturbed(sweep.points[p], sweep.request.least_samples)))
      continue;
    if (e.measured++ == 0) e.fastest = e.slowest = e.best_throughput = p;
    if (sweep.points[p].found.step_ns < sweep.points[e.fastest].found.step_ns) e.fastest = p;
    if (sweep.points[p].found.step_ns > sweep.points[e.slowest].found.step_ns) e.slowest = p;
    if (!(rate(p) <= rate(e.best_throughput))) e.best_throughput = p;
  }
  return e;
}

ReportFact step_fact(const Sweep& sweep, size_t p, const char* label) {
  const int least = sweep.request.least_samples;
  const Spread s = sample_spread(sweep.points[p], least);
  const std::string doubt(
      is_disturbed(sweep.points[p], least) ? doubt_word(1, is_queued(sweep.points[p], least) ? 1 : 0) : "");
  return number_fact("", label, sweep.points[p].found.step_ns, Quantity::duration_ns, Origin::measured,
                     fmt::format("at {}; median of {} processes, {} to {}{}", sweep.label(p), s.samples,
                                 duration(s.low), duration(s.high), doubt.empty() ? "" : "; " + doubt));
}

/// Of the points that are not is_disturbed(); of all, each of them marked, where there are no others.
ReportAnswer how_long(const Sweep& sweep) {
  const Extremes steady = extremes(sweep, true), e = steady.measured > 0 ? steady : extremes(sweep, false);
  ReportAnswer answer{.question = "How long?", .headline = "Unknown", .facts = {}, .sentences = {}};
  if (e.measured == 0) {
    answer.sentences.push_back("No point of this sweep has been measured yet.");
    return answer;
  }
  answer.headline = fmt::format("{} to {} per step", duration(sweep.points[e.fastest].found.step_ns),
                                duration(sweep.points[e.slowest].found.step_ns));
  answer.facts = {step_fact(sweep, e.fastest, "Fastest step"), step_fact(sweep, e.slowest, "Slowest step")};
  const SweepCounts counts = sweep_counts(sweep);
  if (const size_t out = counts.measured - e.measured; out > 0) {
    answer.sentences.push_back(fmt::format("{} {} left out of this.",
                                           counted(out, fmt::format("{} point", doubt_word(out, counts.queued))),
                                           out == 1 ? "is" : "are"));
  }
  const SweepFigures& best = sweep.points[e.best_throughput].found;
  if (!std::isnan(best.samples)) {
    answer.facts.push_back(number_fact("", "Most samples per second", best.samples / best.step_ns * 1e9,
                                       Quantity::count, Origin::measured, "at " + sweep.label(e.best_throughput)));
  }
  return answer;
}

ReportAnswer what_limits(const Sweep& sweep) {
  ReportAnswer answer{.question = "What limits it?", .headline = "Unknown", .facts = {}, .sentences = {}};
  std::vector<std::string> limits;
  for (const SweepPoint& p : sweep.points) {
    if (p.samples.empty() || p.found.limit.empty() || std::ranges::find(limits, p.found.limit) != limits.end())
      continue;
    limits.push_back(p.found.limit);
  }
  if (!limits.empty() && !sweep_counts(sweep).mostly_noisy()) answer.headline = sentence_case(listed(limits));
  for (const std::string& sentence : sweep_sentences(sweep)) answer.sentences.push_back(sentence_case(sentence));
  for (const SweepSeries& series : sweep_series(sweep)) {
    if (!series.knee) continue;
    const std::string along =
        sweep.request.axes[series.axis].name + (series.label.empty() ? "" : " (" + series.label + ")");
    answer.facts.push_back(number_fact(
        "knee", "Knee in " + along, series.knee->x, Quantity::count, Origin::measured,
        series.predicted_knee ? fmt::format("roofline prediction {:.3g} (modelled)", series.predicted_knee->x) : ""));
  }
  return answer;
}

ReportAnswer where_bytes(const Sweep& sweep) {
  ReportAnswer answer{.question = "Where do the bytes go?", .headline = "Unknown", .facts = {}, .sentences = {}};
  if (sweep_counts(sweep).measured == 0) return answer;
  const bool batch =
      std::ranges::all_of(sweep.points, [](const SweepPoint& p) { return p.samples.empty() || p.found.samples > 0; });
  const auto add = [&](size_t p) {
    const SweepFigures& f = sweep.points[p].found;
    if (f.links.empty()) return;
    answer.facts.push_back(number_fact("",
                                       fmt::format("{} to {}, {}", f.links[0].outer, f.links[0].inner, sweep.label(p)),
                                       f.links[0].modelled_bytes / (batch ? f.samples : 1), Quantity::bytes,
                                       Origin::modelled, batch ? "per sample" : "per step"));
  };
  size_t first = 0, last = 0;
  bool any = false;
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    if (sweep.points[p].samples.empty()) continue;
    if (!std::exchange(any, true)) first = p;
    last = p;
  }
  add(first);
  if (last != first) add(last);
  const auto memory = [&](size_t p) { return sweep.points[p].found.memory_bytes; };
  answer.facts.push_back(
      number_fact("", "Memory, " + sweep.label(last), memory(last), Quantity::bytes, Origin::exact, "as planned"));
  if (answer.facts.size() >= 2 && !sweep.points[first].found.links.empty()) {
    answer.headline =
        fmt::format("{} to {} from {} per {}", shown(answer.facts[0]), shown(answer.facts[answer.facts.size() - 2]),
                    sweep.points[first].found.links.front().outer, batch ? "sample" : "step");
  }
  const bool along_batch =
      std::ranges::any_of(sweep.request.axes, [](const SweepAxis& axis) { return axis.name == "batch"; });
  const bool weights =
      std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return p.found.weight_compulsory_bytes > 0; });
  if (batch && along_batch && weights)
    answer.sentences.push_back("Bytes of weights per sample fall as 1 / batch; bytes of activations do not.");
  return answer;
}

/// Whether times along the batch follow no law: which batch is best would be chance.
bool lawless(const Sweep& sweep) {
  return std::ranges::any_of(sweep_series(sweep), [&](const SweepSeries& s) {
    return s.no_law == NoLaw::misfit && sweep.request.axes[s.axis].name == "batch";
  });
}

ReportAnswer what_to_change(const Sweep& sweep) {
  ReportAnswer answer{
      .question = "What should I change?", .headline = "Measure more points", .facts = {}, .sentences = {}};
  const SweepCounts counts = sweep_counts(sweep);
  const Extremes e = extremes(sweep, true);
  if (counts.measured == 0) return answer;
  if (counts.mostly_noisy() || lawless(sweep)) {
    answer.headline = "Measure again on a quiet machine";
    answer.sentences.push_back(counts.mostly_noisy()
                                   ? fmt::format("{} of the {} points that ran {} {}: the best one is unknown.",
                                                 counts.noisy, counts.measured, counts.noisy == 1 ? "is" : "are",
                                                 doubt_word(counts.noisy, counts.queued))
                                   : "The times follow no law along the batch: the best one is unknown.");
    return answer;
  }
  const SweepFigures& best = sweep.points[e.best_throughput].found;
  answer.headline = std::isnan(best.samples)
                        ? "Use " + sweep.label(e.fastest) + ", the fastest point measured"
                        : "Use " + sweep.label(e.best_throughput) + " for the most samples per second";
  for (const SweepSeries& series : sweep_series(sweep)) {
    if (!series.knee || series.unit != WorkUnit::sample) continue;
    answer.sentences.push_back(fmt::format(
        "{}Up to {} = {:.3g} a step costs nearly the same; beyond it each sample adds its full time.",
        series.label.empty() ? "" : series.label + ": ", sweep.request.axes[series.axis].name, series.knee->x));
  }
  if (counts.noisy > 0) {
    answer.sentences.push_back(fmt::format(
        "{} of the {} points that ran {} {} and left out of this: run the sweep again on a quiet machine.",
        counts.noisy, counts.measured, counts.noisy == 1 ? "is" : "are", doubt_word(counts.noisy, counts.queued)));
  }
  return answer;
}

std::vector<ReportDoubt> sweep_doubts(const Sweep& sweep) {
  std::vector<ReportDoubt> doubts;
  if (!sweep.complete)
    doubts.push_back({"the sweep is not finished", "The sweep has not been finished: some points lack measurements."});
  if (const SweepCounts counts = sweep_counts(sweep); counts.noisy > 0) {
    doubts.push_back(
        {"noisy points", fmt::format("{} of the {} points that ran {} {}.", counts.noisy, counts.measured,
                                     counts.noisy == 1 ? "is" : "are", doubt_word(counts.noisy, counts.queued))});
  }
  for (ReportDoubt& doubt : machine_doubts(sweep.machine)) doubts.push_back(std::move(doubt));
  return doubts;
}

}  // namespace

ReportBars sweep_bars(const Sweep& sweep) {
  ReportBars bars{.title = "Time per step of each point",
                  .help = "Median over fresh processes, measured; the line is the 95 % interval.",
                  .sums = false};
  const int least = sweep.request.least_samples;
  for (size_t p = 0; p < sweep.points.size() && bars.bars.size() < kMostBars; ++p) {
    const SweepPoint& point = sweep.points[p];
    ReportBars::Bar bar{.label = sweep.label(p), .value = std::nan("")};
    if (point.samples.empty()) {
      bar.shown = point.outcome == PointOutcome::out_of_memory ? "out of memory" : std::string(name(point.outcome));
      bar.detail = point.message;
    } else {
      const Spread s = sample_spread(point, least);
      bar.value = point.found.step_ns, bar.low = s.low, bar.high = s.high;
      bar.bound = is_disturbed(point, least) ? Bound::unknown : Bound::transfer;
      bar.shown = duration(bar.value);
      if (!std::isnan(point.found.samples))
        bar.shown +=
            fmt::format(", {} samples/s", format_quantity(point.found.samples / bar.value * 1e9, Quantity::count));
      if (is_disturbed(point, least)) bar.shown += fmt::format(", {}", doubt_word(1, is_queued(point, least) ? 1 : 0));
      bar.detail = fmt::format("median of {}, {} to {}{}",
                               counted(static_cast<size_t>(s.samples), "process", "processes"), duration(s.low),
                               duration(s.high), point.found.limit.empty() ? "" : "; limited by " + point.found.limit);
    }
    bars.bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<ReportBlock> sweep_method(const Sweep& sweep) {
  std::vector<ReportBlock> blocks;
  ReportFacts facts;
  const auto words = [&](const char* label, const std::string& text) {
    if (!text.empty()) facts.facts.push_back(words_fact(label, engine::display_line(text), Origin::exact));
  };
  words("Workload", sweep.request.workload);
  words("The same for all points", fmt::format("{}", fmt::join(sweep.request.fixed, " ")));
  for (const SweepAxis& axis : sweep.request.axes)
    words(("Axis " + axis.name).c_str(), fmt::format("{}", fmt::join(axis.values, ", ")));
  facts.facts.push_back(
      number_fact("", "Points", static_cast<double>(sweep.points.size()), Quantity::count, Origin::exact));
  words("Processes per point",
        fmt::format("{} to {} fresh ones in turn with the other points, until their standard error is below {:g} %",
                    sweep.request.least_samples, sweep.request.most_samples, 100 * sweep.request.noise_target));
  blocks.emplace_back(std::move(facts));
  int threads = 0;  // of the machine's roofs: the largest count that was probed
  for (const ComputeRoof& roof : sweep.machine.compute) threads = std::max(threads, roof.threads);
  for (ReportBlock& block : machine_blocks(sweep.machine, threads)) blocks.push_back(std::move(block));
  return blocks;
}

ReportSection points_section(const SectionInput& in) {
  ReportSection section{.id = "points", .title = "Points", .blocks = {}};
  Table table = sweep_digest(*in.sweep);
  ReportTable block{.title = "Every point", .table = {}, .rest = {}, .paper_rows = kPointsOnPaper};
  if (table.rows.size() > kMostPoints) {
    block.rest = fmt::format("{}: tensortide analyze FILE.tide --table sweep",
                             counted(table.rows.size() - kMostPoints, "more point"));
    table.rows.resize(kMostPoints);
  }
  block.table = std::move(table);
  section.blocks.emplace_back(std::move(block));
  section.blocks.emplace_back(
      ReportTable{.title = "Results of the curves", .table = sweep_series_table(*in.sweep), .rest = {}});
  if (Table published = reference_table(*in.sweep); !published.rows.empty()) {
    const std::string title = fmt::format("Beside Table 7 of {}", shi2016_facts().paper);
    section.blocks.emplace_back(ReportTable{.title = title, .table = std::move(published), .rest = {}});
  }
  return section;
}

std::vector<ReportBlock> sweep_findings(const Sweep& sweep) {
  ReportFindings all;
  for (const std::string& sentence : sweep_sentences(sweep)) all.findings.push_back({sentence_case(sentence), {}, {}});
  for (const std::string& sentence : reference_sentences(sweep))
    all.findings.push_back({sentence_case(sentence), {}, {}});
  if (!all.findings.empty()) return {std::move(all)};
  return {ReportText{.text = "There are no results yet: a knee needs four points along an axis."}};
}

Report sweep_report(const Sweep& sweep, const std::string& file, const ReportChoice& choice) {
  Report report;
  report.kind = ReportKind::sweep;
  std::vector<std::string> axes;
  for (const SweepAxis& axis : sweep.request.axes) axes.push_back(axis.name);
  report.title = fmt::format(
      "{} over {}", sweep.title.empty() ? engine::display_line(sweep.request.workload) : sweep.title, listed(axes));
  report.subtitle = fmt::format("Report of the sweep {}", file);
  report.doubts = sweep_doubts(sweep);
  report.answers = {how_long(sweep), what_limits(sweep), where_bytes(sweep), what_to_change(sweep)};
  report.lead = sweep_bars(sweep);
  report.record = record_of(sweep);
  add_sections(report, {.sweep = &sweep}, choice, {{"sweep", ""}}, {});
  return report;
}

}  // namespace profiler
