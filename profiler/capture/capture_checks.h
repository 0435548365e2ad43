// SPDX-License-Identifier: Apache-2.0
// Checks of a capture's records before it is frozen. Each error names the record, the value and the limit.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// The error of every check: exit status 3, as of a damaged file.
template <class... T>
engine::Error impossible(fmt::format_string<T...> format, T&&... values) {
  return engine::refused_error("[capture] " + fmt::format(format, std::forward<T>(values)...));
}

/// True when [start, start + duration] is a span of time that fits int64.
inline bool span_is_possible(int64_t start_ns, int64_t duration_ns) {
  int64_t end = 0;
  return duration_ns >= 0 && !__builtin_add_overflow(start_ns, duration_ns, &end);
}

engine::Result<void> check_ops(const Capture&);  ///< and their operands
engine::Result<void> check_tensors(const Capture&);
engine::Result<void> check_steps(const Capture&);
engine::Result<void> check_ranks(const Capture&);
engine::Result<void> check_observations(const Capture&);  ///< counters, collectives and results
engine::Result<void> check_fusion(const Capture&);
/// `activities`: those that the capture's GPU records name by row.
engine::Result<void> check_gpu_records(const Capture&, std::span<const Activity> activities);
/// All stored sources; at most one of each origin.
engine::Result<void> check_traffic(const Capture&);
/// One source, whose records are in order.
engine::Result<void> check_traffic_source(const TrafficSource&, const Capture&);
/// Sorts the records of a source by op, then by link. `ops`: of the capture.
void put_in_order(TrafficSource&, size_t ops);

}  // namespace profiler
