// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a CompareLayout.
#pragma once

#include <optional>

#include "views/base/theme.h"
#include "views/compare/compare_layout.h"

namespace views {

/// Colour of what a change is called; grey for SAME and UNSURE, which differ by their hatching.
QColor change_colour(const Theme&, profiler::ChangeClass);

void paint_compare(QPainter&, const CompareLayout&, const profiler::Comparison&, std::optional<size_t> selected, const Theme&);

}  // namespace views
