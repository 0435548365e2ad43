// SPDX-License-Identifier: Apache-2.0
// A thin layer over SQLite: handles that close themselves, errors that name the file, rows read
// with their types checked.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace profiler::sqlite {

/// A path as shown in messages: engine::display_line() of its bytes.
std::string shown(const std::filesystem::path&);

/// Owns one connection. Not copied; errors name `file`.
class Database {
 public:
  /// `flags` as for sqlite3_open_v2. `uri_options`: "" opens the path as it is, else "immutable=1"
  /// and the like are appended.
  static engine::Result<Database> open(const std::filesystem::path& file, int flags, std::string_view uri_options,
                                       std::filesystem::path name_in_messages);
  sqlite3* handle() const { return handle_.get(); }
  const std::filesystem::path& file() const { return file_; }
  engine::Result<void> execute(const char* sql) const;
  /// What SQLite says last went wrong, with the system's reason (disk full, ...), naming the file.
  engine::Error error(std::string_view doing) const;
  /// From now on any statement that is still running at `seconds` from now ends with "interrupted".
  void set_time_limit(double seconds);
  bool timed_out() const { return deadline_ != nullptr && deadline_->passed; }
  /// Closes now instead of in the destructor.
  void close() { handle_.reset(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  struct Deadline {
    std::chrono::steady_clock::time_point at;
    bool passed = false;
  };
  std::unique_ptr<Deadline> deadline_;  // outlives handle_, whose progress handler points to it
  std::unique_ptr<sqlite3, Close> handle_;
  std::filesystem::path file_;
};

/// One prepared statement.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* handle = nullptr) : handle_(handle) {}  ///< takes it over
  static engine::Result<Statement> prepare(const Database&, std::string_view sql);
  sqlite3_stmt* handle() const { return handle_.get(); }

  // Values of the next run(); columns count from 1. NaN and `no text` are stored as NULL.
  Statement& bind(int column, int64_t value);
  Statement& bind(int column, double value);
  Statement& bind(int column, std::string_view text);
  Statement& bind_null(int column);
  Statement& bind_blob(int column, std::span<const uint8_t> bytes);  ///< borrowed until run()
  /// Runs a statement without rows, and makes it ready for the next values.
  engine::Result<void> run(const Database&);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Calls row(statement) for each row of a query.
template <class F>
engine::Result<void> each_row(const Database& database, std::string_view sql, std::string_view doing, F&& row) {
  auto rows = Statement::prepare(database, sql);
  if (!rows) return rows.error();
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows->handle())) == SQLITE_ROW) row(rows->handle());
  return code == SQLITE_DONE ? engine::Result<void>() : database.error(doing);
}

/// The integer in the first column of a query's first row; nothing: it has no row.
engine::Result<std::optional<int64_t>> first_integer(const Database&, std::string_view sql, std::string_view doing);
/// The same of a text; a number as SQLite writes it.
engine::Result<std::optional<std::string>> first_text(const Database&, std::string_view sql, std::string_view doing);
/// Whether there is a table of that name. Views and virtual tables are none: they could be an endless recursion, or run
/// code of SQLite.
engine::Result<bool> has_table(const Database&, std::string_view name);

/// A path by which an open file is opened again, whatever has its name meanwhile; empty: this system has none (no
/// /proc).
std::filesystem::path path_of_descriptor(int descriptor);

}  // namespace profiler::sqlite
