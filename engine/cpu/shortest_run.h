// SPDX-License-Identifier: Apache-2.0
// How fast something runs at best: for choosing among kernels on the machine at hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/base/clock.h"

namespace engine::cpu {

/// Nanoseconds of the shortest of a few runs behind a first one that does not count: long ones twice, short ones for about a millisecond.
template <class Run>
double shortest_run_ns(const Run& run) {
  constexpr int64_t kEnoughNs = 1'000'000;
  constexpr int kFewest = 2, kMost = 50;
  run();
  double best = std::numeric_limits<double>::infinity();
  int64_t spent = 0;
  for (int i = 0; i < kFewest || (i < kMost && spent < kEnoughNs); ++i) {
    const int64_t begin = now_ns();
    run();
    const int64_t ns = now_ns() - begin;
    spent += ns;
    best = std::min(best, static_cast<double>(ns));
  }
  return best;
}

}  // namespace engine::cpu
