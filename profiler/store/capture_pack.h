// SPDX-License-Identifier: Apache-2.0
// The packed copy of NVTX_EVENTS in a big .tide file. Its columns are read in one go instead of row by row.
#pragma once

#include <optional>

#include "profiler/capture/capture.h"
#include "profiler/store/sqlite.h"

namespace profiler {

/// Fewest rows for which the copy pays: below, reading row by row takes less than a tenth of a second.
inline constexpr int64_t kPackedFromRows = 65536;

/// Adds table TIDE_EVENT_PACK (one row per chunk and column, each with its XXH3-64) when NVTX_EVENTS has `from_rows`
/// rows or more. Times in it are absolute; `session_start_ns` is what those of NVTX_EVENTS count from.
engine::Result<void> write_packed_events(const sqlite::Database&, int64_t session_start_ns,
                                         int64_t from_rows = kPackedFromRows);
/// The same of the table's rows as they were written, in their order.
engine::Result<void> write_packed_events(const sqlite::Database&, ActivityColumns rows);

/// The columns, sealed; nothing when the file has no such table. Refused: damage, or a number of rows other than
/// `rows`. Ids and times are not checked here.
engine::Result<std::optional<ActivityColumns>> read_packed_events(const sqlite::Database&, int64_t rows);

/// Holds NVTX_EVENTS, which `query` reads, against the packed copy, which all else reads, row by row. Refused, with the
/// first row and column: they differ. `session_start_ns`: what the rows' times count from.
engine::Result<void> compare_packed_events(const sqlite::Database&, int64_t session_start_ns);

}  // namespace profiler
