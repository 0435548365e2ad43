// SPDX-License-Identifier: Apache-2.0
// Claims by compare-and-swap on one word that holds the team's number too: who comes late finds another number and touches nothing.
#include "engine/base/thread_pool.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "engine/base/clock.h"

namespace engine {
namespace {

/// How long a thread waits awake: longer than what lies between two loops of a network, shorter than anybody would notice.
constexpr int64_t kAwakeNs = 200'000;
/// Looks at the clock are 16 ns, each of these pauses some 10 to 40.
constexpr int kPausesPerLook = 32;
constexpr int kMostMembers = (1 << 15) - 1;

constexpr uint64_t packed(uint64_t number, bool on_each, int team, int next) {
  return number << 32 | static_cast<uint64_t>(on_each) << 31 | static_cast<uint64_t>(team) << 16 | static_cast<uint64_t>(next);
}
constexpr bool is_on_each(uint64_t state) { return (state >> 31 & 1) != 0; }
constexpr uint64_t number_of(uint64_t state) { return state >> 32; }
constexpr int team_of(uint64_t state) { return static_cast<int>(state >> 16 & kMostMembers); }
constexpr int next_of(uint64_t state) { return static_cast<int>(state & 0xffff); }

inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Waits awake until `done` says so, at most `ns`.
template <class Done>
bool await(int64_t ns, const Done& done) {
  const int64_t until = now_ns() + ns;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (done()) return true;
      pause();
    }
  } while (now_ns() < until);
  return done();
}

thread_local constinit bool in_team = false;

}  // namespace

ClaimedPartsPool& ClaimedPartsPool::instance() {
  static ClaimedPartsPool* const pool = new ClaimedPartsPool;  // never freed: its workers outlive static objects
  return *pool;
}

ClaimedPartsPool::ClaimedPartsPool() : processors_(static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

/// With more threads than processors who waits awake takes the processor of who works.
int64_t ClaimedPartsPool::stays_awake_ns() const { return team_of(state_.load(std::memory_order_relaxed)) > processors_ ? 0 : kAwakeNs; }

int ClaimedPartsPool::grow(int wanted) {
  while (workers_.load(std::memory_order_relaxed) < wanted) {
    try {
      std::thread(&ClaimedPartsPool::serve, this, workers_.load(std::memory_order_relaxed) + 1).detach();
    } catch (const std::system_error&) {
      break;
    }
    workers_.fetch_add(1, std::memory_order_relaxed);
  }
  return std::min(wanted, workers_.load(std::memory_order_relaxed));
}

void ClaimedPartsPool::post(bool on_each, int team, const TeamWork& work) {
  const uint64_t before = state_.load(std::memory_order_relaxed);
  work_ = &work;
  done_.store(0, std::memory_order_relaxed);
  state_.store(packed(number_of(before) + 1, on_each, team, 0), std::memory_order_release);
  if (team > team_of(before)) {
    larger_.fetch_add(1);
    larger_.notify_all();
  }
  posted_.fetch_add(1);
  if (asleep_.load() > 0) posted_.notify_all();
}

void ClaimedPartsPool::do_part(int member, int team) {
  detail::team_member = member;
  (*work_)(member, team);
  detail::team_member = 0;
}

bool ClaimedPartsPool::claim(int worker) {
  uint64_t state = state_.load(std::memory_order_acquire);
  do {
    if (is_on_each(state) || worker >= team_of(state) || next_of(state) >= team_of(state)) return false;
  } while (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  do_part(next_of(state), team_of(state));
  return true;
}

void ClaimedPartsPool::serve(int worker) {
  in_team = true;
  uint64_t last = 0;  // the team of which this was the member `worker`
  const auto done_one = [this] {
    done_.fetch_add(1, std::memory_order_release);
    done_.notify_one();
  };
  for (;;) {
    const uint32_t seen_larger = larger_.load(std::memory_order_acquire);
    const uint32_t seen = posted_.load(std::memory_order_acquire);
    const uint64_t state = state_.load(std::memory_order_acquire);
    if (is_on_each(state) && worker < team_of(state) && number_of(state) != last) {
      last = number_of(state);
      do_part(worker, team_of(state));
      done_one();
    }
    while (claim(worker)) done_one();
    if (worker >= team_of(state)) {  // no member, nor of any team up to the next larger one
      larger_.wait(seen_larger);
      continue;
    }
    if (await(stays_awake_ns(), [&] { return posted_.load(std::memory_order_acquire) != seen; })) continue;
    asleep_.fetch_add(1);
    posted_.wait(seen);
    asleep_.fetch_sub(1);
  }
}

void ClaimedPartsPool::wait_for(uint32_t parts) {
  if (await(stays_awake_ns(), [&] { return done_.load(std::memory_order_acquire) == parts; })) return;
  for (uint32_t done = done_.load(std::memory_order_acquire); done != parts; done = done_.load(std::memory_order_acquire)) done_.wait(done);
}

void ClaimedPartsPool::run(int threads, TeamWork work) noexcept {
  std::unique_lock lock(callers_, std::defer_lock);
  const int wanted = std::min(threads, kMostMembers);
  if (wanted <= 1 || in_team || !lock.try_lock()) return detail::alone(work);
  const int team = 1 + grow(wanted - 1);
  detail::largest_team = std::max(detail::largest_team, team);
  in_team = true;
  post(/*on_each=*/false, team, work);
  uint32_t own = 0;
  while (claim(0)) ++own;
  wait_for(static_cast<uint32_t>(team) - own);
  in_team = false;
}

void ClaimedPartsPool::run_on_each(int threads, TeamWork work) noexcept {
  const int wanted = std::min(threads, kMostMembers);
  if (wanted <= 1 || in_team) return detail::alone(work);
  const std::lock_guard lock(callers_);
  const int team = 1 + grow(wanted - 1);
  detail::largest_team = std::max(detail::largest_team, team);
  in_team = true;
  post(/*on_each=*/true, team, work);
  do_part(0, team);
  wait_for(static_cast<uint32_t>(team) - 1);
  in_team = false;
}

}  // namespace engine
