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
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/words.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

constexpr size_t kMostOps = 2000, kOpsOnPaper = 18, kMostTypes = 200, kTypesOnPaper = 14, kNameLimit = 40;
constexpr size_t kMostReasons = 3, kMostNamed = 4;

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
                      const std::vector<std::string>& columns, size_t most, size_t on_paper) {
  Table table = ops_table(analyzed, by);
  order_by_time(table);
  const size_t all = table.rows.size();
  ReportTable block{.title = title,
                    .table = selected(table, columns, most),
                    .rest = {},
                    .text_limit = kNameLimit,
                    .paper_rows = on_paper};
  block.table.name += std::string("-by-") + name;
  drop_unknown_columns(block.table);
  if (all > most) {
    block.rest = fmt::format("{} took less time. All of them: tensortide analyze FILE.tide --table ops --by {}",
                             counted(all - most, "other row"), name);
  }
  return block;
}

/// What decides; what is doubtful of the roofs has a section of its own.
bool tells_why(const Reason& reason) {
  return reason.kind != ReasonKind::weak_roofs && reason.kind != ReasonKind::roofs_beside &&
         reason.kind != ReasonKind::corners && reason.kind != ReasonKind::gpu_corners;
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
    if (findings.size() == kMostReasons) break;
    if (v.bound == Bound::unknown || std::ranges::find(seen, kind) != seen.end()) continue;
    seen.push_back(kind);
    ReportFinding finding{.claim = fmt::format("{} ({}): {}, {} of the step", capture.name(op.name), headline(v),
                                               format_quantity(time_of(analyzed, id), Quantity::duration_ns),
                                               format_quantity(time_of(analyzed, id) * share, Quantity::percent_of)),
                          .evidence = {},
                          .advice = cause_text(v)};
    for (const Reason& reason : v.reasons) {
      if (tells_why(reason)) finding.evidence.push_back(reason_text(reason));
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// Evidence, gain and the option that would change it.
ReportFinding as_report(const Capture& capture, const RunFinding& finding, double step_ns, bool advised) {
  ReportFinding result{
      .claim = found_text(finding), .evidence = {}, .advice = advised ? std::string() : finding.advice};
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

ReportSection ops_section(const SectionInput& in) {
  const Analyzed& analyzed = *in.analyzed;
  ReportSection section{.id = "ops", .title = "Ops", .blocks = {}};
  if (analyzed.capture->ops().empty()) {
    section.blocks.emplace_back(ReportText{
        .text = "This capture holds no ops: only what its source recorded over time, which the timeline shows."});
    return section;
  }
  std::vector<std::string> by_type = kOpColumns;
  std::erase_if(by_type, [](const std::string& key) { return key == "op" || key == "kernel"; });
  by_type.insert(by_type.begin(), "type");
  section.blocks.emplace_back(
      ops_block(analyzed, OpsBy::type, "By type of op", "type", by_type, kMostTypes, kTypesOnPaper));
  section.blocks.emplace_back(
      ops_block(analyzed, OpsBy::op, "The slowest ops", "op", kOpColumns, kMostOps, kOpsOnPaper));
  return section;
}

ReportSection findings_section(const SectionInput& in) {
  ReportSection section{.id = "findings", .title = "Findings with their evidence", .blocks = {}};
  if (in.sweep != nullptr) {
    section.blocks = sweep_findings(*in.sweep);
    return section;
  }
  const Analyzed& analyzed = *in.analyzed;
  ReportFindings all;
  const double step_ns = median_step_ns(*analyzed.capture);
  const std::vector<RunFinding> found = findings(analyzed);
  const std::vector<size_t> leading = in.report->answers.empty() ? std::vector<size_t>() : leading_findings(found);
  for (size_t i = 0; i < found.size(); ++i) {
    const bool advised = std::ranges::find(leading, i) != leading.end();
    all.findings.push_back(as_report(*analyzed.capture, found[i], step_ns, advised));
  }
  const bool page1 = !in.report->answers.empty();
  const auto add = [&](const std::vector<std::string>& sentences, bool shown_before) {
    for (size_t i = shown_before ? kSentencesOfPage1 : 0; i < sentences.size(); ++i)
      all.findings.push_back({sentences[i], {}, {}});
  };
  add(overlap(*analyzed.capture, analyzed.rules).findings, page1 && !analyzed.capture->device().emulated);
  add(transfers(*analyzed.capture, analyzed.rules).findings, page1);
  if (all.findings.empty()) section.blocks.emplace_back(ReportText{.text = "No change is suggested for this run."});
  else section.blocks.emplace_back(std::move(all));
  return section;
}

ReportSection reasons_section(const SectionInput& in) {
  ReportSection section{.id = "reasons", .title = "Why the slowest ops take their time", .blocks = {}};
  ReportFindings slowest{verdict_findings(*in.analyzed)};
  if (slowest.findings.empty()) return section;
  section.blocks.emplace_back(ReportText{.text = "One op of each type and limit, slowest first."});
  section.blocks.emplace_back(std::move(slowest));
  return section;
}

ReportSection origins_section(const SectionInput& in) {
  ReportSection section{.id = "origins", .title = "How each number was obtained", .blocks = {ReportOrigins{}}};
  std::vector<Column> columns;
  for (const ReportSection& other : in.report->sections) {
    for (const ReportBlock& block : other.blocks) {
      const auto* table = std::get_if<ReportTable>(&block);
      if (table != nullptr && other.id != "machine")
        columns.insert(columns.end(), table->table.columns.begin(), table->table.columns.end());
    }
  }
  if (ReportTable definitions = definitions_of(columns); !definitions.table.rows.empty())
    section.blocks.emplace_back(std::move(definitions));
  if (in.analyzed == nullptr || !in.analyzed->capture->run().source.empty()) return section;
  // Where bytes were not measured, the notes of the machine say why; without notes this line does.
  const Capture& capture = *in.analyzed->capture;
  if (capture.traffic_of(Origin::measured) != nullptr || capture.honesty().notes.empty())
    section.blocks.emplace_back(ReportText{.text = traffic(capture, in.analyzed->model, {}).measured_reason});
  return section;
}

ReportSection thresholds_section(const SectionInput& in) {
  ReportSection section{.id = "thresholds", .title = "Thresholds of the limits", .blocks = {}};
  Table rules;
  rules.name = "verdict_rules";
  rules.columns = {{"meaning", "Threshold of a verdict", Quantity::text, Origin::exact, ""},
                   {"value", "Value", Quantity::text, Origin::exact, ""},
                   {"source", "From", Quantity::text, Origin::exact, ""}};
  for (const VerdictRule& rule : in.analyzed->rules.rows()) {
    const std::string value =
        rule.changed() ? fmt::format("{:g} (usually {:g})", rule.value, rule.usual) : fmt::format("{:g}", rule.value);
    rules.rows.push_back({rule.meaning, value, rule.source});
  }
  section.blocks.emplace_back(ReportTable{.title = "", .table = std::move(rules), .rest = {}});
  return section;
}

ReportSection command_section(const SectionInput& in) {
  const ReportRecord& record = in.report->record;
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
