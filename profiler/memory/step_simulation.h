// SPDX-License-Identifier: Apache-2.0
// One whole step of a capture through a hierarchy of caches, op after op, in the steady state: simulated traffic per
// op, link and tensor.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "profiler/capture/capture.h"
#include "profiler/memory/cache_config.h"

namespace profiler {

struct StepSimulationRequest {
  CacheConfig config;  ///< write-back levels only
  int threads = 1;     ///< the sets are shared out to them; the counts do not depend on it
  /// Time budget. It starts with all sets. If its pace shows that they exceed the budget, it starts again with a part
  /// of the sets, and the result has that part. After twice the budget it ends, and ops that were not reached are
  /// unknown.
  double seconds = 60;
  std::function<double()> clock = {};  ///< rising, in seconds; empty: time as it passes. Asked by one thread
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double fraction)> progress = {};
};

/// Caches keep what they hold from op to op. The step passes twice; the first warms them, the second is counted. Links
/// are those of the hierarchy, "DRAM" first, and "L1" to "core" with the bytes that the descriptions name. Ops whose
/// accesses are unknown or merely assumed have unknown figures, and a note why. Ops of our own loops that miss L1
/// several times per line have their misses classified, each op alone over its first accesses. That may take half as
/// long again. Fails (refused) where the capture has no accesses, and when stopped.
engine::Result<TrafficSource> simulate_step(std::shared_ptr<const Capture>, const StepSimulationRequest&);

}  // namespace profiler
