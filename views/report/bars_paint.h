// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of a report's first page on paper and as SVG whose marks answer the mouse without scripts.
#pragma once

#include <QPainter>
#include <string>

#include "views/report/bars_layout.h"

namespace views {

void paint_bars(QPainter&, const QPointF& at, const BarsLayout&, const QFont&);
/// An <svg> element; each mark has its words as <title>.
std::string bars_svg(const BarsLayout&, double width, const QFont&);

}  // namespace views
