// SPDX-License-Identifier: Apache-2.0
// The thresholds of the verdict algorithm by name.
#pragma once

#include <cstdint>

namespace profiler {

/// Index into verdict_rules().
enum class Rule : uint8_t {
  too_short_ticks,
  inconsistent_ratio,
  dispatch_ratio,
  saturated_ratio,
  balanced_ratio,
  slack_ratio,
  latency_ratio,
  parallel_misses,
  prefetch_page_bytes,
  prefetch_stride_bytes,
  roof_band_ratio,
  compulsory_ratio,
  reuse_lost_ratio,
  write_allocate_ratio,
  transfer_ratio,
  launch_idle_ratio,
  launch_host_ratio,
  small_copy_bytes,
  many_small_copies,
};
double threshold(Rule);

}  // namespace profiler
