// SPDX-License-Identifier: Apache-2.0
// The largest batch tried under a memory limit that the system holds.
#pragma once

#include <atomic>
#include <string>

#include "app/base/fit.h"

namespace app {

/// One step each of the largest batch and of one that is too large, in processes of their own. Their data
/// (RLIMIT_DATA: heap, private mappings, stacks) is limited to the memory asked about and what a process needs beside
/// its plan. A process that passes it is refused memory; the machine stays as it is.
struct FitTrial {
  bool ran = false;      ///< the largest batch
  bool stopped = false;  ///< by the user
  std::string message;   ///< where it did not run: why
  double overhead_bytes =
      0;  ///< a process with half that batch beyond its plan: stacks, workspace, packed weights (measured)
  double limit_bytes = 0;  ///< of data; overhead included
  double peak_bytes = 0;   ///< most resident memory of the process with the largest batch (measured); NaN: unknown
  int64_t above = 0;       ///< a batch whose plan passes the limit; 0: the workload allows none
  bool above_refused = false;
  std::string above_message;  ///< what that process said
};

/// Refused: processes cannot be started, or one with half that batch does not run.
engine::Result<FitTrial> try_largest(RunRequest, const Fit&, const std::atomic<bool>& stop);

/// "Tried: batch 138 ran in ... "
std::string trial_words(const Fit&, const FitTrial&);

}  // namespace app
