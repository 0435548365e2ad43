// SPDX-License-Identifier: Apache-2.0
// One thread's memory as the probe streams over it: up to three arrays, and the loops of each mix of reads and writes.
#pragma once

#include <atomic>
#include <cstdint>

#include "profiler/machine/machine.h"
#include "profiler/record/probe_kernels.h"

namespace profiler::probe {

/// Arrays one mix names: triad 3, copies 2, else 1.
int arrays_of(AccessMix);

/// One thread's memory, cut into up to three arrays that do not meet in the low 12 address bits (4
/// KiB aliasing stalls loads behind unrelated stores).
class Arrays {
 public:
  static constexpr int64_t kSlackBytes = 16 * 1024;  ///< beyond the working set, for the distance between arrays

  Arrays(float* base, int64_t working_set_bytes, AccessMix mix)
      : base_(base), floats_(working_set_bytes / arrays_of(mix) / 4 / kChunk * kChunk) {}

  float* at(int index) const { return base_ + index * (floats_ + 320); }  // 320 floats: 1,280 bytes, whole lines
  int64_t floats() const { return floats_; }                              ///< of each array

 private:
  float* base_;
  int64_t floats_;
};

/// `passes` passes of one mix over one thread's arrays; `sink` keeps sums from being optimised away.
void run_passes(const Loops&, AccessMix, const Arrays&, int64_t passes, std::atomic<float>& sink);

}  // namespace profiler::probe
