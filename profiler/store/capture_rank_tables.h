// SPDX-License-Identifier: Apache-2.0
// Ranks of a capture, their tracks and their own steps, as rows. Made with the first rank.
#pragma once

#include <vector>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Nothing where the capture is of one process.
engine::Result<void> write_ranks(const sqlite::Database&, const Capture&, int64_t session_start_ns);

/// Collects ranks from the rows of three tables: `rank` first, then `track` and `step`.
class RankReader {
 public:
  void rank(TableScan&, const CaptureBuilder&);
  void track(TableScan&, const CaptureBuilder&);
  void step(TableScan&, int64_t session_start_ns);
  /// What was read goes to the builder, which checks its references.
  void hand_over(CaptureBuilder&);

 private:
  std::vector<RankRecord> all_;
};

}  // namespace profiler
