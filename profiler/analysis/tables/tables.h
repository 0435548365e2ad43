// SPDX-License-Identifier: Apache-2.0
// The analyses as tables: one function each, and a catalog by which `analyze --table` and *Show data* find them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/scope.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/base/table.h"

namespace profiler {

struct TableText {
  Table table;
  std::vector<std::string> sentences;  ///< under its rows
};

/// One line per table in table_catalog.cpp; `analyze --table`, its help and tests are made from it.
struct TableEntry {
  const char* name;  ///< "roofline": analyze --table roofline; Table::name of what `make` returns
  const char* help;  ///< its rows in a few words, for --help
  /// OpsBy: what the rows of "ops" are; the others ignore it. Null: `together` makes them.
  Table (*make)(const Analyzed&, OpsBy) = nullptr;
  /// Sentences under its rows; null: none, or `together` makes them.
  std::vector<std::string> (*sentences)(const Analyzed&) = nullptr;
  /// Why it has no rows, where there is more to say than that; null, or an empty text: nothing more. Asked of captures
  /// with ops alone, but for tables with `without_ops`.
  std::string (*why_empty)(const Analyzed&) = nullptr;
  bool without_ops = false;  ///< its rows are not of ops
  /// Rows and sentences, where one analysis makes both; null: the two above do.
  TableText (*together)(const Analyzed&) = nullptr;

  Table table(const Analyzed&, OpsBy) const;
  TableText text(const Analyzed&, OpsBy) const;
};
std::span<const TableEntry> table_catalog();
const std::vector<std::string>& table_names();  ///< of the catalog, in its order
/// The entry of a name; fails (usage) naming the nearest valid name.
engine::Result<const TableEntry*> find_table(const std::string& name);
/// Why a table of this capture has no rows, as a sentence.
std::string why_empty(const TableEntry&, const Analyzed&);

/// A table by name; fails as find_table() does.
engine::Result<Table> table_by_name(const Analyzed&, const std::string& name, OpsBy);

Table summary_table(const Analyzed&);
Table traffic_table(const Analyzed&, const Scope&);
/// One row per op and link: compulsory bytes, I/O lower bound, modelled, simulated and measured bytes, hits and misses,
/// layer condition.
Table cache_table(const Analyzed&);
/// Simulated bytes by op, link and tensor.
Table cache_tensors_table(const Analyzed&);
Table roofline_table(const Analyzed&);
Table roofs_table(const Analyzed&);
Table memory_table(const Analyzed&);
/// One row per tensor: device, type, shape, role, bytes, life.
Table tensors_table(const Analyzed&);
Table verdicts_table(const Analyzed&);
/// The thresholds, and which of them the user changed.
Table rules_table(const VerdictRules&);

}  // namespace profiler
