// SPDX-License-Identifier: Apache-2.0
// One op of a capture, or any description of accesses, through a hierarchy of caches: counts, causes, sets, curves, and
// the first accesses in order. Cancellable, and cut down to part of the sets where it would take too long.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/miss_curve.h"

namespace profiler {

class CapturedStep;

/// A tensor of a simulation. Its index in the list is what streams and counts name it by.
struct SimulatedTensor {
  TensorId tensor = kNoTensor;  ///< of the capture; kNoTensor: panels packed by the kernel, or no capture
  std::string name;
  Role role = Role::workspace;
  uint64_t address = 0;
  int64_t size_bytes = 0;  ///< 0: unknown
};

/// Accesses with all their properties.
struct AccessDescription {
  std::string title;
  std::vector<SimulatedTensor> tensors;
  std::function<engine::access::Fidelity(engine::AccessSink&)> describe;  ///< says the same each time, from any thread
  engine::KernelFacts kernel = {};                                        ///< that ran; without a name: unknown
};

/// Of one op of a step rebuilt from a capture. Refused in words where its accesses are unknown.
engine::Result<AccessDescription> describe_op(std::shared_ptr<const CapturedStep>, OpId);
/// The same, the step rebuilt for this one op.
engine::Result<AccessDescription> describe_op(std::shared_ptr<const Capture>, OpId, uint64_t address_limit);

struct OpSimulationRequest {
  CacheConfig config;
  bool causes = false;  ///< misses split into compulsory, capacity, conflict; slower, one thread
  bool curve = false;   ///< misses of every cache size; slower, one thread; of a sample of the lines where all would
                        ///< take too long
  size_t first_accesses = 0;  ///< how many accesses to tell one by one
  int sample = 0;  ///< one of this many sets is simulated (a power of two); 0: as few as needed to take about `seconds`
  double seconds = 1;  ///< see sample
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
};

/// One access, in order.
struct OrderedAccess {
  uint64_t address = 0;
  uint32_t tensor = 0;  ///< into OpSimulation::tensors
  uint16_t bytes = 4;
  engine::AccessKind kind = engine::AccessKind::load;
  uint8_t level = 0;  ///< the nearest level that had all of it: 0 is the first cache, levels.size() memory
};

struct OpSimulation {
  std::string title;
  CacheConfig config;
  std::vector<SimulatedTensor> tensors;
  /// "cold": from empty caches; "warm": once more right after. Counts by level and tensor, misses by set.
  std::vector<CacheEpoch> epochs;
  uint64_t accesses = 0;                      ///< of one run of the op, as described
  bool classified = false;                    ///< causes are set
  MissCurve curve;                            ///< of the cold run; no points: not asked for, and neither were causes
  std::vector<OrderedAccess> first_accesses;  ///< of the cold run
  engine::access::Fidelity fidelity = engine::access::Fidelity::loops;
  std::string how;     ///< sentence: how the accesses are known, and what was sampled or left out
  double seconds = 0;  ///< the simulation took
};

/// Fails (refused) when stopped or impossible, (usage) when the hierarchy cannot be cut as asked.
engine::Result<OpSimulation> simulate_accesses(const AccessDescription&, const OpSimulationRequest&);
/// Causes of the misses at each level of caches, nearest first, from cold caches. Over the first `most_accesses`
/// accesses, fewer where `late` returns true; .op and .link are not set. A level without misses: all 0. Empty: stopped.
std::vector<MissCauses> miss_causes(const AccessDescription&, const CacheConfig&, uint64_t most_accesses,
                                    const std::function<bool()>& late, const std::atomic<bool>* stop = nullptr);
/// describe_op() and simulate_accesses().
engine::Result<OpSimulation> simulate_op(std::shared_ptr<const Capture>, OpId, const OpSimulationRequest&);
/// Accesses a description says, without simulating them. A tenth of the simulation's time or less.
uint64_t count_accesses(const AccessDescription&, const std::atomic<bool>* stop = nullptr);

}  // namespace profiler
