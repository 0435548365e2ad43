// SPDX-License-Identifier: Apache-2.0
// The largest batch whose memory plan fits, found without allocating anything.
#pragma once

#include <memory>

#include "app/base/workbench.h"

namespace app {

struct Fit {
  double available_bytes = 0;  ///< what was asked about, or what the device has free now
  std::string limit;  ///< what keeps the host from giving more ("ulimit -v", "control group /job"); empty: nothing, or
                      ///< not asked
  int64_t largest = 0;         ///< largest batch that fits; 0: not even one sample does
  double largest_bytes = 0;    ///< what it needs (exact: planned, workspace included); 0 when `largest` is 0
  double workspace_bytes = 0;  ///< of those: what kernels take for what they compute on the way
  /// The most that kernels of a processor may keep beside the plan: a packed copy of each matrix of weights. 0: none.
  double copies_most_bytes = 0;
  int64_t refused = 0;  ///< smallest batch that does not fit; 0: none up to the workload's bound
  double refused_bytes =
      0;  ///< what that would need (without workspace from twice the available on); NaN: more than 63 bits count
  std::shared_ptr<const profiler::Capture>
      planned;  ///< ops and tensors of `largest` (of 1 when it is 0); null: sizes pass 63 bits
};

/// Doubles the batch until it no longer fits, then bisects: the plan's bytes grow with the batch. `memory_bytes` 0:
/// what the request's device has free now. Fails (usage) for a workload without a parameter batch, and as make_job
/// does.
engine::Result<Fit> largest_batch(const RunRequest&, double memory_bytes);

/// Bytes that the plan of one batch takes (exact); NaN: they pass 63 bits.
engine::Result<double> planned_bytes(const RunRequest&, int64_t batch);

/// "16GB", "80GiB", "1e9": bytes. Fails (usage) naming the flag.
engine::Result<double> parse_bytes(const char* flag, const std::string& text);

}  // namespace app
