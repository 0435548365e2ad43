// SPDX-License-Identifier: Apache-2.0
// CaptureTarget: the file a capture is about to be written to: checked, locked against a second
// writer, emptied when the first bytes are there to be written.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace profiler {

/// What the first 100 bytes of a file say about it.
struct FileHeader {
  bool sqlite = false;         ///< any SQLite database
  bool ours = false;           ///< ... with our application id
  bool write_ahead = false;    ///< left in WAL mode: its writer never came to the end
  uint32_t schema_number = 0;  ///< user_version
  int64_t expected_bytes = 0;  ///< page size times page count
};
FileHeader parse_file_header(const std::string& first_bytes);
/// Files SQLite keeps beside a database: "-wal", "-journal", "-shm".
std::filesystem::path sidecar(const std::filesystem::path& file, const char* suffix);

class CaptureTarget {
 public:
  /// Refused: a directory, a device, no such folder, not writable, a file that is not a capture, one that is being written.
  /// Changes nothing that was there.
  static engine::Result<CaptureTarget> claim(const std::filesystem::path& file);
  /// Empties the claimed file and removes the logs a killed run left beside it.
  engine::Result<void> empty();
  /// Only the logs: the file itself stays as it is.
  engine::Result<void> remove_logs();
  CaptureTarget(CaptureTarget&&) noexcept;
  CaptureTarget& operator=(CaptureTarget&&) = delete;
  ~CaptureTarget();  ///< gives up the lock; removes the file when it was made here and never kept
  const std::filesystem::path& file() const { return file_; }
  void keep() { keep_ = true; }

 private:
  CaptureTarget(std::filesystem::path file, int descriptor, bool created)
      : file_(std::move(file)), descriptor_(descriptor), created_(created) {}
  std::filesystem::path file_;  // absolute
  int descriptor_ = -1;
  bool created_ = false, keep_ = false, was_ours_ = false;
};

}  // namespace profiler
