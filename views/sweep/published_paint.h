// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a published table: cells coloured by quality, with a sign each; thread curves; tools by time.
#pragma once

#include <QPainter>

#include "views/base/theme.h"
#include "views/sweep/published_layout.h"

namespace views {

/// Fill of a cell of that quality; `repaired` cells are as good as read ones, and marked by a sign.
QColor quality_colour(const Theme&, profiler::CellQuality);
/// What the signs mean, one entry per quality, in one row; as many as fit.
void paint_quality_legend(QPainter&, const QRectF&, const Theme&);
/// `selected`: index of a box; -1: none.
void paint_published_grid(QPainter&, const PublishedGrid&, int selected, const Theme&);
void paint_published_threads(QPainter&, const PublishedThreads&, const Theme&);
void paint_published_ranking(QPainter&, const std::vector<RankedBar>&, int selected, const Theme&);

}  // namespace views
