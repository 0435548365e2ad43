// SPDX-License-Identifier: Apache-2.0
// Lost time is what a thread neither ran nor slept, where the system also counts an involuntary switch (getrusage(2), RUSAGE_THREAD).
#include "engine/base/contention.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "engine/base/clock.h"

namespace engine {
namespace {

/// Longer than most serial code between two teams of a network, and so long that the 50 us of a wake-up are 2.5 % of it.
constexpr int64_t kAwakeForNextTeamNs = 2'000'000;
/// Parts of a team end within microseconds of each other, unless one lost its processor.
constexpr int64_t kAwakeForOthersNs = 1'000'000;
/// For what is there at once; about the price of going to sleep.
constexpr int64_t kAwakeContendedNs = 3'000;

constexpr int64_t kBetweenLooksNs = 2'000'000;
/// Interrupts and kernel threads take less, a slice of another program more (1.5 ms at the least: Linux's base_slice_ns is 0.7 ms times
/// 1 + log2 of the processors, kernel/sched/fair.c).
constexpr int64_t kLossNs = 500'000;
/// Slices of others recur within some 10 ms as long as there are others.
constexpr int64_t kRememberNs = 100'000'000;

struct Look {
  int64_t at_ns = 0, ran_ns = 0, slept_ns = 0;
  long switches = 0;
};
thread_local constinit Look last{};
thread_local constinit int64_t slept_ns = 0;

int64_t nanoseconds(const timeval& t) { return t.tv_sec * 1'000'000'000 + t.tv_usec * 1'000; }

}  // namespace

int usable_processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more processors than a cpu_set_t holds
}

Contention::Contention() : processors_(usable_processors()) {}

int64_t Contention::hand_over_ns(int team) const { return team > processors_ || contended(now_ns()) ? kHandOverAsleepNs : kHandOverAwakeNs; }

int64_t Contention::awake_ns(WaitFor what, int team) const {
  if (team > processors_ || contended(now_ns())) return kAwakeContendedNs;
  return what == WaitFor::next_team ? kAwakeForNextTeamNs : kAwakeForOthersNs;
}

void Contention::lost(int64_t now) { contended_until_ns_.store(now + kRememberNs, std::memory_order_relaxed); }

void Contention::slept(int64_t ns) { slept_ns += ns; }

void Contention::gap(int64_t from, int64_t to) {
  if (to - from >= kLossNs) lost(to);
}

void Contention::look() {
  const int64_t now = now_ns();
  if (now - last.at_ns < kBetweenLooksNs) return;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return;
  const Look here{now, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime), slept_ns, usage.ru_nivcsw};
  const int64_t away = (here.at_ns - last.at_ns) - (here.ran_ns - last.ran_ns) - (here.slept_ns - last.slept_ns);
  if (last.at_ns != 0 && here.switches > last.switches && away >= kLossNs) lost(now);
  last = here;
}

}  // namespace engine
