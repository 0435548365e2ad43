// SPDX-License-Identifier: Apache-2.0
// Times work on one or all threads of the engine's pool, repeated, within a budget.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiler/machine/machine.h"

namespace profiler::probe {

/// Does `passes` passes of the work of one thread.
using Work = std::function<void(int thread, int64_t passes)>;

struct Effort {
  int repeats = 5;         ///< at least 3
  double slice_s = 0.012;  ///< length of one repeat
};

/// Median, lowest and highest. Unknown when empty.
Measured summarize(std::vector<double> samples);

/// Seconds from the first thread's start to the last one's end; NaN when the pool does not give
/// that many threads.
double timed(int threads, int64_t passes, const Work&);

/// `amount` (bytes, FLOPs) of one pass of all threads, per second. Warms up, finds how many passes
/// fill a slice, repeats.
Measured measure_rate(int threads, double amount, const Effort&, const Work&);

/// Nanoseconds of one step of the work, one thread. A pass is `steps` steps.
Measured measure_step_ns(double steps, const Effort&, const Work&);

/// Threads that were just made may share a processor for some 50 ms, until the system looks: each second one moves to a
/// free one, and may go where it likes from there.
void part_threads(int threads);

/// One engine::now_ticks() [ns].
double measure_timer_ns();
/// One empty parallel region that all of `threads` threads enter [ns], the least of many; 0 for one thread (there is
/// none).
double measure_fork_join_ns(int threads);

/// The loop behind it: the least of many regions, each timed by itself. `now`: nanoseconds; `part`: what may put
/// threads that share a processor on several, tried while no region was without a wait for a time slice.
double least_region_ns(const std::function<int64_t()>& now, const std::function<void()>& region,
                       const std::function<void()>& part);

}  // namespace profiler::probe
