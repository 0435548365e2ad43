// SPDX-License-Identifier: Apache-2.0
// BesideProbe: DRAM's roofs measured again beside a run, in some 25 ms each time.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/storage.h"
#include "profiler/machine/machine.h"
#include "profiler/record/probe_streams.h"

namespace profiler {

/// Streams over as much memory per thread as the probe did, by the same loops, so that its figures can be held against
/// the probed ones; holds that memory from first to last, because touching it takes longer than measuring.
class BesideProbe {
 public:
  /// Allocates and touches. Nothing (nullptr) where the machine has no DRAM roof for this thread count. Refused where
  /// there is no memory to spare, or touching it would take longer than it is worth.
  static engine::Result<std::unique_ptr<BesideProbe>> make(const Machine& probed, int threads);
  /// Reading, copying, and copying past the caches, now. Passes during which a thread waited for its processor say
  /// nothing of memory and do not count; where no others are to be had within some 50 ms, or the thread pool does not
  /// give that many threads, nothing is measured.
  std::vector<BandwidthRoof> measure();

 private:
  BesideProbe(int threads, int64_t working_set_bytes)
      : threads_(threads), working_set_bytes_(working_set_bytes), loops_(probe::best_loops()) {}
  float* base(int thread) const { return reinterpret_cast<float*>(blocks_[static_cast<size_t>(thread)]->data()); }
  /// Adds the bytes per second of one pass of a loop to `rates`, if it counts.
  template <class Loop>
  void add_rate(AccessMix, std::vector<double>& rates, const Loop&);

  int threads_;
  int64_t working_set_bytes_;
  probe::Loops loops_;
  std::vector<std::shared_ptr<engine::Storage>> blocks_;
  std::atomic<float> sink_{0};
};

}  // namespace profiler
