// SPDX-License-Identifier: Apache-2.0
// Words that several parts of a report share.
#include "profiler/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/capture/gpu_records.h"

namespace profiler {

ReportFact number_fact(std::string key, std::string label, double value, Quantity quantity, Origin origin,
                       std::string note) {
  return {std::move(key), std::move(label), value, quantity, origin, {}, std::move(note)};
}

ReportFact words_fact(std::string label, std::string text, Origin origin) {
  return {{}, std::move(label), std::nan(""), Quantity::text, origin, std::move(text), {}};
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string sentence_case(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string shown(const ReportFact& fact) {
  if (fact.quantity != Quantity::text) return format_quantity(fact.value, fact.quantity);
  return fact.text.empty() ? format_cell(Cell(), Quantity::text) : fact.text;
}

Table selected(const Table& table, const std::vector<std::string>& keys, size_t rows) {
  Table result{.name = table.name, .columns = {}, .rows = {}, .row_ops = {}};
  std::vector<size_t> kept;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (std::ranges::find(keys, table.columns[c].key) == keys.end()) continue;
    kept.push_back(c);
    result.columns.push_back(table.columns[c]);
  }
  for (size_t r = 0; r < std::min(rows, table.rows.size()); ++r) {
    std::vector<Cell> cells;
    for (const size_t c : kept) cells.push_back(table.rows[r][c]);
    result.rows.push_back(std::move(cells));
  }
  return result;
}

std::string without_signature(const std::string& name) {
  // "aten::conv2d [8,3,224,224] float (backward)" names an op by its shapes
  const size_t open = name.find('(');
  const bool signature =
      open != std::string::npos && open > 0 && name[open - 1] != ' ' && name.find(" [") == std::string::npos;
  return signature ? short_kernel_name(name) : name;
}

std::string short_name(const std::string& name, size_t limit) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };  // of a UTF-8 character
  const auto characters = [&](const std::string& text) {
    return static_cast<size_t>(std::ranges::count_if(text, starts));
  };
  std::string text = characters(name) > limit ? without_signature(name) : name;
  if (limit < 4 || characters(text) <= limit) return text;
  const size_t head = (limit - 1) * 3 / 5, tail = limit - 1 - head, all = characters(text);
  std::string result;
  size_t at = 0;
  for (const char c : text) {
    at += starts(c) ? 1 : 0;
    if (at == head + 1 && starts(c)) result += "…";
    if (at <= head || at > all - tail) result += c;
  }
  return result;
}

ShownCell shown_cell(const ReportTable& table, size_t row, size_t column) {
  std::string text = format_cell(table.table.rows[row][column], table.table.columns[column].quantity);
  // verdicts and notes are words of ours: no name stands for them
  const std::string& key = table.table.columns[column].key;
  const bool named = key == "op" || key == "kernel" || key == "type" || key == "layer";
  if (table.text_limit == 0 || !named) return {std::move(text)};
  std::string shorter = short_name(text, table.text_limit);
  const bool shortened = shorter != text;
  return {std::move(shorter), shortened};
}

ReportSection names_section(const SectionInput& in) {
  ReportSection section{.id = "names", .title = "Whole names", .blocks = {}};
  Table names;
  names.name = "names";
  names.columns = {{"shown", "In the tables", Quantity::text, Origin::exact, ""},
                   {"name", "Whole name", Quantity::text, Origin::exact, ""}};
  std::set<std::string> seen;
  for (const ReportSection& other : in.report->sections) {
    for (const ReportBlock& block : other.blocks) {
      const auto* table = std::get_if<ReportTable>(&block);
      if (table == nullptr) continue;
      const size_t rows = table->paper_rows == 0 ? table->table.rows.size() : table->paper_rows;
      for (size_t r = 0; r < std::min(rows, table->table.rows.size()); ++r) {
        for (size_t c = 0; c < table->table.columns.size(); ++c) {
          const ShownCell cell = shown_cell(*table, r, c);
          const auto* whole = std::get_if<std::string>(&table->table.rows[r][c]);
          if (cell.shortened && whole != nullptr && seen.insert(*whole).second)
            names.rows.push_back({cell.text, *whole});
        }
      }
    }
  }
  if (!names.rows.empty()) section.blocks.emplace_back(ReportTable{.title = "", .table = std::move(names), .rest = {}});
  return section;
}

std::string_view name(ReportKind kind) {
  switch (kind) {
    case ReportKind::capture: return "capture";
    case ReportKind::trace: return "trace";
    case ReportKind::sweep: return "sweep";
    case ReportKind::comparison: return "comparison";
  }
  return {};
}

ReportKind report_kind(const Capture& capture) {
  return capture.run().source.empty() ? ReportKind::capture : ReportKind::trace;
}

ReportTable definitions_of(const std::vector<Column>& columns) {
  Table definitions;
  definitions.name = "definitions";
  definitions.columns = {{"title", "Column", Quantity::text, Origin::exact, ""},
                         {"origin", "Origin", Quantity::text, Origin::exact, ""},
                         {"help", "What it is", Quantity::text, Origin::exact, ""}};
  std::set<std::string> seen;
  for (const Column& c : columns) {
    if (!c.help.empty() && seen.insert(c.title).second)
      definitions.rows.push_back({c.title, std::string(name(c.origin)), c.help});
  }
  return {.title = "Columns of the tables", .table = std::move(definitions), .rest = {}};
}

std::string origin_meaning(Origin origin) {
  switch (origin) {
    case Origin::exact: return "counted from shapes or settings; no error band";
    case Origin::measured: return "read from a clock or a counter while the work ran";
    case Origin::simulated: return "counted in a simulation of every access";
    case Origin::modelled:
      return "computed by a model from shapes and roofs; its error band is given where it is known";
    case Origin::specified: return "claimed by the system or a data sheet";
    case Origin::emulated: return "read from the clock of an emulation; not a GPU's speed";
  }
  return {};
}

}  // namespace profiler
