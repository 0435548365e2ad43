// SPDX-License-Identifier: Apache-2.0
// Rows against indexes, checksums and the packed copy.
#include "profiler/model/capture_rows.h"

#include <fmt/format.h>

#include <string>

#include "profiler/model/capture_open.h"
#include "profiler/model/capture_pack.h"
#include "profiler/model/capture_schema.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr double kSecondsToCheck = 60;

engine::Error damaged(const Database& database, const std::string& why) {
  return refused_error(fmt::format("{}: is damaged: {}", sqlite::shown(database.file()), why));
}

/// One text or integer of the first row; empty: there is none.
Result<std::string> first_cell(const Database& database, const std::string& sql) {
  auto row = Statement::prepare(database, sql);
  if (!row) return row.error();
  const int code = sqlite3_step(row->handle());
  if (code == SQLITE_DONE) return std::string();
  if (code != SQLITE_ROW) return database.error("check its rows");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row->handle(), 0));
  return std::string(text == nullptr ? "" : text);
}

Result<void> check_packed(const Database& database) {
  auto start = Statement::prepare(database, "SELECT systemClockNs FROM TARGET_INFO_SESSION_START_TIME");
  if (!start) return start.error();
  if (sqlite3_step(start->handle()) != SQLITE_ROW) return damaged(database, "no start of the session");
  if (Result<void> same = compare_packed_events(database, sqlite3_column_int64(start->handle(), 0)); !same) return same;
  // and what the copy has no column for
  const TableSpec& events = spec(Tide::events);
  const Result<std::string> written = first_cell(database, fmt::format("SELECT xxh3 FROM TIDE_CHECKSUM WHERE tableName = '{}'", events.name));
  if (!written) return written.error();
  const Result<TableSum> sum = sum_table(database, events);
  if (!sum) return sum.error();
  if (sum->xxh3 == *written) return {};
  return damaged(database, fmt::format("table {} has checksum {}, written was {}", events.name, sum->xxh3, sqlite::shown(*written)));
}

}  // namespace

Result<void> check_rows(const std::filesystem::path& file) {
  auto opened = OpenedCapture::open(file, kSecondsToCheck);
  if (!opened) return opened.error();
  const Database& database = opened->database();
  const Result<std::string> verdict = first_cell(database, "PRAGMA integrity_check(1)");
  if (!verdict) return verdict.error();
  if (*verdict != "ok") return damaged(database, fmt::format("{:.200}", sqlite::shown(*verdict)));
  if (!opened->log_damage().empty()) return damaged(database, opened->log_damage());
  return opened->has_table("TIDE_EVENT_PACK") && opened->has_table(spec(Tide::checksums).name) ? check_packed(database) : Result<void>();
}

}  // namespace profiler
