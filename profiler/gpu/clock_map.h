// SPDX-License-Identifier: Apache-2.0
// ClockMap: times of a tracer's clock on CLOCK_MONOTONIC, by pairs of both taken now and then.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/gpu/events.h"

namespace profiler {

/// A change of the clocks' distance between two pairs that is no drift but somebody setting the clock [ns]; ours.
inline constexpr int64_t kClockStepNs = 1'000'000;

/// Piecewise linear between the pairs; before the first the first piece goes on, after the last both clocks run alike.
/// Across a step of the tracer's clock times are those of the nearer pair: off by up to the step, and counted in
/// steps().
class ClockMap {
 public:
  /// Pairs come in the order of steady_ns; one that goes back is left out.
  void add(const ClockPair&);
  /// CHECKs that there is a pair.
  int64_t to_steady(int64_t tracer_ns) const;
  bool empty() const { return pairs_.empty(); }
  int64_t steps() const { return steps_; }
  /// Widest bracket of a pair: the error bound of all conversions away from steps [ns].
  int64_t error_ns() const { return error_ns_; }

 private:
  bool stepped(size_t from) const;  ///< between pairs `from` and `from` + 1
  std::vector<ClockPair> pairs_;
  int64_t steps_ = 0, error_ns_ = 0;
};

/// Reads a tracer's clock between two reads of CLOCK_MONOTONIC, `tries` times, and keeps the narrowest bracket.
template <class ReadSteady, class ReadTracer>
ClockPair bracket_clock(ReadSteady&& steady_now, ReadTracer&& tracer_now, int tries = 8) {
  ClockPair best;
  for (int i = 0; i < tries; ++i) {
    const int64_t before = steady_now();
    const int64_t tracer = tracer_now();
    const int64_t width = steady_now() - before;
    if (i == 0 || width < best.width_ns) best = {tracer, before + width / 2, width};
  }
  return best;
}

}  // namespace profiler
