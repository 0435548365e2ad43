// SPDX-License-Identifier: Apache-2.0
// CaptureTarget: the file that a capture will be written to. It is checked, locked against a second writer, and emptied
// when the first bytes are written.
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

/// Beside a file that is to be replaced: "r.tide" -> "r.tide.part". What a killed writer leaves lies there; the file
/// itself is as it was.
std::filesystem::path draft_beside(const std::filesystem::path& file);
/// Whether a draft of a capture lies beside `file`: its writer goes on, or was killed.
bool has_draft(const std::filesystem::path& file);

class CaptureTarget {
 public:
  /// Refused: a directory, a device, no such folder, a folder or file that is not writable. Also a file that is no
  /// capture, or one that is being written. Existing files stay unchanged.
  static engine::Result<CaptureTarget> claim(const std::filesystem::path& file);
  /// Whether a capture is there already, whole or not.
  bool replaces() const { return was_ours_; }
  /// An empty file beside the claimed one, no more readable than that; publish() moves it there. An older draft is
  /// replaced. Refused: something of that name that is no draft of ours.
  engine::Result<std::filesystem::path> draft();
  /// Takes the draft that lies beside the file, whole, for the one to publish.
  void take_draft() { draft_ = draft_beside(file_); }
  /// The draft takes the place of the claimed file, with the lock, and then the logs of a killed run beside that go. On
  /// failure the older one holds what it held; only where its log alone cannot be removed does the new one stand there
  /// already.
  engine::Result<void> publish();
  /// Whether the draft stands in its place.
  bool published() const { return draft_.empty(); }
  /// Removes the logs a killed run left beside the claimed file, which nothing is in.
  engine::Result<void> remove_logs();
  /// Removes a write-ahead log beside a file that is marked as written without one. The log belongs to an older file of
  /// that name.
  engine::Result<void> remove_log_of_older();
  CaptureTarget(CaptureTarget&&) noexcept;
  CaptureTarget& operator=(CaptureTarget&&) = delete;
  ~CaptureTarget();  ///< gives up the lock; removes what was made here and never kept
  const std::filesystem::path& file() const { return file_; }
  /// What was made here stays, whatever becomes of its writer.
  void keep() { keep_ = true; }

 private:
  engine::Result<void> settle_journal();
  CaptureTarget(std::filesystem::path file, int descriptor, bool created)
      : file_(std::move(file)), descriptor_(descriptor), created_(created) {}
  std::filesystem::path file_;   // absolute, links followed
  std::filesystem::path draft_;  // empty: none is made, or it is published
  int descriptor_ = -1;
  bool created_ = false, keep_ = false, was_ours_ = false;
};

}  // namespace profiler
