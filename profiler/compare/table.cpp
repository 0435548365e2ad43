// SPDX-License-Identifier: Apache-2.0
// A comparison as a table: one row per op, ranked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/compare/comparison.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isnan(value) ? Cell() : Cell(value); }
Cell text(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

double difference_ns(const CompareRow& row) {
  return (std::isnan(row.after_ns) ? 0 : row.after_ns) - (std::isnan(row.before_ns) ? 0 : row.before_ns);
}

bool called(const CompareRow& row) {
  return row.change.verdict == ChangeClass::faster || row.change.verdict == ChangeClass::slower;
}

std::vector<Column> columns_of(const Comparison& c) {
  std::vector<Column> columns;
  const auto add = [&](const std::string& key, const std::string& title, Quantity quantity, Origin origin,
                       const std::string& help) {
    columns.push_back({key, title, quantity, origin, help});
  };
  const std::string per = c.per_sample ? say(" per sample") : "";
  add("op", "Op", Quantity::text, Origin::exact, "The op, or the layer whose ops were regrouped");
  add("type", "Type", Quantity::text, Origin::exact, "What it computes");
  add("match", "Match", Quantity::text, Origin::exact,
      "matched: one op on both sides. regrouped: a layer's work in "
      "other ops (fused or split). all shapes: one trace does not "
      "distinguish them. only before, only after");
  add("verdict", "Verdict", Quantity::text, Origin::measured,
      "SAME, FASTER, SLOWER or UNSURE, by the test below; "
      "different work: the sides may not do the same");
  add("change", "Change", Quantity::text, Origin::measured,
      c.shift ? say("Time after over time before, less what all ops have in common")
              : say("Time after over time before, geometric means over processes"));
  add("ratio", "Ratio", Quantity::ratio, Origin::measured, "After / before");
  add("ratio_low", "Low", Quantity::ratio, Origin::measured, "Lower end of the 95 % interval of the ratio");
  add("ratio_high", "High", Quantity::ratio, Origin::measured, "Upper end of that interval");
  add("probability_ratio", "p", Quantity::percent_of, Origin::measured,
      "Chance of a change as large where there is none");
  add("before_ns", "Before (Q1)", Quantity::duration_ns, Origin::measured,
      "Time" + per +
          say(": the lower quartile (Q1) of a process's steps, over several processes their geometric mean"));
  add("after_ns", "After (Q1)", Quantity::duration_ns, Origin::measured, "The same, after");
  add("difference_ns", "Adds", Quantity::duration_ns, Origin::measured, "After - before");
  add("share_ratio", "Share", Quantity::percent_of, Origin::measured, "Part of the step, mean of both sides");
  add("before_compulsory_bytes", "Compulsory before", Quantity::bytes, Origin::exact,
      "Bytes of all operands once" + per);
  add("after_compulsory_bytes", "Compulsory after", Quantity::bytes, Origin::exact, "The same, after");
  for (const std::string& link : c.links) {
    std::string key = link;
    key.replace(key.find("->"), 2, "_");
    add("before_" + key + "_bytes", link + " before", Quantity::bytes, Origin::modelled,
        say("Bytes over this link") + per + say(", by the traffic model"));
    add("after_" + key + "_bytes", link + " after", Quantity::bytes, Origin::modelled, say("The same, after"));
  }
  add("before_limit", "Limited before", Quantity::text, Origin::modelled, "What limited it, by the verdicts");
  add("after_limit", "Limited after", Quantity::text, Origin::modelled, "What limits it now");
  add("notes", "Differs", Quantity::text, Origin::exact, "Shape, kernel or name, where they differ");
  return columns;
}

std::vector<Cell> cells_of(const CompareRow& row, bool total) {
  std::vector<Cell> cells{row.name, text(row.type), total ? Cell() : Cell(std::string(name(row.match.kind)))};
  const bool both = !std::isnan(row.change.ratio);
  cells.insert(cells.end(),
               {both ? Cell(verdict_words(row)) : Cell(), both ? Cell(change_words(row.change.ratio)) : Cell(),
                cell(row.change.ratio), cell(row.change.low), cell(row.change.high), cell(row.change.probability),
                cell(row.before_ns), cell(row.after_ns),
                cell(std::isnan(row.before_ns) && std::isnan(row.after_ns) ? row.before_ns : difference_ns(row)),
                cell(row.share), cell(row.compulsory.before), cell(row.compulsory.after)});
  for (const ByteChange& bytes : row.links) cells.insert(cells.end(), {cell(bytes.before), cell(bytes.after)});
  cells.insert(cells.end(), {text(row.before_verdict), text(row.after_verdict),
                             text(fmt::format("{}", fmt::join(row.notes, "; ")))});
  return cells;
}

/// From this part of the step on, a change between ops has a row.
constexpr double kBetweenWorthSaying = 0.05;

/// The time outside all ops, which no op explains; its change is not judged.
std::optional<CompareRow> between_row(const Comparison& c) {
  const double changed = std::abs(c.between_after_ns - c.between_before_ns);
  if (!(changed >= kBetweenWorthSaying * c.total.before_ns)) return {};
  CompareRow row;
  row.name = say("(between ops)");
  row.before_ns = c.between_before_ns, row.after_ns = c.between_after_ns;
  row.share = 0.5 * (row.before_ns / c.total.before_ns + row.after_ns / c.total.after_ns);
  row.change.ratio = row.change.low = row.change.high = row.change.probability = kUnknown;
  row.compulsory = {kUnknown, kUnknown};
  row.links.assign(c.links.size(), {kUnknown, kUnknown});
  return row;
}

}  // namespace

std::vector<const CompareRow*> ranked_rows(const Comparison& c) {
  std::vector<const CompareRow*> ranked;
  for (const CompareRow& row : c.rows) ranked.push_back(&row);
  std::ranges::stable_sort(ranked, [](const CompareRow* a, const CompareRow* b) {
    if (called(*a) != called(*b)) return called(*a);
    return std::abs(difference_ns(*a)) > std::abs(difference_ns(*b));
  });
  return ranked;
}

Table compare_table(const Comparison& c) {
  Table table{.name = "compare", .columns = columns_of(c), .rows = {}, .row_ops = {}};
  table.rows.push_back(cells_of(c.total, true));
  table.row_ops.push_back(kNoOp);
  if (const auto between = between_row(c)) {
    table.rows.push_back(cells_of(*between, true));
    table.row_ops.push_back(kNoOp);
  }
  for (const CompareRow* row : ranked_rows(c)) {
    table.rows.push_back(cells_of(*row, false));
    table.row_ops.push_back(row->match.after.empty() ? kNoOp : row->match.after.front());
  }
  return table;
}

}  // namespace profiler
