// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of roofs and ridge points, placed where nothing else is; pure.
#pragma once

#include "views/roofline/roofline_layout.h"

namespace views {

/// Places the labels of a layout whose roofs, ridge points and dots stand. Inside the axes, never one over another.
/// - A memory roof writes along itself, above: at the first place that covers neither a dot nor another line, else at
/// the one that covers
///   the fewest; not at all where it is shorter than its name.
/// - A compute roof writes above itself as far right as is free, else below, whatever its length.
/// - A ridge point writes in a row near it that is free of dots; not at all where there is none: the tooltip has it.
void place_roofline_labels(RooflineLayout&, const QFont&);

}  // namespace views
