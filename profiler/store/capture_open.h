// SPDX-License-Identifier: Apache-2.0
// Opens a .tide file for reading, as if it were hostile, and leaves nothing beside it.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "profiler/store/sqlite.h"

namespace profiler {

/// An open capture file, never written to. With a log beside the file (the run was killed or is running), this is a
/// private copy with the log's content (log_playback.h). SQLite sees no log. The copy has no name, so that nothing of
/// it is left behind.
class OpenedCapture {
 public:
  /// Refused: missing, a directory, empty, not SQLite, not ours, of a newer version, truncated, pages that are no
  /// database's. `seconds` (plus time for big files): limit of all statements together.
  static engine::Result<OpenedCapture> open(const std::filesystem::path& file, double seconds);
  const sqlite::Database& database() const { return database_; }
  sqlite::Database& database() { return database_; }
  int64_t size_bytes() const { return size_bytes_; }
  bool has_table(std::string_view name) const;               ///< a table of rows, no view and no virtual one
  uint32_t schema_number() const { return schema_number_; }  ///< of this file: 1 to kSchemaNumber
  /// What is wrong with the log of a run that was killed ("its log r.tide-wal is damaged at byte ..."); empty: nothing.
  const std::string& log_damage() const { return log_damage_; }

 private:
  OpenedCapture(sqlite::Database database, int64_t size_bytes, uint32_t schema_number, std::string log_damage)
      : database_(std::move(database)),
        size_bytes_(size_bytes),
        schema_number_(schema_number),
        log_damage_(std::move(log_damage)) {}

  sqlite::Database database_;
  int64_t size_bytes_;
  uint32_t schema_number_;
  std::string log_damage_;
};

/// Opens a database of unknown origin as sqlite.org/security.html asks. Nothing is written, no log is read, no view,
/// trigger or function of it runs. Lengths are bounded, and no statement runs longer than `seconds` from now.
engine::Result<sqlite::Database> open_untrusted(const std::filesystem::path& file,
                                                const std::filesystem::path& name_in_messages, double seconds);

/// The structure of the pages of files up to this size is checked first. Of bigger files, rows are checked as they are
/// read.
inline constexpr int64_t kCheckedBytes = int64_t{64} << 20;

/// "ok", or what SQLite's quick check finds first; an error when it cannot be asked.
engine::Result<std::string> structure_of(const sqlite::Database&);

}  // namespace profiler
