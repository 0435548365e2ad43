// SPDX-License-Identifier: Apache-2.0
// The tables of counters, collectives and results in a .tide file: rows in and out. Made with their first row.
#pragma once

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Appends the counters of a capture from the `first` on.
engine::Result<void> write_counters(const sqlite::Database&, const Capture&, size_t first, int64_t session_start_ns);
/// Appends all collectives.
engine::Result<void> write_collectives(const sqlite::Database&, const Capture&);

/// Appends the results of a capture from the `first` on.
engine::Result<void> write_results(const sqlite::Database&, const Capture&, size_t first);

/// Collects series from the rows of two tables: `series` first, then `value` for each of their values.
class CounterReader {
 public:
  void series(TableScan&, const CaptureBuilder&);
  void value(TableScan&, int64_t session_start_ns);
  void hand_over(CaptureBuilder&);

 private:
  std::vector<CounterSeries> all_;
};
/// Adds the collective of the row a scan stands on.
void read_collective(TableScan&, CaptureBuilder&);
/// Adds the result of the row a scan stands on.
void read_result(TableScan&, CaptureBuilder&);

}  // namespace profiler
