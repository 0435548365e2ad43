// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace engine {
namespace {

TEST(Clock, NowIsTheMonotonicClock) {
  const auto steady_ns = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  const int64_t before = steady_ns(), now = now_ns(), after = steady_ns();
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(Clock, TicksNeverGoBack) {
  int64_t last = now_ticks();
  for (int i = 0; i < 100'000; ++i) {
    const int64_t next = now_ticks();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(Clock, TicksConvertToTheClock) {
  TickClock clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  clock.refresh();
  // The smallest disagreement of some tries: the thread may be set aside between the two stamps.
  int64_t smallest = INT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const int64_t ns = now_ns();
    smallest = std::min<int64_t>(smallest, std::abs(clock.to_ns(now_ticks()) - ns));
  }
  EXPECT_LT(smallest, 5'000);
  EXPECT_GT(clock.ns_per_tick(), 0.05);
  EXPECT_LE(clock.ns_per_tick(), 1.0 + 1e-6);
}

TEST(Clock, ADistanceInTicksIsTheDistanceInTime) {
  // The smallest disagreement of some tries, as above.
  double smallest = 1;
  for (int i = 0; i < 5; ++i) {
    TickClock clock;
    const int64_t ns0 = now_ns(), ticks0 = now_ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int64_t ticks1 = now_ticks(), ns1 = now_ns();
    clock.refresh();
    const double by_ticks = static_cast<double>(clock.to_ns(ticks1) - clock.to_ns(ticks0));
    smallest = std::min(smallest, std::abs(by_ticks / static_cast<double>(ns1 - ns0) - 1));
  }
  EXPECT_LT(smallest, 0.02);
}

}  // namespace
}  // namespace engine
