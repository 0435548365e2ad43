// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the cache view's pictures, all hatched as simulated, and words their tooltips.
#pragma once

#include <QPainter>

#include "views/base/theme.h"
#include "views/cache/cache_layout.h"

namespace views {

struct CacheMarks {
  size_t level = 0;                          ///< chosen
  std::optional<profiler::TensorId> tensor;  ///< selected
};

void paint_cache(QPainter&, const profiler::OpSimulation&, const CacheFigure&, const CacheLayout&, const CacheMarks&,
                 const Theme&);

/// Rich text for what lies under a point; empty: nothing.
QString cache_tip(const profiler::OpSimulation&, const CacheFigure&, const CacheLayout&, size_t level, QPointF);

/// Colours of compulsory, capacity and conflict misses.
QColor cause_colour(const Theme&, size_t cause);

}  // namespace views
