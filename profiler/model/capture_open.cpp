// SPDX-License-Identifier: Apache-2.0
// What is checked before a single row of a .tide file is believed.
#include "profiler/model/capture_open.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "profiler/model/capture_schema.h"
#include "profiler/model/capture_target.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
namespace fs = std::filesystem;

namespace {

struct Found {
  FileHeader header;
  int64_t size_bytes = 0;
  bool has_log = false;
};

bool has_bytes(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) > 0 && !error;
}

Result<Found> examine(const fs::path& file, const std::string& name) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return refused_error(fmt::format("{}: there is no such file", name));
  if (fs::is_directory(status))
    return refused_error(fmt::format("{}: is a directory, not a capture", name));
  if (!fs::is_regular_file(status))
    return refused_error(fmt::format("{}: is not a regular file", name));
  Found found;
  found.size_bytes = static_cast<int64_t>(fs::file_size(file, error));
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream)
    return refused_error(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  if (found.size_bytes == 0)
    return refused_error(fmt::format(
        "{}: is empty; a run that got no further than opening it leaves such a file", name));
  std::string front(100, '\0');
  stream.read(front.data(), static_cast<std::streamsize>(front.size()));
  front.resize(static_cast<size_t>(stream.gcount()));
  found.header = parse_file_header(front);
  if (!found.header.sqlite)
    return refused_error(fmt::format("{}: is not a capture (no SQLite database)", name));
  if (!found.header.ours) {
    return refused_error(
        fmt::format("{}: is an SQLite database, but not a capture of this program", name));
  }
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path beside = sidecar(file, suffix);
    if (!has_bytes(beside)) continue;
    found.has_log = true;
    found.size_bytes += static_cast<int64_t>(fs::file_size(beside, error));
  }
  // With a log the file may be short: its last pages may stand in the log alone (the disk was full when they were to be moved).
  if (!found.has_log && found.size_bytes < found.header.expected_bytes) {
    return refused_error(fmt::format("{}: is truncated: it has {} of {} bytes", name,
                                     found.size_bytes, found.header.expected_bytes));
  }
  return found;
}

}  // namespace

Result<void> distrust(Database& database, double seconds) {
  struct Limit {
    int what, value;
  };
  for (const Limit limit :
       {Limit{SQLITE_LIMIT_LENGTH, 64 << 20}, Limit{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        Limit{SQLITE_LIMIT_COLUMN, 256}, Limit{SQLITE_LIMIT_EXPR_DEPTH, 100},
        Limit{SQLITE_LIMIT_ATTACHED, 0}, Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1}}) {
    sqlite3_limit(database.handle(), limit.what, limit.value);
  }
  int now = 0;
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, &now);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &now);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, &now);
  database.set_time_limit(seconds);
  return database.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

namespace {

/// Whoever wrote a file with a newer schema says so in META_DATA_EXPORT.
std::string written_by(const Database& database) {
  auto row = sqlite::Statement::prepare(
      database, "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'");
  if (!row || sqlite3_step(row->handle()) != SQLITE_ROW) return "a newer version";
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row->handle(), 0));
  return text == nullptr ? "a newer version" : sqlite::shown(fmt::format("version {:.40}", text));
}

}  // namespace

OpenedCapture::Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Result<std::unique_ptr<OpenedCapture::Folder>> OpenedCapture::copy_with_log(
    const fs::path& file, const std::string& name) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "tensortide-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return refused_error(
        fmt::format("{}: its run did not finish; reading it needs a temporary copy, but {} cannot "
                    "be written: {}",
                    name, pattern, std::strerror(errno)));
  }
  auto folder = std::make_unique<Folder>(pattern);
  for (const char* suffix : {"", "-wal", "-journal"}) {
    const fs::path from = sidecar(file, suffix);
    if (*suffix != '\0' && !has_bytes(from)) continue;
    if (!fs::copy_file(from, sidecar(folder->path / "capture", suffix), error)) {
      return refused_error(
          fmt::format("{}: its run did not finish; copying it to {} for reading failed: {}", name,
                      pattern, error.message()));
    }
  }
  return folder;
}

Result<OpenedCapture> OpenedCapture::open(const fs::path& as_given, double seconds) {
  const std::string name = sqlite::shown(as_given);
  std::error_code error;
  const fs::path file = fs::absolute(as_given, error);
  const Result<Found> found = examine(file, name);
  if (!found) return found.error();
  std::unique_ptr<Folder> folder;
  if (found->has_log) {
    auto copied = copy_with_log(file, name);
    if (!copied) return copied.error();
    folder = std::move(*copied);
  }
  // Nobody writes a file without log, so it is opened as immutable: no lock, no -shm, and a
  // read-only folder will do.
  auto database =
      folder ? Database::open(folder->path / "capture", SQLITE_OPEN_READWRITE, "", as_given)
             : Database::open(file, SQLITE_OPEN_READONLY, "immutable=1", as_given);
  if (!database) return database.error();
  const double reading_rate = 5e6;  // bytes/s, a slow disk
  if (Result<void> done =
          distrust(*database, seconds + static_cast<double>(found->size_bytes) / reading_rate);
      !done)
    return done.error();
  if (found->header.schema_number > kSchemaNumber) {
    return refused_error(
        fmt::format("{}: was written by {} in file format {}; this is version {}, which reads up "
                    "to format {}: update this program",
                    name, written_by(*database), found->header.schema_number, TENSORTIDE_VERSION,
                    kSchemaNumber));
  }
  if (found->header.schema_number == 0)
    return refused_error(fmt::format("{}: is damaged: it names no file format", name));
  return OpenedCapture(std::move(folder), std::move(*database), found->size_bytes,
                       found->header.schema_number);
}

bool OpenedCapture::has_table(std::string_view name) const {
  auto found = sqlite::Statement::prepare(database_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (!found) return false;
  found->bind(1, name);
  return sqlite3_step(found->handle()) == SQLITE_ROW;
}

}  // namespace profiler
