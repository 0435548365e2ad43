// SPDX-License-Identifier: Apache-2.0
// Opens a .tide file for reading, as if it were hostile, and leaves nothing beside it.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/base/result.h"
#include "profiler/model/sqlite.h"

namespace profiler {

/// An open capture file. When a write-ahead log lies beside the file (the run was killed or still
/// goes on), this is a private copy of both, removed with this object.
class OpenedCapture {
 public:
  /// Refused: missing, a directory, empty, not SQLite, not ours, newer schema, truncated; `seconds`
  /// (plus time for big files): how long statements may take together.
  static engine::Result<OpenedCapture> open(const std::filesystem::path& file, double seconds);
  const sqlite::Database& database() const { return database_; }
  sqlite::Database& database() { return database_; }
  int64_t size_bytes() const { return size_bytes_; }
  bool has_table(std::string_view name) const;
  uint32_t schema_number() const { return schema_number_; }  ///< of this file: 1 to kSchemaNumber

 private:
  struct Folder {
    explicit Folder(std::filesystem::path made) : path(std::move(made)) {}
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();
    std::filesystem::path path;
  };
  OpenedCapture(std::unique_ptr<Folder> folder, sqlite::Database database, int64_t size_bytes,
                uint32_t schema_number)
      : folder_(std::move(folder)),
        database_(std::move(database)),
        size_bytes_(size_bytes),
        schema_number_(schema_number) {}
  static engine::Result<std::unique_ptr<Folder>> copy_with_log(const std::filesystem::path& file,
                                                               const std::string& name);

  std::unique_ptr<Folder> folder_;  // null: the file itself is open
  sqlite::Database database_;
  int64_t size_bytes_;
  uint32_t schema_number_;
};

/// Settings for databases of unknown origin: no extensions, no trusted schema, bounded texts, and no statement that runs longer
/// than `seconds` from now.
engine::Result<void> distrust(sqlite::Database&, double seconds);

}  // namespace profiler
