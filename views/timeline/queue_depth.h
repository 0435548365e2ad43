// SPDX-License-Identifier: GPL-3.0-or-later
// How much launched work waits for each device over time. No Qt.
#pragma once

#include <vector>

#include "views/timeline/timeline_model.h"

namespace views {

/// Longer series are kept as the largest value of each of so many equal parts of the capture.
inline constexpr size_t kMostDepthChanges = size_t{1} << 16;

/// build_timeline() has the charts of captures of fewer activities than these; of larger ones who shows them adds them
/// after the first frame, for they take as long as all lanes together.
inline constexpr size_t kMostQueuedAtOnce = 200000;

/// One chart per group of streams: kernels, copies and fills whose launching call has begun and that have not begun
/// themselves. Work without a recorded launch is not in it. Empty: no work has one.
std::vector<TimelineCounter> queue_depths(const profiler::Capture&);

}  // namespace views
