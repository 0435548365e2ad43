// SPDX-License-Identifier: Apache-2.0
// NsysTables: a foreign database opened without trust, its columns found by name.
#include "profiler/import/nsys_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/base/read_file.h"
#include "profiler/store/capture_open.h"
#include "profiler/store/capture_target.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

std::string in_quotes(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

int32_t NsysRow::figure(int column) const {
  const int64_t value = integer(column, -1);
  return value < 0 || value > std::numeric_limits<int32_t>::max() ? -1 : static_cast<int32_t>(value);
}

std::optional<double> NsysRow::real(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  const double value = sqlite3_column_double(statement_, column);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string_view NsysRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return data == nullptr ? std::string_view()
                         : std::string_view(data, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<NsysTables> NsysTables::open(const std::filesystem::path& as_given, const ImportControl& control) {
  const std::string name = sqlite::shown(as_given);
  std::error_code error;
  std::filesystem::path file =
      std::filesystem::canonical(as_given, error);  // logs lie beside the file, not beside a link to it
  if (error) file = std::filesystem::absolute(as_given, error);
  constexpr uint64_t kHeader = 100;
  const Result<std::string> front = engine::read_front(as_given, kHeader);
  if (!front) return front.error();
  const auto size = std::filesystem::file_size(file, error);
  if (error) return refused_error(fmt::format("{}: cannot be read: {}", name, error.message()));
  const FileHeader header = parse_file_header(*front);
  if (front->starts_with("\x1f\x8b")) {
    return refused_error(name +
                         ": is compressed with gzip, and a database cannot be read from that: unpack it with `gunzip "
                         "-k` and import the .sqlite");
  }
  if (!header.sqlite) return refused_error(name + ": is no SQLite database");
  if (static_cast<int64_t>(size) < header.expected_bytes) {
    return refused_error(
        fmt::format("{}: is truncated: it has {} of {} bytes; export it again", name, size, header.expected_bytes));
  }
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::filesystem::path beside = sidecar(file, suffix);
    if (std::filesystem::is_regular_file(beside, error) && std::filesystem::file_size(beside, error) > 0) {
      return refused_error(
          fmt::format("{}: {} lies beside it: its writer has not finished; open it once with sqlite3, or export again",
                      name, sqlite::shown(beside.filename())));
    }
  }
  auto database = open_untrusted(file, as_given, 60 + static_cast<double>(size) / 5e6);
  if (!database) return database.error();
  const Result<std::string> said = structure_of(*database);
  if (!said) return said.error();
  // what the schema promises (NOT NULL, no further rules) is checked row by row; broken pages and trees are not
  // survivable
  if (*said != "ok" && said->find("NULL value in") == said->npos) {
    return refused_error(fmt::format("{}: is damaged: {:.200}; export it again", name, sqlite::shown(*said)));
  }
  return NsysTables(std::move(*database), control);
}

bool NsysTables::has(std::string_view table) const {
  const Result<bool> there = sqlite::has_table(database_, table);
  return there && *there;
}

Result<std::set<std::string>> NsysTables::columns_of(const std::string& table) const {
  std::set<std::string> columns;
  const auto read = sqlite::each_row(database_, fmt::format("PRAGMA table_info({})", in_quotes(table)),
                                     "read the columns of " + table,
                                     [&columns](sqlite3_stmt* row) { columns.emplace(NsysRow(row).text(1)); });
  if (!read) return read.error();
  return columns;
}

Result<std::vector<NsysTables::Rows>> NsysTables::with_rows(std::initializer_list<const char*> columns) const {
  std::vector<Rows> all, found;
  const auto listed =
      sqlite::each_row(database_,
                       "SELECT name, type = 'view' FROM sqlite_master WHERE type = 'view' OR (type = 'table' AND "
                       "rootpage > 0) ORDER BY name",
                       "read the list of tables", [&all](const NsysRow& row) {
                         all.push_back({.name = std::string(row.text(0)), .view = row.integer(1, 0) == 1});
                       });
  if (!listed) return listed.error();
  for (Rows& table : all) {
    if (!table.view) {
      const Result<std::set<std::string>> present = columns_of(table.name);
      if (!present) return present.error();
      if (std::ranges::none_of(columns, [&present](const char* column) { return present->contains(column); })) continue;
      const auto count = sqlite::first_integer(database_, fmt::format("SELECT count(*) FROM {}", in_quotes(table.name)),
                                               "count the rows of " + table.name);
      if (!count) return count.error();
      table.count = count->value_or(0);
    }
    if (table.view || table.count > 0) found.push_back(std::move(table));
  }
  return found;
}

Result<void> NsysTables::each(const std::string& table, std::initializer_list<const char*> columns, int required,
                              const std::function<void(const NsysRow&)>& row) const {
  if (!has(table)) return {};
  const Result<std::set<std::string>> present = columns_of(table);
  if (!present) return present.error();
  std::string list;
  int index = 0;
  for (const char* column : columns) {
    const bool there = present->contains(column);
    if (!there && index < required) {
      return refused_error(fmt::format("{}: table {} has no column {}: this layout of nsys is not known",
                                       sqlite::shown(file()), table, column));
    }
    list += fmt::format("{}{}", index++ == 0 ? "" : ", ", there ? in_quotes(column) : "NULL");
  }
  auto rows = Statement::prepare(database_, fmt::format("SELECT {} FROM {}", list, in_quotes(table)));
  if (!rows) return rows.error();
  int64_t count = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows->handle())) == SQLITE_ROW) {
    row(rows->handle());
    if (++count % 4096 == 0 && control_.stopped())
      return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file())));
  }
  if (code != SQLITE_DONE) return database_.error("read table " + table);
  return {};
}

}  // namespace profiler
