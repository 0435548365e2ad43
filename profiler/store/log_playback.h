// SPDX-License-Identifier: Apache-2.0
// What a killed writer left beside its database, put into a copy of it: SQLite itself never sees a log of unknown
// origin.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace profiler {

/// What a write-ahead log had to say.
struct LogPlayback {
  int64_t commits = 0;  ///< whole transactions that were taken over
  std::string damage;   ///< "is damaged at byte 8272 of 45352: 36 KB behind its last whole commit are lost"; empty: it
                        ///< ends where its writer stopped
};

/// Puts the committed pages of a write-ahead log ("-wal", sqlite.org/fileformat2.html, section 4) into the database
/// open as `database`. As in SQLite, an unfinished transaction is left out. Unlike SQLite, damage is reported. A page
/// count that file and log cannot have is damage, and nothing from that commit on is used. Refused: I/O errors.
engine::Result<LogPlayback> play_write_ahead_log(int log, int database);

/// Puts back the pages that a rollback journal ("-journal", section 3 there) holds: what an unfinished transaction has
/// changed. Refused: I/O errors, and a count of pages that file and journal cannot have. Also a journal that names a
/// super-journal: SQLite would delete that file anywhere, and no writer of ours makes one.
engine::Result<void> play_rollback_journal(int journal, int database);

}  // namespace profiler
