// SPDX-License-Identifier: Apache-2.0
// The one table of verdict thresholds, each with its source.
#include "profiler/analysis/verdict_rules.h"

#include "profiler/analysis/analysis.h"

namespace profiler {

const std::vector<VerdictRule>& verdict_rules() {
  static const char* const ours = "ours, no outside authority";
  static const char* const intel =
      "Intel 64 and IA-32 Architectures Optimization Reference Manual, data prefetching";
  static const std::vector<VerdictRule> rules{
      {"too_short_ticks", "time below this many costs of one time stamp is timer noise: TOO SHORT",
       ours, 20},
      {"inconsistent_ratio",
       "time below this part of the lower bound (bytes at the low edge of their error band) "
       "contradicts the roofs: INCONSISTENT",
       ours, 0.95},
      {"dispatch_ratio", "an empty parallel region costs at least this part of the time: DISPATCH",
       ours, 0.30},
      {"saturated_ratio",
       "a level shared by the threads used at least this much limits, whatever the rest",
       "NVIDIA Nsight Compute, SpeedOfLight rule (no_bound_threshold)", 0.80},
      {"balanced_ratio", "two limits closer than this: BALANCED",
       "NVIDIA Nsight Compute, SpeedOfLight rule (balanced_threshold)", 0.10},
      {"slack_ratio",
       "time above this multiple of the time at the roofs: no roof explains it, LATENCY or "
       "OVERHEAD",
       ours, 1.5},
      {"latency_ratio",
       "waiting for misses the prefetchers cannot foresee takes at least this part of the time: "
       "LATENCY",
       ours, 0.5},
      {"parallel_misses", "cache misses one core has under way at a time",
       "Intel 64 and IA-32 Architectures Optimization Reference Manual, L1 fill buffers; assumed "
       "for other makers",
       10},
      {"prefetch_page_bytes",
       "hardware prefetchers stop at this boundary: one unforeseen miss per page of a stream",
       intel, 4096},
      {"prefetch_stride_bytes",
       "above this stride the prefetchers do not follow: every line is an unforeseen miss", intel,
       2048},
      {"roof_band_ratio", "roofs are varied by this much to test how firm the verdict is", ours,
       0.05},
      {"compulsory_ratio",
       "bytes within this multiple of the compulsory ones: reuse cannot be improved", ours, 1.2},
      {"reuse_lost_ratio", "bytes above this multiple of the compulsory ones: reuse is lost", ours,
       2.0},
      {"write_allocate_ratio", "line fills of stores make up at least this part of the bytes", ours,
       0.2},
      {"transfer_ratio",
       "copies without a kernel beside them take at least this part of the time of a GPU: TRANSFER",
       ours, 0.25},
      {"launch_idle_ratio", "a GPU is idle for at least this part of the time, and ...", ours, 0.25},
      {"launch_host_ratio",
       "... at least this part of that idle time lies before the call that would have ended it has "
       "returned: LAUNCH",
       ours, 0.8},
      {"small_copy_bytes", "copies over the link below this size cost more to start than to move",
       ours, 65536},
      {"many_small_copies", "from this many small copies on they are worth a sentence", ours, 16},
  };
  return rules;
}

double threshold(Rule rule) { return verdict_rules()[static_cast<size_t>(rule)].value; }

}  // namespace profiler
