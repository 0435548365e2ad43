// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a CompareLayout.
#pragma once

#include <QBrush>
#include <optional>

#include "views/base/theme.h"
#include "views/compare/compare_layout.h"

namespace views {

/// Colour of what a change is called; greys for SAME and UNSURE.
QColor change_colour(const Theme&, profiler::ChangeClass);
/// That colour, hatched for UNSURE.
QBrush change_brush(const Theme&, profiler::ChangeClass);

void paint_compare(QPainter&, const CompareLayout&, const profiler::Comparison&, std::optional<size_t> selected,
                   const Theme&);

}  // namespace views
