// SPDX-License-Identifier: Apache-2.0
// What follows the charts: ops, findings with their evidence, where the numbers come from, the command.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/display_text.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/gpu/transfers.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

constexpr size_t kMostOps = 30, kMostTypes = 40, kMostFindings = 8, kMostNamed = 4;

size_t column(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table.columns, key, &Column::key);
  return static_cast<size_t>(at - table.columns.begin());
}

double number(const Cell& cell) {
  const double* value = std::get_if<double>(&cell);
  return value != nullptr ? *value : -1;
}

/// Columns of which no row knows anything go: of a trace of another tool, most.
void drop_unknown_columns(Table& table) {
  for (size_t c = table.columns.size(); c-- > 0;) {
    const bool known = std::ranges::any_of(
        table.rows, [&](const auto& row) { return !std::holds_alternative<std::monostate>(row[c]); });
    if (known) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

/// Rows by time, largest first; what took no time goes.
void order_by_time(Table& table) {
  const size_t time = column(table, "time_ns");
  if (time == table.columns.size()) return;
  std::erase_if(table.rows, [&](const auto& row) { return !(number(row[time]) > 0); });
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) { return number(a[time]) > number(b[time]); });
  table.row_ops.clear();
}

const std::vector<std::string> kOpColumns{
    "op",         "kernel",       "calls_count",      "time_ns",    "share_ratio",
    "flops",      "flop_per_s",   "compulsory_bytes", "dram_bytes", "amplification_ratio",
    "roof_ratio", "bytes_origin", "verdict"};

ReportTable ops_block(const Analyzed& analyzed, OpsBy by, const char* title, const char* name,
                      const std::vector<std::string>& columns, size_t most) {
  Table table = ops_table(analyzed, by);
  order_by_time(table);
  const size_t all = table.rows.size();
  ReportTable block{.title = title, .table = selected(table, columns, most), .rest = {}};
  block.table.name += std::string("-by-") + name;
  drop_unknown_columns(block.table);
  if (all > most) {
    block.rest = fmt::format("{} more took less time; all of them: tensortide analyze FILE.tide --table ops --by {}",
                             all - most, name);
  }
  return block;
}

/// The ops that take most of the step, with the reasoning of their verdicts; one of each type and bound.
std::vector<ReportFinding> verdict_findings(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::vector<OpId> ranked;
  for (const OpRecord& op : capture.ops()) {
    if (!op.view && time_of(analyzed, op.id) > 0) ranked.push_back(op.id);
  }
  std::ranges::sort(ranked, [&](OpId a, OpId b) { return time_of(analyzed, a) > time_of(analyzed, b); });
  const double share = share_per_ns(analyzed);
  std::vector<ReportFinding> findings;
  std::vector<std::pair<NameId, Bound>> seen;
  for (const OpId id : ranked) {
    const OpRecord& op = capture.ops()[id];
    const Verdict& v = analyzed.verdicts[id];
    const std::pair<NameId, Bound> kind{op.type, v.bound};
    if (findings.size() == kMostFindings) break;
    if (v.bound == Bound::unknown || std::ranges::find(seen, kind) != seen.end()) continue;
    seen.push_back(kind);
    findings.push_back({.claim = fmt::format("{} ({}): {}, {} of the step", capture.name(op.name), headline(v),
                                             format_quantity(time_of(analyzed, id), Quantity::duration_ns),
                                             format_quantity(time_of(analyzed, id) * share, Quantity::percent_of)),
                        .evidence = verdict_text(v),
                        .advice = cause_text(v)});
  }
  return findings;
}

/// Evidence, gain and the option that would change it.
ReportFinding as_report(const Capture& capture, const RunFinding& finding, double step_ns) {
  ReportFinding result{.claim = finding.sentence, .evidence = {}, .advice = finding.advice};
  for (const FindingFigure& f : finding.evidence) {
    result.evidence.push_back(
        fmt::format("{}: {} ({})", sentence_case(f.title), format_quantity(f.value, f.quantity), name(f.origin)));
  }
  std::vector<std::string> where;
  for (const OpId op : finding.ops) {
    if (where.size() == kMostNamed) break;
    where.emplace_back(capture.name(capture.ops()[op].name));
  }
  if (!where.empty()) {
    result.evidence.push_back(fmt::format(
        "In {}{}", listed(where),
        finding.ops.size() > where.size() ? fmt::format(", and {} more", finding.ops.size() - where.size()) : ""));
  }
  result.evidence.push_back(fmt::format("Expected: {} (modelled{})", gain_text(finding, step_ns),
                                        finding.gain_how.empty() ? "" : ": " + finding.gain_how));
  if (finding.change) result.evidence.push_back(fmt::format("Try it: tensortide run ... {}", finding.change->flag()));
  else if (!finding.no_change.empty()) result.evidence.push_back(finding.no_change);
  return result;
}

}  // namespace

ReportSection ops_section(const Analyzed& analyzed) {
  ReportSection section{.id = "ops", .title = "Ops", .blocks = {}};
  if (analyzed.capture->ops().empty()) {
    section.blocks.emplace_back(ReportText{
        .text = "This capture holds no ops: only what its source recorded over time, which the timeline shows."});
    return section;
  }
  std::vector<std::string> by_type = kOpColumns;
  std::erase_if(by_type, [](const std::string& key) { return key == "op" || key == "kernel"; });
  by_type.insert(by_type.begin(), "type");
  section.blocks.emplace_back(ops_block(analyzed, OpsBy::type, "By type of op", "type", by_type, kMostTypes));
  section.blocks.emplace_back(ops_block(analyzed, OpsBy::op, "The slowest ops", "op", kOpColumns, kMostOps));
  return section;
}

ReportSection findings_section(const Analyzed& analyzed) {
  ReportSection section{.id = "findings", .title = "Findings with their evidence", .blocks = {}};
  ReportFindings all;
  const double step_ns = median_step_ns(*analyzed.capture);
  for (const RunFinding& finding : findings(analyzed))
    all.findings.push_back(as_report(*analyzed.capture, finding, step_ns));
  for (const std::string& sentence : overlap(*analyzed.capture, analyzed.rules).findings)
    all.findings.push_back({sentence, {}, {}});
  for (const std::string& sentence : transfers(*analyzed.capture, analyzed.rules).findings)
    all.findings.push_back({sentence, {}, {}});
  ReportFindings slowest{verdict_findings(analyzed)};
  if (all.findings.empty() && slowest.findings.empty()) {
    section.blocks.emplace_back(ReportText{.text = "There are no claims: no op has a known limit, and there is no "
                                                   "copy."});
  }
  if (!all.findings.empty()) section.blocks.emplace_back(std::move(all));
  if (!slowest.findings.empty()) {
    section.blocks.emplace_back(ReportText{.text = "Why the slowest ops take their time, one of each type and limit:"});
    section.blocks.emplace_back(std::move(slowest));
  }
  return section;
}

ReportSection origins_section(const Analyzed& analyzed, const Traffic& traffic) {
  ReportSection section{.id = "origins", .title = "How each number was obtained", .blocks = {ReportOrigins{}}};
  if (!traffic.measured_reason.empty() && analyzed.capture->run().source.empty())
    section.blocks.emplace_back(ReportText{.text = traffic.measured_reason});
  if (analyzed.capture->ops().empty()) return section;
  Table definitions;
  definitions.name = "definitions";
  definitions.columns = {{"title", "Column", Quantity::text, Origin::exact, ""},
                         {"origin", "Origin", Quantity::text, Origin::exact, ""},
                         {"help", "What it is", Quantity::text, Origin::exact, ""}};
  for (const Column& c : selected(ops_table(analyzed, OpsBy::op), kOpColumns, 0).columns) {
    definitions.rows.push_back({c.title, std::string(name(c.origin)), c.help});
  }
  section.blocks.emplace_back(
      ReportTable{.title = "Columns of the tables", .table = std::move(definitions), .rest = {}});
  const bool judged =
      std::ranges::any_of(analyzed.verdicts, [](const Verdict& v) { return v.bound != Bound::unknown; });
  if (!judged) return section;
  Table rules;
  rules.name = "verdict_rules";
  rules.columns = {{"meaning", "Threshold of a verdict", Quantity::text, Origin::exact, ""},
                   {"value", "Value", Quantity::text, Origin::exact, ""},
                   {"source", "From", Quantity::text, Origin::exact, ""}};
  for (const VerdictRule& rule : analyzed.rules.rows()) {
    const std::string value =
        rule.changed() ? fmt::format("{:g} (usually {:g})", rule.value, rule.usual) : fmt::format("{:g}", rule.value);
    rules.rows.push_back({rule.meaning, value, rule.source});
  }
  section.blocks.emplace_back(
      ReportTable{.title = "Thresholds of the verdicts", .table = std::move(rules), .rest = {}});
  return section;
}

ReportSection command_section(const ReportRecord& record) {
  ReportSection section{.id = "command", .title = "Run it again", .blocks = {}};
  if (record.kind == "trace") {
    section.blocks.emplace_back(ReportText{.text = "This run was imported from a trace, so there is no command here "
                                                   "that repeats it. The capture was made with:"});
    section.blocks.emplace_back(ReportText{
        record.command.empty() ? "tensortide import TRACE -o FILE.tide" : engine::display_line(record.command),
        ReportText::Kind::code});
    return section;
  }
  if (record.command.empty()) {
    section.blocks.emplace_back(ReportText{.text = "The capture does not hold the command that recorded it."});
    return section;
  }
  section.blocks.emplace_back(ReportText{.text = "This command repeats the run:"});
  section.blocks.emplace_back(ReportText{engine::display_line(record.command), ReportText::Kind::code});
  if (record.kind == "capture") {
    section.blocks.emplace_back(ReportText{.text = "This repeats it until the answer is clear whether it got slower. "
                                                   "It reads command and times from this report:"});
    section.blocks.emplace_back(ReportText{"tensortide rerun REPORT.html", ReportText::Kind::code});
  }
  return section;
}

}  // namespace profiler
