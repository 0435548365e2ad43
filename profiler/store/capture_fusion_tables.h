// SPDX-License-Identifier: Apache-2.0
// The tables of fused ops and of pairs of ops in a .tide file: rows in and out. Made with their first row.
#pragma once

#include "profiler/capture/capture_builder.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Appends all members and pairs of a capture.
engine::Result<void> write_fusion(const sqlite::Database&, const Capture&);
/// Adds the member, or the pair, of the row a scan stands on.
void read_fused_member(TableScan&, CaptureBuilder&);
void read_fusion_pair(TableScan&, CaptureBuilder&);

}  // namespace profiler
