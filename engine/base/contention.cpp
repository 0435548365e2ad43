// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contention.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/run_queue.h"

namespace engine {
namespace {

/// Longer than most serial code between two teams of a network, and so long that the 50 us of a wake-up are 2.5 % of
/// it.
constexpr int64_t kAwakeForNextTeamNs = 2'000'000;
/// Parts of a team end within microseconds of each other, unless one lost its processor.
constexpr int64_t kAwakeForOthersNs = 1'000'000;
/// For what is there at once; about the price of going to sleep.
constexpr int64_t kAwakeContendedNs = 3'000;

constexpr int64_t kBetweenLooksNs = 2'000'000;
/// A thread that was away for as long looks at once what kept it. Interrupts take less, a slice of another program more
/// (1.5 ms at the least: Linux's base_slice_ns is 0.7 ms times 1 + log2 of the processors, kernel/sched/fair.c).
constexpr int64_t kGapNs = 500'000;
/// More than one slice (2.8 to 4 ms were seen), less than two. Daemons of a quiet machine took up to 1.7 ms, two times
/// a second.
constexpr int64_t kEvidenceNs = 4'500'000;
/// Once others are known, so much stands that one slice is enough when the 100 ms are over.
constexpr int64_t kMostEvidenceNs = 2 * kEvidenceNs;
/// The shortest slice of another program. Less is no further evidence: threads that sleep between teams wait for
/// microseconds at each wake-up, and would take themselves for others for ever.
constexpr int64_t kLeastSliceNs = 700'000;
/// The tick of Linux at 250 Hz, when an idle processor takes a thread from a busy one at the latest.
constexpr int64_t kTogetherNs = 4'000'000;
/// A busy program on the processor of a thread takes half.
constexpr int64_t kRunsOutPerMille = 50;
/// Slices of others recur within some 10 ms as long as there are others.
constexpr int64_t kRememberNs = 100'000'000;

/// What the calling thread saw last.
struct Seen {
  int64_t at_ns = 0, queued_ns = 0, together_until_ns = 0;
  Contention::Waited waited;
};
thread_local constinit Seen seen;

}  // namespace

int usable_processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more processors than a cpu_set_t holds
}

Contention::Contention() : processors_(usable_processors()) {}

int64_t Contention::hand_over_ns(int team) const {
  return team > processors_ || contended(now_ns()) ? kHandOverAsleepNs : kHandOverAwakeNs;
}

int64_t Contention::awake_ns(WaitFor what, int team) const {
  if (team > processors_ || contended(now_ns())) return kAwakeContendedNs;
  return what == WaitFor::next_team ? kAwakeForNextTeamNs : kAwakeForOthersNs;
}

void Contention::lost(int64_t now) { contended_until_ns_.store(now + kRememberNs, std::memory_order_relaxed); }

bool Contention::Waited::add(int64_t queued, int64_t now) {
  const int64_t run_out = (now - at_ns_) / 1000 * kRunsOutPerMille;
  level_ns_ = std::max<int64_t>(level_ns_ - run_out + queued, 0);
  fresh_ns_ = std::max<int64_t>(fresh_ns_ - run_out, 0) + queued;
  at_ns_ = now;
  if (level_ns_ < kEvidenceNs || fresh_ns_ < kLeastSliceNs) return false;
  level_ns_ = kMostEvidenceNs;
  fresh_ns_ = 0;
  return true;
}

void Contention::look_at(int64_t now, int64_t queued) {
  const bool evidence = seen.at_ns != 0 && now >= seen.together_until_ns;
  const int64_t since = evidence ? queued - seen.queued_ns : 0;
  if (seen.waited.add(since, now) && since > 0) lost(now);
  seen.at_ns = now;
  seen.queued_ns = queued;
}

void Contention::woken() {
  const int64_t now = now_ns();
  // Threads that are woken all the time would never see anything: two thirds of the time count.
  if (now - seen.together_until_ns >= 2 * kTogetherNs) seen.together_until_ns = now + kTogetherNs;
}

void Contention::gap(int64_t from, int64_t to) {
  if (to - from < kGapNs) return;
  const int64_t queued = queued_ns();
  if (queued < 0) return lost(to);
  look_at(to, queued);
}

void Contention::look() {
  const int64_t now = now_ns();
  if (now - seen.at_ns < kBetweenLooksNs) return;
  if (const int64_t queued = queued_ns(); queued >= 0) look_at(now, queued);
}

}  // namespace engine
