// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of the timeline. No Qt.
#pragma once

#include "views/timeline/timeline_model.h"

namespace views {

/// Adds the charts that a capture has data for: DRAM traffic, arithmetic and live bytes of its ops,
/// bytes copied per direction. The lanes must be there.
void add_counters(const profiler::Analyzed&, TimelineModel&);

}  // namespace views
