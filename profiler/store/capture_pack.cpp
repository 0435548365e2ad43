// SPDX-License-Identifier: Apache-2.0
// Writes and reads TIDE_EVENT_PACK.
#include "profiler/store/capture_pack.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int kColumnCount = 9;  // of ActivityColumns::visit

/// Over all that a row says.
int64_t sum_of(int64_t chunk, int64_t column, const PackedChunk& c) {
  const std::array<uint64_t, 5> head{static_cast<uint64_t>(chunk), static_cast<uint64_t>(column), c.base, c.rows,
                                     c.width};
  const XXH64_hash_t seed = XXH3_64bits(head.data(), sizeof head);
  return static_cast<int64_t>(XXH3_64bits_withSeed(c.bytes.data(), c.bytes.size(), seed));
}

Result<int64_t> count_of(const Database& database, const char* sql) {
  const auto count = sqlite::first_integer(database, sql, "count events");
  if (!count) return count.error();
  return count->value_or(0);
}

/// The activities of NVTX_EVENTS in the order of their rows.
Result<ActivityColumns> pack_events(const Database& database, int64_t session_start_ns) {
  ActivityColumns columns;
  const auto add = [&columns, session_start_ns](sqlite3_stmt* row) {
    const auto id_or_none = [row](int column) {
      return sqlite3_column_type(row, column) == SQLITE_NULL ? 0xffffffffu
                                                             : static_cast<uint32_t>(sqlite3_column_int64(row, column));
    };
    columns.push_back({.start_ns = session_start_ns + sqlite3_column_int64(row, 0),
                       .duration_ns = sqlite3_column_int64(row, 1),
                       .correlation = static_cast<uint64_t>(sqlite3_column_int64(row, 2)),
                       .name = static_cast<NameId>(sqlite3_column_int64(row, 3)),
                       .op = id_or_none(4),
                       .step = id_or_none(5),
                       .track = static_cast<TrackId>(sqlite3_column_int64(row, 6)),
                       .kind = static_cast<ActivityKind>(sqlite3_column_int64(row, 7)),
                       .flags = static_cast<uint8_t>(sqlite3_column_int64(row, 8))});
  };
  const auto read = sqlite::each_row(
      database,
      "SELECT start, \"end\" - start, tideCorrelation, textId, tideOp, tideStep, tideTrack, tideKind, tideFlags "
      "FROM NVTX_EVENTS ORDER BY rowid",
      "read table NVTX_EVENTS", add);
  if (!read) return read.error();
  ActivityColumns::visit(columns, [](auto& column) { column.seal(); });
  return columns;
}

Result<void> insert_pack(const Database& database, const ActivityColumns& columns) {
  Result<void> done = database.execute(
      "CREATE TABLE TIDE_EVENT_PACK(chunk INTEGER NOT NULL, columnIndex INTEGER NOT NULL, base INTEGER NOT NULL, "
      "rowCount INTEGER NOT NULL, width INTEGER NOT NULL, bytes BLOB NOT NULL, xxh3 INTEGER NOT NULL)");
  if (!done) return done;
  auto insert = Statement::prepare(database, "INSERT INTO TIDE_EVENT_PACK VALUES (?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return insert.error();
  for (size_t chunk = 0; chunk < columns.start_ns.chunk_count(); ++chunk) {
    int64_t index = 0;
    ActivityColumns::visit(columns, [&](const auto& column) {
      if (!done) return;
      const PackedChunk& c = column.chunk(chunk);
      const auto at = static_cast<int64_t>(chunk);
      insert->bind(1, at).bind(2, index).bind(3, static_cast<int64_t>(c.base)).bind(4, int64_t{c.rows});
      insert->bind(5, int64_t{c.width}).bind_blob(6, c.bytes).bind(7, sum_of(at, index, c));
      done = insert->run(database);
      ++index;
    });
  }
  return done;
}

}  // namespace

Result<void> write_packed_events(const Database& database, int64_t session_start_ns, int64_t from_rows) {
  const Result<int64_t> rows = count_of(database, "SELECT count(*) FROM NVTX_EVENTS");
  if (!rows) return rows.error();
  if (*rows < from_rows) return {};
  auto columns = pack_events(database, session_start_ns);
  if (!columns) return columns.error();
  return insert_pack(database, *columns);
}

Result<void> write_packed_events(const Database& database, ActivityColumns rows) {
  if (static_cast<int64_t>(rows.size()) < kPackedFromRows) return {};
  ActivityColumns::visit(rows, [](auto& column) { column.seal(); });
  return insert_pack(database, rows);
}

namespace {

/// One row of the table; nothing when it is not what belongs at (chunk, column).
std::optional<PackedChunk> chunk_at(sqlite3_stmt* row, int64_t chunk, int64_t column) {
  for (const int i : {0, 1, 2, 3, 4, 6}) {
    if (sqlite3_column_type(row, i) != SQLITE_INTEGER) return std::nullopt;
  }
  const int64_t rows = sqlite3_column_int64(row, 3), width = sqlite3_column_int64(row, 4);
  const bool known = width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
  if (sqlite3_column_int64(row, 0) != chunk || sqlite3_column_int64(row, 1) != column || !known || rows < 1 ||
      rows > static_cast<int64_t>(PackedColumn<int64_t>::kChunkRows)) {
    return std::nullopt;
  }
  const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(row, 5));
  const int64_t size = sqlite3_column_bytes(row, 5);
  if (size != rows * width || (size > 0 && bytes == nullptr)) return std::nullopt;
  PackedChunk c{.base = static_cast<uint64_t>(sqlite3_column_int64(row, 2)),
                .rows = static_cast<uint32_t>(rows),
                .width = static_cast<uint8_t>(width),
                .bytes = {bytes, bytes + size}};
  if (sum_of(chunk, column, c) != sqlite3_column_int64(row, 6)) return std::nullopt;
  return c;
}

}  // namespace

Result<std::optional<ActivityColumns>> read_packed_events(const Database& database, int64_t rows) {
  const Result<bool> there = sqlite::has_table(database, "TIDE_EVENT_PACK");
  if (!there) return there.error();
  if (!*there) return std::optional<ActivityColumns>();
  const auto damaged = [&](const std::string& why) {
    return refused_error(fmt::format("{}: is damaged: table TIDE_EVENT_PACK {}", sqlite::shown(database.file()), why));
  };
  auto select = Statement::prepare(
      database, "SELECT chunk, columnIndex, base, rowCount, width, bytes, xxh3 FROM TIDE_EVENT_PACK ORDER BY rowid");
  if (!select) return select.error();
  ActivityColumns columns;
  int64_t chunk = 0, column = 0;
  uint32_t rows_of_chunk = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(select->handle())) == SQLITE_ROW) {
    auto c = chunk_at(select->handle(), chunk, column);
    const auto full = PackedColumn<int64_t>::kChunkRows;
    // short chunks come last, and all columns of a chunk are equally long
    if (!c || (column == 0 ? columns.size() % full != 0 : c->rows != rows_of_chunk)) {
      return damaged(fmt::format("is not what was written at chunk {}, column {}", chunk, column));
    }
    rows_of_chunk = c->rows;
    int64_t index = 0;
    ActivityColumns::visit(columns, [&](auto& into) {
      if (index++ == column) into.append(std::move(*c));
    });
    if (++column == kColumnCount) column = 0, ++chunk;
  }
  if (code != SQLITE_DONE) return database.error("read table TIDE_EVENT_PACK");
  if (column != 0 || static_cast<int64_t>(columns.size()) != rows) {
    return damaged(fmt::format("has {} whole rows, written were {}", columns.size(), rows));
  }
  return std::optional<ActivityColumns>(std::move(columns));
}

namespace {

bool same(const Activity& a, const Activity& b) {
  return a.start_ns == b.start_ns && a.duration_ns == b.duration_ns && a.correlation == b.correlation &&
         a.name == b.name && a.op == b.op && a.step == b.step && a.track == b.track && a.kind == b.kind &&
         a.flags == b.flags;
}

}  // namespace

Result<void> compare_packed_events(const Database& database, int64_t session_start_ns) {
  const Result<int64_t> count = count_of(database, "SELECT count(*) FROM NVTX_EVENTS NOT INDEXED");
  if (!count) return count.error();
  const auto packed = read_packed_events(database, *count);
  if (!packed) return packed.error();
  if (!*packed) return {};
  const auto rows = pack_events(database, session_start_ns);
  if (!rows) return rows.error();
  const auto differs = [&](size_t row) {
    return refused_error(
        fmt::format("{}: is damaged: row {} of table NVTX_EVENTS differs from TIDE_EVENT_PACK, which "
                    "every other command reads",
                    sqlite::shown(database.file()), row + 1));
  };
  if (rows->size() != (*packed)->size()) return differs(std::min(rows->size(), (*packed)->size()));
  for (size_t i = 0; i < rows->size(); ++i) {
    if (!same(rows->row(i), (*packed)->row(i))) return differs(i);
  }
  return {};
}

}  // namespace profiler
