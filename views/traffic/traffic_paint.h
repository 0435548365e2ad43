// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the traffic picture, and words its tooltips.
#pragma once

#include <QPainter>

#include "views/base/theme.h"
#include "views/traffic/traffic_layout.h"

namespace views {

/// What is chosen or under the cursor.
struct TrafficMarks {
  std::optional<size_t> ribbon;      ///< index into TrafficLayout::ribbons: its tensors are listed
  std::optional<size_t> hover;       ///< ribbon under the cursor
  std::optional<size_t> current_op;  ///< index into the scrubber's ops
  QString current_text;              ///< "conv1/conv2d (3 of 540)"
};

void paint_traffic(QPainter&, const TrafficFigure&, const TrafficLayout&, const TrafficMarks&, const Theme&);

/// Rich text for what lies under a point; empty: nothing.
QString traffic_tip(const TrafficFigure&, const TrafficLayout&, const std::vector<ScrubberOp>&,
                    const profiler::Capture&, QPointF);

}  // namespace views
