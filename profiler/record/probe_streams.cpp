// SPDX-License-Identifier: Apache-2.0
// Streams of the probe: which loop runs over which arrays.
#include "profiler/record/probe_streams.h"

namespace profiler::probe {

int arrays_of(AccessMix mix) {
  if (mix == AccessMix::triad) return 3;
  return mix == AccessMix::copy || mix == AccessMix::copy_past ? 2 : 1;
}

void run_passes(const Loops& loops, AccessMix mix, const Arrays& arrays, int64_t passes, std::atomic<float>& sink) {
  const int64_t floats = arrays.floats();
  switch (mix) {
    case AccessMix::read: sink.store(loops.read(arrays.at(0), floats, passes), std::memory_order_relaxed); break;
    case AccessMix::write: loops.write(arrays.at(0), floats, passes); break;
    case AccessMix::copy: loops.copy(arrays.at(0), arrays.at(1), floats, passes); break;
    case AccessMix::triad: loops.triad(arrays.at(0), arrays.at(1), arrays.at(2), floats, passes); break;
    case AccessMix::write_past: loops.write_past(arrays.at(0), floats, passes); break;
    case AccessMix::copy_past: loops.copy_past(arrays.at(0), arrays.at(1), floats, passes); break;
  }
}

}  // namespace profiler::probe
