// SPDX-License-Identifier: Apache-2.0
// Words that several parts of a report share.
#include "profiler/report/words.h"

#include <algorithm>
#include <cmath>

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

std::string origin_meaning(Origin origin) {
  switch (origin) {
    case Origin::exact: return "counted from shapes or settings; no error band";
    case Origin::measured: return "read from a clock or a counter while the work ran";
    case Origin::simulated: return "counted in a simulation of every access";
    case Origin::modelled:
      return "computed from shapes, sizes and roofs by a model; its error band is given where it is known";
    case Origin::specified: return "claimed by the system or a data sheet";
    case Origin::emulated: return "read from the clock of an emulation; not a GPU's speed";
  }
  return {};
}

}  // namespace profiler
