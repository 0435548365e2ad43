// SPDX-License-Identifier: Apache-2.0
// The steps of a run whose times count, on the host and on its GPUs, rank by rank.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// One step of one rank, from its beginning to the end of its work.
struct StepWindow {
  uint32_t rank = 0;                 ///< index into Capture::ranks(); 0 where there are none
  StepRecord host;                   ///< as it was marked, on the host
  int64_t begin_ns = 0, end_ns = 0;  ///< with the GPU's work that was launched in it
  double duration_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// All steps, in the order of ranks and of time. In an imported trace a GPU may run far behind the host. A step then
/// ends with the last work launched in it, if that is later than its mark, and the next step begins there. Steps of our
/// own runs end with all of their work as they are marked.
std::vector<StepWindow> step_windows(const Capture&);
/// Steps whose times count: traced, no warm-up, and with a time of their own.
struct TimedSteps {
  std::vector<StepWindow> windows;
  /// Steps left out because they have no time: marked without a length, or wholly within late GPU work of an earlier
  /// step.
  int64_t without_time = 0;
};
TimedSteps timed_steps(const Capture&);
std::vector<StepWindow> timed_step_windows(const Capture&);  ///< timed_steps().windows
/// Those, or all steps where no step counts.
std::vector<StepWindow> measured_step_windows(const Capture&);
/// Durations of timed_step_windows(), all above 0 [ns]; empty where no step was timed.
std::vector<double> timed_steps_ns(const Capture&);

/// Which rank a track belongs to; 0 where the capture is of one process.
class RankOfTrack {
 public:
  explicit RankOfTrack(const Capture&);
  uint32_t operator()(TrackId track) const { return track < rank_.size() ? rank_[track] : 0; }

 private:
  std::vector<uint32_t> rank_;
};

}  // namespace profiler
