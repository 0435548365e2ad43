// SPDX-License-Identifier: Apache-2.0
// The report of a comparison: the four questions asked of two runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/base/words.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

constexpr size_t kMostChanges = 1000, kChangesOnPaper = 26, kMostBars = 24, kNameLimit = 40, kMostNamed = 3;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string bytes(double value) { return format_quantity(value, Quantity::bytes); }
std::string arrow(const std::string& before, const std::string& after) { return fmt::format("{} → {}", before, after); }
const char* unit(const Comparison& c) { return c.per_sample ? "sample" : "step"; }

bool judged(const CompareRow& row) {
  return !row.different_work &&
         (row.change.verdict == ChangeClass::faster || row.change.verdict == ChangeClass::slower);
}

double difference_ns(const CompareRow& row) {
  return (std::isnan(row.after_ns) ? 0 : row.after_ns) - (std::isnan(row.before_ns) ? 0 : row.before_ns);
}

/// `timed`: how the times are known.
ReportAnswer how_long(const Comparison& c, Origin timed) {
  ReportAnswer answer{.question = "How long?", .headline = "Unknown", .facts = {}, .sentences = {}};
  const CompareRow& total = c.total;
  const std::string per = fmt::format("Time per {}", unit(c));
  if (!std::isnan(total.before_ns) && !std::isnan(total.after_ns)) {
    answer.headline = fmt::format("{} per {}", arrow(duration(total.before_ns), duration(total.after_ns)), unit(c));
  }
  answer.sentences.push_back(c.sentence);
  if (!c.foreign)
    answer.sentences.emplace_back(
        "These times are lower quartiles of the steps: background load changes them least. Medians are longer.");
  answer.facts.push_back(number_fact("", per + ", before", total.before_ns, Quantity::duration_ns, timed, c.before));
  answer.facts.push_back(number_fact("", per + ", after", total.after_ns, Quantity::duration_ns, timed, c.after));
  answer.facts.push_back(number_fact("", "After / before", total.change.ratio, Quantity::ratio, timed,
                                     fmt::format("{}; 95 % interval {} to {}", verdict_words(total),
                                                 format_quantity(total.change.low, Quantity::ratio),
                                                 format_quantity(total.change.high, Quantity::ratio))));
  return answer;
}

ReportAnswer what_limits(const Comparison& c) {
  ReportAnswer answer{.question = "What limits it?", .headline = "Unknown", .facts = {}, .sentences = {}};
  const std::string &before = c.total.before_verdict, &after = c.total.after_verdict;
  if (!before.empty() && !after.empty())
    answer.headline = sentence_case(before == after ? fmt::format("{}, as before", after) : arrow(before, after));
  size_t changed = 0;
  for (const CompareRow& row : c.rows) changed += row.verdict_changed ? 1 : 0;
  answer.facts.push_back(number_fact("", "Ops with another limit", static_cast<double>(changed), Quantity::count,
                                     Origin::modelled, fmt::format("of {}", counted(c.rows.size(), "row"))));
  return answer;
}

ReportAnswer where_bytes(const Comparison& c) {
  ReportAnswer answer{.question = "Where do the bytes go?", .headline = "Unknown", .facts = {}, .sentences = {}};
  const auto known = [](const ByteChange& b) { return std::isfinite(b.before) && std::isfinite(b.after); };
  const auto add = [&](const std::string& label, const ByteChange& b, Origin origin) {
    answer.facts.push_back(
        number_fact("", label, b.after, Quantity::bytes, origin, fmt::format("{} before", bytes(b.before))));
  };
  add("Compulsory", c.total.compulsory, Origin::exact);
  for (size_t l = 0; l < c.links.size(); ++l) {
    const ByteChange& link = c.total.links[l];
    if (l == 0 && known(link))
      answer.headline = fmt::format("{} through {} per {}", arrow(bytes(link.before), bytes(link.after)),
                                    c.links[l].substr(0, c.links[l].find("->")), unit(c));
    std::string label = c.links[l];
    if (const size_t at = label.find("->"); at != std::string::npos) label.replace(at, 2, " to ");
    add(label, link, Origin::modelled);
  }
  const bool through = !c.links.empty() && known(c.total.links[0]);
  if (!through && known(c.total.compulsory) && c.total.compulsory.before > 0)
    answer.headline = fmt::format("At least {} per {}",
                                  arrow(bytes(c.total.compulsory.before), bytes(c.total.compulsory.after)), unit(c));
  return answer;
}

ReportAnswer what_to_change(const Comparison& c) {
  ReportAnswer answer{
      .question = "What should I change?", .headline = {}, .facts = {}, .sentences = {}, .wide_labels = true};
  if (c.different_work()) {
    answer.headline = "Compare two runs of the same work";
    answer.sentences.push_back(fmt::format("Few ops match: {}.", matched_words(c)));
    return answer;
  }
  size_t slower = 0;
  for (const CompareRow* row : ranked_rows(c)) {
    if (!judged(*row) || row->change.verdict != ChangeClass::slower || !(difference_ns(*row) > 0)) continue;
    if (slower++ == 0) answer.headline = fmt::format("Look at {} first", short_name(row->name, kNameLimit));
    if (slower > kMostNamed) continue;
    answer.facts.push_back(number_fact("", short_name(row->name, kNameLimit), difference_ns(*row),
                                       Quantity::duration_ns, Origin::measured, "more than before"));
  }
  if (slower > 0) return answer;
  const bool sure = judged(c.total) || c.total.change.verdict == ChangeClass::same;
  const bool repeated = c.total.change.before >= 3 && c.total.change.after >= 3;
  answer.headline = sure       ? "Nothing: no op became slower"
                    : repeated ? "Nothing yet: the change is within the noise"
                               : "Measure both runs again, with repeats";
  if (!sure && !repeated) answer.sentences.push_back("One process on a side does not show how much processes differ.");
  return answer;
}

std::vector<ReportDoubt> comparison_doubts(const Comparison& c, const CompareSide& before, const CompareSide& after) {
  std::vector<ReportDoubt> doubts;
  if (c.different_work())
    doubts.push_back({"the two runs do different work", fmt::format("Few ops match: {}.", matched_words(c))});
  if (c.total.change.noise_assumed)
    doubts.push_back({"single processes", "A side has too few processes: the noise between them is assumed."});
  for (const CompareSide* side : {&before, &after}) {
    for (ReportDoubt& doubt : capture_doubts(*side->run->capture)) {
      doubt.reason += side == &before ? " (before)" : " (after)";
      doubt.detail = (side == &before ? "Before: " : "After: ") + doubt.detail;
      doubts.push_back(std::move(doubt));
    }
  }
  return doubts;
}

}  // namespace

ReportBars comparison_bars(const Comparison& c) {
  ReportBars bars{.title = fmt::format("Time per {}, before and after", unit(c)),
                  .help = "The step, then the ops that changed most. Upper bar: before. Lower bar: after.",
                  .sums = false};
  const auto add = [&](const CompareRow& row, const std::string& label) {
    ReportBars::Bar bar{.label = label, .value = row.after_ns, .before = row.before_ns};
    bar.bound = row.change.verdict == ChangeClass::slower   ? Bound::overhead
                : row.change.verdict == ChangeClass::faster ? Bound::latency
                                                            : Bound::unknown;
    bar.shown = fmt::format("{}, {}", arrow(duration(row.before_ns), duration(row.after_ns)), verdict_words(row));
    bar.detail = fmt::format("{}: {}", row.name.empty() ? label : row.name, bar.shown);
    bars.bars.push_back(std::move(bar));
  };
  add(c.total, fmt::format("whole {}", unit(c)));
  std::vector<const CompareRow*> rows = ranked_rows(c);
  std::ranges::stable_sort(rows, [](const CompareRow* a, const CompareRow* b) {
    return std::abs(difference_ns(*a)) > std::abs(difference_ns(*b));
  });
  for (size_t i = 0; i < std::min(kMostBars, rows.size()); ++i) add(*rows[i], rows[i]->name);
  return bars;
}

ReportSection changes_section(const SectionInput& in) {
  const Comparison& c = *in.comparison;
  ReportSection section{.id = "changes", .title = "What changed", .blocks = {}};
  const Table all = compare_table(c);
  const std::vector<std::string> wanted{"op",          "verdict",       "change",      "before_ns",
                                        "after_ns",    "difference_ns", "share_ratio", "before_limit",
                                        "after_limit", "notes"};
  ReportTable block{.title = "Ops by what they add to the step",
                    .table = selected(all, wanted, kMostChanges),
                    .rest = {},
                    .text_limit = kNameLimit,
                    .paper_rows = kChangesOnPaper};
  if (all.rows.size() > kMostChanges)
    block.rest =
        fmt::format("{}: tensortide compare BEFORE AFTER", counted(all.rows.size() - kMostChanges, "more row"));
  section.blocks.emplace_back(std::move(block));
  for (const std::string& note : c.notes) section.blocks.emplace_back(ReportText{.text = note});
  if (!c.how.empty()) section.blocks.emplace_back(ReportText{.text = c.how});
  return section;
}

Report comparison_report(const Comparison& c, const CompareSide& before, const CompareSide& after,
                         const ReportChoice& choice) {
  const Capture& capture = *after.run->capture;
  Report report;
  report.kind = ReportKind::comparison;
  report.title = fmt::format("{} compared with {}", c.after, c.before);
  report.subtitle = fmt::format("{}. The record in this file is that of {}.", run_heading(capture.run()), c.after);
  report.doubts = comparison_doubts(c, before, after);
  report.answers = {how_long(c, capture.time_origin()), what_limits(c), where_bytes(c), what_to_change(c)};
  report.lead = comparison_bars(c);
  report.record = record_of(capture);
  std::vector<Report::Chart> found{{"compare", ""}};
  if (!c.links.empty() && !c.different_work()) found.push_back({"traffic", ""});
  add_sections(report, {.analyzed = after.run.get(), .comparison = &c}, choice, found, {});
  return report;
}

}  // namespace profiler
