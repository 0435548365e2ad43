// SPDX-License-Identifier: Apache-2.0
// .tide: one SQLite database, nsys table names for what nsys has, TIDE_* tables for the rest. Written while the run
// goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Writes a capture as it grows: WAL during the run, one plain file after close(). Killed at any moment, the file opens
/// at its last commit and says it is incomplete. Errors (unwritable, disk full) name the file and leave what was
/// committed.
class CaptureWriter {
 public:
  /// Claims `file` for this writer: refused unless it is a capture, empty, or not there. An older capture in it stays
  /// until close(): the new one is written to "FILE.part". Without an older one, a file made here that has no header
  /// yet goes away again with the writer.
  static engine::Result<std::unique_ptr<CaptureWriter>> create(const std::filesystem::path& file);
  /// For a capture that is complete, into a draft that is thrown away if anything fails: no log is kept. Nobody
  /// opens it before close(): until then it is of no format.
  static engine::Result<std::unique_ptr<CaptureWriter>> create_draft(const std::filesystem::path& file);
  ~CaptureWriter();

  /// Everything but activities and steps: run, machine, tracks, names, ops, tensors. One commit.
  engine::Result<void> write_header(const Capture& so_far);
  /// Appends activities and steps, and what `so_far` has more of than before: names, tracks, counters, results, GPUs,
  /// contexts, streams; one commit. `records` count in `activities`; those of `so_far` are not looked at.
  engine::Result<void> append(std::span<const Activity> activities, std::span<const StepRecord>, const Capture& so_far,
                              const GpuRecords& records = {});
  /// Final run info, data quality and machine (as measured beside the run), indexes, ANALYZE, per-table counts and
  /// checksums, journal folded in.
  engine::Result<void> close(const RunInfo&, const Honesty&, const Machine&);

 private:
  struct State;
  explicit CaptureWriter(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

/// Whether a capture could be written to `file` now: what create() would refuse, found out before the work is done.
engine::Result<void> check_capture_target(const std::filesystem::path& file);

/// Writes a whole capture at once.
engine::Result<void> save_capture(const Capture&, const std::filesystem::path& file);

/// Adds traffic to a capture and to the closed file it lies in: all of it, or nothing. What has the same origin is
/// replaced.
engine::Result<std::shared_ptr<const Capture>> add_traffic(const Capture&, TrafficSource,
                                                           const std::filesystem::path& file);

/// A folder of what belongs to a file, beside it: "s.tide" -> "s.points", "s.v2" -> "s.v2.points".
std::filesystem::path folder_beside(const std::filesystem::path& file, const char* extension);

/// "s.tide" -> "s.points": where the captures of a sweep's points lie.
std::filesystem::path points_folder(const std::filesystem::path& sweep_file);

/// Reads a capture. Refused with one sentence naming the file: missing, a directory, empty, not SQLite, not ours, of a
/// newer version, truncated, damaged (checksums). Impossible values name table and row. An incomplete (killed) run
/// opens.
engine::Result<std::shared_ptr<const Capture>> open_capture(const std::filesystem::path& file);

/// Runs one read-only SQL statement on a capture file and returns its rows as text. Refused: writes, several
/// statements, errors.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< NULL as "NULL"
  std::vector<std::vector<bool>> numeric;      ///< cell is a number
  bool truncated = false;                      ///< more than max_rows
};
engine::Result<QueryResult> query_capture(const std::filesystem::path& file, const std::string& sql,
                                          size_t max_rows = 100000);

}  // namespace profiler
