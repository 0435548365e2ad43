// SPDX-License-Identifier: GPL-3.0-or-later
// The texts and the gauge of one level's box in the traffic picture.
#pragma once

#include "views/traffic/traffic_layout.h"

namespace views {

/// Places the texts of a box whose rectangle and level stand, and its gauge with a part for each instance.
void place_box_texts(TrafficLayout&, const TrafficFigure&, LevelBox&, double line, const QFont&);

}  // namespace views
