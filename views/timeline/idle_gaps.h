// SPDX-License-Identifier: GPL-3.0-or-later
// Idle gaps: when the ops of a host thread or the kernels of a device stand still, and why. No Qt.
#pragma once

#include <vector>

#include "profiler/analysis/gpu/idle_causes.h"
#include "views/timeline/lane_building.h"

namespace views {

/// Gaps shorter than this are not listed.
inline constexpr int64_t kShortestGapNs = 1000;
/// At most so many gaps of one row are listed: the longest.
inline constexpr size_t kMostGaps = 65536;

/// A stretch in which nothing of `rows` ran; the activity `next` ended it.
struct IdleGap {
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t next = kNoRow;
};
/// Between the first and the last of `rows` (ascending in time; they may overlap), in time order.
std::vector<IdleGap> idle_gaps(const profiler::Capture&, const std::vector<uint32_t>& rows, size_t most = kMostGaps);

/// Causes of gaps between ops: where in a step they lie.
std::vector<Span> host_idle(const profiler::Capture&, const std::vector<IdleGap>&, Labels&);

/// Causes of gaps between kernels, the largest of each: those of the explainer, and a copy or fill that ran after the
/// next kernel had been launched. `copies`: of the device.
std::vector<Span> device_idle(const profiler::Capture&, const profiler::IdleExplainer&, const std::vector<IdleGap>&,
                              const Lane& copies, Labels&);

}  // namespace views
