// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel below the timeline says of a range, measured once and put into tables. No Qt.
#pragma once

#include <memory>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/range.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "views/base/range_statistics.h"

namespace views {

struct RangeDetails {
  std::shared_ptr<const profiler::Capture> capture;
  profiler::RangeProfile profile;
  std::vector<profiler::GpuRegion> gpus;
  RangeStatistics ops;
};
RangeDetails range_details(const profiler::Analyzed&, const profiler::GpuTimes&, int64_t begin_ns, int64_t end_ns);

/// Busy (unions), idle with its causes, copies with their bytes; one row per device and what it did.
profiler::Table busy_table(const RangeDetails&);
/// One row per name and kind, largest own time first: a layer comes behind the ops that are in it; row_ops holds
/// indices into RangeDetails::profile.names.
profiler::Table names_table(const RangeDetails&, size_t most = 2000);
/// "GPU 0 busy 61 % · copies 1.2 ms, 80 % beside kernels"; empty: no GPU did anything.
std::string gpu_sentence(const RangeDetails&);

}  // namespace views
