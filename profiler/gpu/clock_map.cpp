// SPDX-License-Identifier: Apache-2.0
// Piecewise linear conversion of a tracer's clock.
#include "profiler/gpu/clock_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/base/check.h"

namespace profiler {

void ClockMap::add(const ClockPair& pair) {
  if (!pairs_.empty() && pair.steady_ns <= pairs_.back().steady_ns) return;
  pairs_.push_back(pair);
  error_ns_ = std::max(error_ns_, pair.width_ns);
  if (pairs_.size() > 1 && stepped(pairs_.size() - 2)) ++steps_;
}

bool ClockMap::stepped(size_t from) const {
  const ClockPair &a = pairs_[from], &b = pairs_[from + 1];
  return std::llabs((b.tracer_ns - a.tracer_ns) - (b.steady_ns - a.steady_ns)) > kClockStepNs;
}

int64_t ClockMap::to_steady(int64_t tracer_ns) const {
  CHECK(!pairs_.empty());
  // events are young: the piece is among the last ones
  size_t left = pairs_.size() - 1;
  while (left > 0 && pairs_[left].tracer_ns > tracer_ns) --left;
  const ClockPair& a = pairs_[left];
  const int64_t distance = tracer_ns - a.tracer_ns;
  if (left + 1 < pairs_.size()) {
    const ClockPair& b = pairs_[left + 1];
    if (stepped(left)) {
      const int64_t to_b = b.tracer_ns - tracer_ns;
      return std::llabs(distance) <= std::llabs(to_b) ? a.steady_ns + distance : b.steady_ns - to_b;
    }
    if (b.tracer_ns <= a.tracer_ns) return a.steady_ns + distance;
    const double slope =
        static_cast<double>(b.steady_ns - a.steady_ns) / static_cast<double>(b.tracer_ns - a.tracer_ns);
    return a.steady_ns + std::llround(static_cast<double>(distance) * slope);
  }
  return a.steady_ns + distance;
}

}  // namespace profiler
