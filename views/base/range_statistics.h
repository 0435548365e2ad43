// SPDX-License-Identifier: GPL-3.0-or-later
// RangeStatistics: what happened in a span of time: busy union, idle with its place, top ops. No
// Qt.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"

namespace views {

struct RangeStatistics {
  int64_t range_ns = 0;
  int64_t busy_ns = 0;           ///< union of all ops inside (overlaps counted once), clipped to the range
  int64_t idle_in_steps_ns = 0;  ///< no op, within a traced step: dispatch between ops
  int64_t idle_untraced_ns = 0;  ///< no op, within a step that was not traced (its ops are unknown, not idle)
  int64_t idle_between_ns = 0;   ///< no op, between steps
  size_t op_count = 0;           ///< op executions that overlap the range
  double flops = 0;              ///< of these, in proportion to what lies inside
  double dram_bytes = 0;         ///< NaN: unknown
  profiler::Origin dram_origin = profiler::Origin::modelled;  ///< the best that knows all of these ops
  struct Top {
    profiler::OpId op;
    int64_t time_ns;
    int count;
  };
  std::vector<Top> top;  ///< by time inside the range, largest first, at most `top_count`
};

/// Statistics of [begin_ns, end_ns). Empty for an empty range.
RangeStatistics range_statistics(const profiler::Analyzed&, int64_t begin_ns, int64_t end_ns, size_t top_count = 8);

}  // namespace views
