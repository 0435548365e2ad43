// SPDX-License-Identifier: Apache-2.0
// The one clock: asks the kernel which source it trusts, pairs ticks with nanoseconds.
#include "engine/base/clock.h"

#include <time.h>
#include <ctime>

#include <fstream>
#include <string>

namespace engine {
namespace {

bool kernel_trusts_tsc() {
#if defined(__x86_64__)
  // The kernel keeps `tsc` only while it is invariant and in step on all cores.
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return file >> source && source == "tsc";
#else
  return false;
#endif
}

struct Pair {
  int64_t ticks, ns;
};

/// The tightest of some brackets: an interrupt between the stamps shows as a wide bracket.
Pair bracketed_pair() {
  Pair best{};
  int64_t best_width = INT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const int64_t before = now_ticks();
    const int64_t ns = now_ns();
    const int64_t after = now_ticks();
    if (after - before < best_width) {
      best_width = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

}  // namespace

namespace detail {
const bool g_ticks_are_tsc = kernel_trusts_tsc();
}

int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool ticks_are_tsc() { return detail::g_ticks_are_tsc; }

TickClock::TickClock() {
  if (!ticks_are_tsc()) return;
  const Pair first = bracketed_pair();
  ticks0_ = first.ticks;
  ns0_ = first.ns;
  // A first slope, good to about 1e-4, so that to_ns() is usable before any refresh().
  while (now_ns() - ns0_ < 200'000) {
  }
  refresh();
}

void TickClock::refresh() {
  if (!ticks_are_tsc()) return;
  const Pair second = bracketed_pair();
  if (second.ticks <= ticks0_) return;
  ns_per_tick_ = static_cast<double>(second.ns - ns0_) / static_cast<double>(second.ticks - ticks0_);
}

int64_t TickClock::to_ns(int64_t ticks) const {
  return ns0_ + static_cast<int64_t>(static_cast<double>(ticks - ticks0_) * ns_per_tick_);
}

std::string local_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  localtime_r(&now, &time);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &time);
  std::string iso(text);
  if (iso.size() == 24) iso.insert(22, ":");
  return iso;
}

}  // namespace engine
