// SPDX-License-Identifier: Apache-2.0
// A way's runs while they are made, and when they suffice.
#include "engine/kernels/core/shortest_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "engine/base/clock.h"

namespace engine::cpu {
namespace {

constexpr int64_t kEnoughNs = 1'000'000, kMostNs = 100'000'000;
constexpr double kLongNs = 2e7;  ///< some slices of any scheduler: being preempted adds little, and happens to each run
constexpr int kFewest = 5, kFewestClean = 2, kFewestLong = 2, kMostLong = 4;
constexpr int kEnough = 50, kMost = 400;  ///< runs of some nanoseconds
constexpr double kAgree = 1.2;

struct Way {
  double shortest = std::numeric_limits<double>::infinity(), second = shortest;
  int64_t spent_ns = 0;
  int runs = 0, clean = 0;

  void add(int64_t ns, bool preempted) {
    const auto taken = static_cast<double>(ns);
    second = std::min(second, std::max(shortest, taken));
    shortest = std::min(shortest, taken);
    spent_ns += ns;
    ++runs;
    if (!preempted) ++clean;
  }
  bool is_long() const { return shortest >= kLongNs; }
  bool settled() const { return second <= kAgree * shortest && (is_long() || clean >= kFewestClean); }
  bool done() const {
    if (is_long()) return runs >= kMostLong || (runs >= kFewestLong && settled());
    if (runs < kFewest) return false;
    const bool enough = spent_ns >= kEnoughNs || runs >= kEnough;
    return (enough && settled()) || spent_ns >= kMostNs || runs >= kMost;
  }
};

}  // namespace

RunClock process_clock() {
  return {.now_ns = [] { return engine::now_ns(); },
          .preemptions =
              [] {
                rusage usage{};
                getrusage(RUSAGE_SELF, &usage);
                return static_cast<int64_t>(usage.ru_nivcsw);
              }};
}

ShortestRuns shortest_runs(std::span<const std::function<void()>> ways, const RunClock& clock) {
  std::vector<Way> all(ways.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = 0; i < ways.size(); ++i) {
      if (!ways[i] || all[i].done()) continue;
      const int64_t lost = clock.preemptions(), begin = clock.now_ns();
      ways[i]();
      const int64_t ns = clock.now_ns() - begin;
      all[i].add(ns, clock.preemptions() != lost);
      goes_on = true;
    }
  }
  ShortestRuns result;
  for (size_t i = 0; i < ways.size(); ++i) {
    result.ns.push_back(ways[i] ? all[i].shortest : std::numeric_limits<double>::quiet_NaN());
    result.settled = result.settled && (!ways[i] || all[i].settled());
  }
  return result;
}

}  // namespace engine::cpu
