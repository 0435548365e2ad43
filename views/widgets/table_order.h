// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a Table are shown and in which order, and how a column's numbers are written under one unit; pure.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/base/table.h"

namespace views {

/// A permutation of the rows: sorted by a column, filtered by text. Unknown cells come last in both directions; equal
/// cells keep their order. Words of the filter (spaces between) must all occur in some text cell of the row, whatever
/// their case.
class TableOrder {
 public:
  explicit TableOrder(const profiler::Table&);
  /// `column` -1: the table's own order.
  std::vector<uint32_t> rows(int column, bool descending, const QString& filter) const;

 private:
  const profiler::Table& table_;
  std::vector<QString> texts_;  // per row: its text cells, lower case
};

/// One unit for a whole column: value / scale with fixed decimals, so that digits stand in line.
struct ColumnUnit {
  double scale = 1;
  QString unit;  ///< "ms"; empty: none
  int decimals = 0;
  profiler::Quantity quantity = profiler::Quantity::text;
};
/// The unit in which the column's upper quartile has three significant digits; `small_counts`: its smallest number has,
/// but for those below a tenth of a percent or of a count. Columns "before_X", "after_X" and "difference_X" are read
/// within a row and share theirs.
ColumnUnit column_unit(const profiler::Table&, size_t column, bool small_counts = false);
/// Neither a text nor a finite number: shown as an en dash.
bool is_unknown(const profiler::Cell&);
/// "12.30"; "4.10 ns" for what the column's unit would round to nothing, "<0.1" where there is no smaller one; "–" for
/// unknown.
QString format_in(const profiler::Cell&, const ColumnUnit&);
/// "Time [ms]".
QString column_title(const profiler::Column&, const ColumnUnit&);
/// A text of the engine or the profiler in the language of the window, such as the title of a column or the help of a
/// parameter. They have no languages: packaging/linux/update-translations finds these texts in their sources.
QString translated(const std::string& english);

}  // namespace views
