// SPDX-License-Identifier: Apache-2.0
// Calibration loops; the lowest of several repeats is the least disturbed one.
#include "profiler/record/calibration.h"

#include <algorithm>
#include <limits>

#include "engine/base/clock.h"
#include "profiler/record/engine_collector.h"

namespace profiler {
namespace {

constexpr int kRepeats = 7;

template <class F>
double lowest_ns(F&& run) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRepeats; ++i) {
    const int64_t begin = engine::now_ns();
    run();
    lowest = std::min(lowest, static_cast<double>(engine::now_ns() - begin));
  }
  return lowest;
}

}  // namespace

double measure_ns_per_traced_op() {
  constexpr uint32_t kOps = 20000;
  EngineCollector collector(kOps);
  engine::Observer* volatile hidden = &collector;  // the engine does not know the type either
  const double ns = lowest_ns([&] {
    collector.clear();
    engine::Observer* const observer = hidden;
    int64_t begin = engine::now_ticks();
    for (uint32_t op = 0; op < kOps; ++op) {
      const int64_t end = engine::now_ticks();
      observer->op_done(op, begin, end);
      begin = end;
    }
  });
  return ns / kOps;
}

double measure_spin_ns() {
  volatile uint64_t seed = 88172645463325252u;
  return lowest_ns([&seed] {
    uint64_t x = seed;
    for (int i = 0; i < 500000; ++i) {  // xorshift: every operation waits for the one before
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    seed = x;
  });
}

}  // namespace profiler
