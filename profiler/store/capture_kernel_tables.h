// SPDX-License-Identifier: Apache-2.0
// The table of kernels' facts in a .tide file: rows in and out, and what stands in for it in older files.
#pragma once

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Appends the facts of all ops of a capture of which there are any.
engine::Result<void> write_facts(const sqlite::Database&, const Capture&);
void read_kernel_facts(TableScan&, CaptureBuilder&);
/// The part of the facts that has a table of its own: of ops whose lanes work in lockstep. After the facts.
engine::Result<void> write_lane_work(const sqlite::Database&, const Capture&);
void read_lane_work(TableScan&, CaptureBuilder&);
/// Of a file that lacks the table: from kernels' names, and from the attribute of reference code. After ops and
/// attributes.
void set_facts_from_names(CaptureBuilder&);

}  // namespace profiler
