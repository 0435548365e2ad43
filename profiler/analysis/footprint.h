// SPDX-License-Identifier: Apache-2.0
// Bytes alive over a step, and at its peak.
#pragma once

#include <string>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

struct FootprintPoint {
  OpId op = kNoOp;  ///< while this op runs
  RoleBytes live_bytes{};
  std::vector<double> by_device = {};  ///< of a run on several, in the order of Footprint::devices; else empty
};
struct Footprint {
  std::vector<FootprintPoint> points;  ///< one per op in order
  double persistent_bytes = 0;         ///< part of every point
  OpId peak_op = kNoOp;
  double peak_bytes = 0;
  std::vector<TensorId> at_peak;     ///< live at the peak, largest first
  std::vector<std::string> devices;  ///< of a run on several, that of the run first; else empty
  double arena_bytes = 0, arena_without_reuse_bytes = 0, workspace_bytes = 0;
};
Footprint footprint(const Capture&);

}  // namespace profiler
