// SPDX-License-Identifier: Apache-2.0
// The lanes of a data-loading pipeline: what each takes per batch, and which one sets the pace.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

struct PipelineLane {
  std::string name;      ///< "read" "decode" "copy" "compute" "wait for data"
  bool in_step = false;  ///< on the main thread: takes time of the step
  int64_t batches = 0;   ///< within the measured steps
  double busy_ns = 0;    ///< per batch: the median; compute: the rest of the median step
};

struct Pipeline {
  std::vector<PipelineLane> lanes;  ///< in the order of a batch's way; empty: the run loaded nothing
  bool overlapped = false;          ///< lanes run beside each other
  double step_ns = std::numeric_limits<double>::quiet_NaN();  ///< median
  double wait_ns = 0;                                         ///< of the step, for data
  /// Time per batch of the slowest thread: what a step takes at best when lanes overlap (derived from measured times).
  double pace_ns = 0;
  std::string limit;     ///< the lane that sets the pace; for the main thread the longer of copy and compute
  std::string sentence;  ///< which lane limits, with its numbers
  /// The pace without the lane that sets it: the next slowest thread's.
  double next_pace_ns() const;
  /// Whether a thread of the loader sets the pace: what makes the step's own work faster then wins nothing.
  bool loader_sets_pace() const;
};
Pipeline pipeline(const Capture&);
/// Row per lane of pipeline() of this capture; empty where nothing was loaded.
Table pipeline_table(const Capture&, const Pipeline&);

}  // namespace profiler
