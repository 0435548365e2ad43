// SPDX-License-Identifier: Apache-2.0
// How fast some ways to do the same are at best: for choosing among kernels on the machine at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace engine::cpu {

/// What a run is judged by; tests have their own.
struct RunClock {
  std::function<int64_t()> now_ns;
  std::function<int64_t()> preemptions;  ///< how often this process' threads lost a processor to others so far
};
RunClock process_clock();

struct ShortestRuns {
  std::vector<double> ns;  ///< of each way's shortest run; NaN where there is none to run
  /// The two shortest runs of each way agree within a fifth, and at least two of its runs that are shorter than a
  /// scheduler's slice were not preempted. Else others were at work, and which way is faster is not known.
  bool settled = true;
};

/// Runs the ways by turns, so that what disturbs one disturbs the others: short ones for about a millisecond and at
/// least five times, each until it is settled, at most a tenth of a second; ones of over 20 ms two to four times. Each
/// must have run before: a first run does not count.
ShortestRuns shortest_runs(std::span<const std::function<void()>> ways, const RunClock& = process_clock());

}  // namespace engine::cpu
