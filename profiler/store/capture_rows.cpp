// SPDX-License-Identifier: Apache-2.0
// Rows against indexes, checksums and the packed copy.
#include "profiler/store/capture_rows.h"

#include <fmt/format.h>

#include <string>

#include "profiler/store/capture_open.h"
#include "profiler/store/capture_pack.h"
#include "profiler/store/capture_schema.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;

namespace {

constexpr double kSecondsToCheck = 60;
constexpr const char* kDoing = "check its rows";

engine::Error damaged(const Database& database, const std::string& why) {
  return refused_error(fmt::format("{}: is damaged: {}", sqlite::shown(database.file()), why));
}

Result<void> check_packed(const Database& database) {
  const auto start =
      sqlite::first_integer(database, "SELECT systemClockNs FROM TARGET_INFO_SESSION_START_TIME", kDoing);
  if (!start) return start.error();
  if (!*start) return damaged(database, "no start of the session");
  if (Result<void> same = compare_packed_events(database, **start); !same) return same;
  // and what the copy has no column for
  const TableSpec& events = spec(Tide::events);
  const auto written = sqlite::first_text(
      database, fmt::format("SELECT xxh3 FROM TIDE_CHECKSUM WHERE tableName = '{}'", events.name), kDoing);
  if (!written) return written.error();
  const Result<TableSum> sum = sum_table(database, events);
  if (!sum) return sum.error();
  if (sum->xxh3 == written->value_or("")) return {};
  return damaged(database, fmt::format("table {} has checksum {}, written was {}", events.name, sum->xxh3,
                                       sqlite::shown(written->value_or("none"))));
}

}  // namespace

Result<void> check_rows(const std::filesystem::path& file) {
  auto opened = OpenedCapture::open(file, kSecondsToCheck);
  if (!opened) return opened.error();
  const Database& database = opened->database();
  const auto verdict = sqlite::first_text(database, "PRAGMA integrity_check(1)", kDoing);
  if (!verdict) return verdict.error();
  if (*verdict != "ok")
    return damaged(database, fmt::format("{:.200}", sqlite::shown(verdict->value_or("no verdict"))));
  if (!opened->log_damage().empty()) return damaged(database, opened->log_damage());
  return opened->has_table("TIDE_EVENT_PACK") && opened->has_table(spec(Tide::checksums).name) ? check_packed(database)
                                                                                               : Result<void>();
}

}  // namespace profiler
