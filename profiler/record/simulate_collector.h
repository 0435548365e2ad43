// SPDX-License-Identifier: Apache-2.0
// What a step of a complete run moves through the caches of its machine.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// At most `seconds` long (StepSimulationRequest). Refused: cancelled runs, unknown caches, unknown accesses, stopped.
engine::Result<TrafficSource> simulate_capture(const std::shared_ptr<const Capture>&, double seconds,
                                               const std::function<void(double fraction)>& progress,
                                               const std::atomic<bool>& stop);
/// What takes the place of simulated traffic that there is none of: it says why.
TrafficSource not_simulated(const engine::Error&);

}  // namespace profiler
