// SPDX-License-Identifier: Apache-2.0
// TableScan: reads one table of a capture file row by row, checks the type and range of every
// value, and sums what it saw.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "profiler/store/capture_open.h"
#include "profiler/store/capture_schema.h"

namespace profiler {

/// Keeps the first error; after it next() is false and values are harmless defaults.
class TableScan {
 public:
  TableScan(const OpenedCapture& capture, Tide table);
  bool next();

  // Columns count from 0 in the order of TableSpec::columns; `what` names the column in messages.
  int64_t integer(int column, const char* what, int64_t low, int64_t high);
  int64_t count(int column, const char* what) { return integer(column, what, 0, std::numeric_limits<int64_t>::max()); }
  bool flag(int column, const char* what) { return integer(column, what, 0, 1) != 0; }
  /// An index below `limit`.
  uint32_t id(int column, const char* what, size_t limit);
  /// Same, or NULL: 0xffffffff.
  uint32_t id_or_none(int column, const char* what, size_t limit);
  double real(int column, const char* what);
  /// A text that is shown: as engine::display_line() writes it.
  std::string text(int column, const char* what);
  /// A text that is used, byte for byte: a command, a file's name, JSON. Whoever shows it escapes it.
  std::string raw(int column, const char* what);
  /// Bytes, whatever they are.
  std::string blob(int column, const char* what);
  bool is_null(int column) const;
  bool is_text(int column) const;
  bool is_integer(int column) const;

  /// Rows stepped over so far; in a finished table, how many there are.
  int64_t row() const { return row_; }
  template <class... T>
  void fail(fmt::format_string<T...> format, T&&... values) {
    fail_with(fmt::format(format, std::forward<T>(values)...));
  }
  /// Refuses the file in these words, which follow its name: it is not damaged.
  void refuse(const std::string& words);
  bool failed() const { return error_.has_value(); }
  const engine::Error& error() const { return *error_; }
  TableSum sum() const { return hasher_.sum(); }

 private:
  void fail_with(const std::string& reason);

  const OpenedCapture& capture_;
  const TableSpec& spec_;
  std::optional<sqlite::Statement> rows_;
  RowHasher hasher_;
  int64_t row_ = 0;
  std::optional<engine::Error> error_;
};

}  // namespace profiler
