// SPDX-License-Identifier: Apache-2.0
// The counter run: a step run a few times more, after the timed run, while the GPU's hardware counts what each op
// moves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"
#include "profiler/capture/capture.h"
#include "profiler/gpu/counters.h"

namespace profiler {

struct CounterRunRequest {
  std::shared_ptr<const engine::Graph> graph;  ///< that of the capture
  engine::Backend* backend = nullptr;
  std::function<engine::Result<std::unique_ptr<GpuCounters>>(size_t most_ops)> start;
  std::function<engine::Result<void>()> health;  ///< asked after each step, where set
  uint64_t seed = 1;
  int steps = 3;  ///< counted ones, after one that is not
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double fraction)> progress;
};

/// What the ops of a capture's step move between device memory, L2 and L1: medians over the counted steps, half their
/// spread as the band. What else was counted (tensor cores, warps, host memory, hit rates) stands in the ops' notes.
/// Refused: no plan, no counters, stopped.
engine::Result<TrafficSource> count_step(const Capture& capture, const CounterRunRequest&);

/// Two counter runs of one capture as one source: the links of the first, the notes of both.
TrafficSource joined(TrafficSource first, const TrafficSource& second);

}  // namespace profiler
