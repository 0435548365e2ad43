// SPDX-License-Identifier: GPL-3.0-or-later
// How far apart the lines of an axis lie.
#pragma once

#include <cmath>

namespace views {

/// 1, 2 or 5 times a power of ten, so that at most `most` steps reach `span`; 1 where there is no span.
inline double nice_step(double span, int most) {
  if (!(span > 0)) return 1;
  const double raw = span / most, power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

}  // namespace views
