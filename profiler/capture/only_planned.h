// SPDX-License-Identifier: Apache-2.0
// Captures of what was planned and not run: ops, tensors and memory are exact, and there are no times.
#pragma once

#include "profiler/capture/capture.h"

namespace profiler {

/// Whether this is a network before its first run. Captures of runs, even of those that ended before their first step,
/// have the time of their recording.
inline bool only_planned(const Capture& capture) {
  return !capture.ops().empty() && capture.steps().empty() && capture.activities().size() == 0 &&
         capture.run().source.empty() && capture.run().created_at.empty() && !capture.run().command.empty();
}

}  // namespace profiler
