// SPDX-License-Identifier: Apache-2.0
// query_capture: one read-only SELECT on a capture file, with limits on rows, bytes and time.
#include <fmt/format.h>

#include <string_view>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_open.h"

namespace profiler {

using engine::Error;
using engine::Result;
using engine::usage_error;

namespace {

constexpr double kSecondsToAnswer = 60;
constexpr size_t kMaxBytes = size_t{256} << 20;

/// Reading is allowed, and the pragmas that describe tables; all else is not. `context`: bool, set
/// when something was denied.
int authorize(void* context, int action, const char* first, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_PRAGMA:
      for (const std::string_view allowed : {"table_info", "table_xinfo", "table_list", "index_list", "index_info"}) {
        if (first != nullptr && allowed == first) return SQLITE_OK;
      }
      break;
    default: break;
  }
  *static_cast<bool*>(context) = true;
  return SQLITE_DENY;
}

Error refusal(const OpenedCapture& file, const std::string& reason) {
  return usage_error(fmt::format("[query] {}: {}", sqlite::shown(file.database().file()), reason));
}

std::string cell_text(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return "NULL";
    case SQLITE_INTEGER: return std::to_string(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT: return fmt::format("{}", sqlite3_column_double(row, column));
    default: break;
  }
  const auto* data = static_cast<const char*>(sqlite3_column_blob(row, column));
  const std::string_view bytes(data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(row, column)));
  if (sqlite3_column_type(row, column) == SQLITE_TEXT) return std::string(bytes);
  std::string hex = "X'";
  for (const char c : bytes) hex += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return hex + "'";
}

/// The only statement in `sql`.
Result<sqlite::Statement> single_statement(const OpenedCapture& file, const std::string& sql, const bool& denied) {
  sqlite3* const handle = file.database().handle();
  sqlite3_stmt* first = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(handle, sql.c_str(), static_cast<int>(sql.size()) + 1, 0, &first, &tail);
  if (code != SQLITE_OK && denied) return refusal(file, "only reading is allowed: one SELECT");
  if (code == SQLITE_TOOBIG) return refusal(file, "the statement is too long");
  if (code != SQLITE_OK) return refusal(file, sqlite3_errmsg(handle));
  sqlite::Statement statement(first);
  if (first == nullptr) return refusal(file, "the statement is empty");
  sqlite3_stmt* second = nullptr;
  const int rest = sqlite3_prepare_v3(handle, tail, -1, 0, &second, nullptr);
  const sqlite::Statement guard(second);
  if (rest != SQLITE_OK || second != nullptr) return refusal(file, "one statement at a time");
  if (!sqlite3_stmt_readonly(first)) return refusal(file, "only reading is allowed: one SELECT");
  return statement;
}

}  // namespace

Result<QueryResult> query_capture(const std::filesystem::path& file, const std::string& sql, size_t max_rows) {
  auto opened = OpenedCapture::open(file, kSecondsToAnswer);
  if (!opened) return opened.error();
  sqlite3* const handle = opened->database().handle();
  bool denied = false;
  sqlite3_set_authorizer(handle, authorize, &denied);
  auto statement = single_statement(*opened, sql, denied);
  if (!statement) return statement.error();
  sqlite3_stmt* const row = statement->handle();
  QueryResult result;
  const int columns = sqlite3_column_count(row);
  for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(row, i));
  size_t bytes = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    if (result.rows.size() >= max_rows || bytes > kMaxBytes) {
      result.truncated = true;
      return result;
    }
    std::vector<std::string> cells;
    std::vector<bool> numeric;
    for (int i = 0; i < columns; ++i) {
      const int type = sqlite3_column_type(row, i);
      numeric.push_back(type == SQLITE_INTEGER || type == SQLITE_FLOAT);
      cells.push_back(cell_text(row, i));
      bytes += cells.back().size() + sizeof(std::string);
    }
    result.rows.push_back(std::move(cells));
    result.numeric.push_back(std::move(numeric));
  }
  if (code == SQLITE_DONE) return result;
  if (opened->database().timed_out()) return refusal(*opened, fmt::format("stopped after {:.0f} s", kSecondsToAnswer));
  return refusal(*opened, sqlite3_errmsg(handle));
}

}  // namespace profiler
