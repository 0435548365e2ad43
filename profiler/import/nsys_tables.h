// SPDX-License-Identifier: Apache-2.0
// NsysTables: rows of an nsys export by the names of their columns; tables and columns may be absent, values of any
// type.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/import/byte_stream.h"
#include "profiler/import/findings.h"
#include "profiler/store/sqlite.h"

namespace profiler {

/// The row a scan stands on; columns count in the order they were asked for.
class NsysRow {
 public:
  NsysRow(sqlite3_stmt* statement) : statement_(statement) {}  // NOLINT: implicit on purpose
  bool has(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }
  int64_t integer(int column, int64_t otherwise) const {
    return has(column) ? sqlite3_column_int64(statement_, column) : otherwise;
  }
  /// -1 where it is NULL, no integer or out of range.
  int32_t figure(int column) const;
  int64_t count(int column) const { return std::max<int64_t>(-1, integer(column, -1)); }
  std::optional<double> real(int column) const;
  std::string_view text(int column) const;  ///< empty where it is no text

 private:
  sqlite3_stmt* statement_;
};

class NsysTables {
 public:
  /// Refused: no such file, no SQLite database, truncated, damaged (quick_check), locked away.
  static engine::Result<NsysTables> open(const std::filesystem::path& file, const ImportControl&);

  bool has(std::string_view table) const;
  /// Calls row() for each row; columns that the table lacks are NULL. An absent table has no rows. `required` first
  /// columns: a table without one of them is refused, naming it.
  engine::Result<void> each(const std::string& table, std::initializer_list<const char*> columns, int required,
                            const std::function<void(const NsysRow&)>& row) const;
  struct Rows {
    std::string name;
    int64_t count = 0;  ///< of a table
    bool view = false;
  };
  /// Tables with rows that have one of these columns, and all views, by name.
  engine::Result<std::vector<Rows>> with_rows(std::initializer_list<const char*> columns) const;
  const std::filesystem::path& file() const { return database_.file(); }

 private:
  engine::Result<std::set<std::string>> columns_of(const std::string& table) const;
  NsysTables(sqlite::Database database, const ImportControl& control)
      : database_(std::move(database)), control_(control) {}
  sqlite::Database database_;
  ImportControl control_;
};

}  // namespace profiler
