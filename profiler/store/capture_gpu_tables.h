// SPDX-License-Identifier: Apache-2.0
// The GPU tables of a .tide file under nsys's names: rows in and out. They are made with their first row, as nsys does.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Tables whose rows are activities, then those of devices, contexts and streams, as they are read.
inline constexpr std::array kGpuTables{Tide::gpus,      Tide::gpu_contexts,     Tide::gpu_streams,
                                       Tide::kernels,   Tide::copies,           Tide::memsets,
                                       Tide::api_calls, Tide::synchronizations, Tide::overheads};
constexpr bool holds_gpu_activities(Tide table) { return table >= Tide::kernels && table <= Tide::overheads; }

/// `more`: further columns that stay at their default.
TableSpec gpu_table_spec(Tide, const char* name, std::string_view more = "");

/// Adds the row a scan of that table stands on; `file_start_ns`: what times count from.
void read_gpu_row(Tide, TableScan&, CaptureBuilder&, int64_t file_start_ns);

/// Absolute start and duration of columns `start_column` (start) and the next (end); an impossible span fails the scan.
std::pair<int64_t, int64_t> read_span(TableScan&, int start_column, int64_t file_start_ns);

/// What rows tell other tools about this process.
struct WriterProcess {
  int64_t session_start_ns = 0, global_pid = 0;
  int64_t (*global_tid)(TrackId) = nullptr;
};
/// Appends the records and those of the activities they count in.
engine::Result<void> write_gpu_records(const sqlite::Database&, std::span<const Activity>, const GpuRecords&,
                                       const WriterProcess&);
/// Appends devices, contexts and streams from the given indexes on.
engine::Result<void> write_gpu_objects(const sqlite::Database&, const GpuRecords&, size_t devices, size_t contexts,
                                       size_t streams);
/// What the numbers mean, for other tools: once per file.
engine::Result<void> write_gpu_enums(const sqlite::Database&);

/// CREATE TABLE, unless it is there.
engine::Result<void> make_table(const sqlite::Database&, Tide);
/// INSERT for all columns of a table, prepared once.
engine::Result<sqlite::Statement> prepare_insert(const sqlite::Database&, Tide);
/// Binds an id, 0xffffffff as NULL.
void bind_id(sqlite::Statement&, int column, uint32_t id);

}  // namespace profiler
