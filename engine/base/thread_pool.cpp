// SPDX-License-Identifier: Apache-2.0
// A part is claimed by writing its team's number over an older one: who comes late finds the number there, or a newer
// one, and touches nothing.
#include "engine/base/thread_pool.h"

#include <sched.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <new>
#include <system_error>
#include <thread>

#include "engine/base/check.h"
#include "engine/base/clock.h"

namespace engine {
namespace {

/// Looks at the clock are 16 ns, each of these pauses some 10 to 40.
constexpr int kPausesPerLook = 32;
constexpr int kTeamBits = 0x7fff;
/// Slices of the scheduler are over by then.
constexpr int64_t kBetweenMovesNs = 10'000'000;

constexpr uint64_t packed(uint64_t number, bool on_each, int team) {
  return number << 16 | static_cast<uint64_t>(on_each) << 15 | static_cast<uint64_t>(team);
}
constexpr bool is_on_each(uint64_t state) { return (state >> 15 & 1) != 0; }
constexpr uint64_t number_of(uint64_t state) { return state >> 16; }
constexpr int team_of(uint64_t state) { return static_cast<int>(state & kTeamBits); }

inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

thread_local constinit bool in_team = false;
thread_local constinit ThreadPool* of_thread = nullptr;  // null: the process's

}  // namespace

ThreadPool& ThreadPool::numbered(size_t number) {
  CHECK(number < kNumbered);
  static constinit std::mutex making;
  static constinit std::array<ThreadPool*, kNumbered> pools{};  // never freed, as the process's
  const std::lock_guard lock(making);
  if (pools[number] == nullptr) pools[number] = new ThreadPool;
  return *pools[number];
}

void ThreadPool::use(size_t number) { of_thread = &numbered(number); }

ThreadPool& ThreadPool::instance() {
  if (of_thread != nullptr) return *of_thread;
  static ThreadPool* const pool = new ThreadPool;  // never freed: its workers outlive static objects
  return *pool;
}

bool ThreadPool::inside() { return in_team; }

int ThreadPool::reserve(int threads) {
  const int wanted = std::min(threads, kMostMembers) - 1;
  if (workers_.load(std::memory_order_acquire) < wanted) {
    const std::lock_guard lock(starting_);
    while (workers_.load(std::memory_order_relaxed) < wanted) {
      try {
        std::thread(&ThreadPool::serve, this, workers_.load(std::memory_order_relaxed) + 1).detach();
      } catch (const std::system_error&) {
        break;
      } catch (const std::bad_alloc&) {
        break;
      }
      workers_.fetch_add(1, std::memory_order_release);
    }
  }
  return 1 + std::min(wanted, workers_.load(std::memory_order_acquire));
}

bool ThreadPool::wait(WaitFor what, int team, FutexWord& word, uint32_t seen) {
  int64_t now = now_ns();
  const int64_t until = now + contention_.awake_ns(what, team);
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (word.load() != seen) return false;
      pause();
    }
    const int64_t before = now;
    now = now_ns();
    contention_.gap(before, now);
  } while (now < until);
  word.sleep_while(seen);
  Contention::woken();
  return true;
}

void ThreadPool::post(bool on_each, int team, const TeamWork& work) {
  const uint64_t before = state_.load(std::memory_order_relaxed);
  work_ = &work;
  claims_[0].processor.store(sched_getcpu(), std::memory_order_relaxed);
  missing_.store(static_cast<uint32_t>(team));
  state_.store(packed(number_of(before) + 1, on_each, team), std::memory_order_release);
  bool woke = false;
  if (team > team_of(before)) {
    larger_.add(1);
    woke = larger_.wake();
  }
  posted_.add(1);
  if (posted_.wake() || woke) Contention::woken();
}

bool ThreadPool::claim(uint64_t number, int part) {
  std::atomic<uint64_t>& last = claims_[static_cast<size_t>(part)].number;
  uint64_t before = last.load(std::memory_order_acquire);
  if (before >= number) return false;
  return last.compare_exchange_strong(before, number, std::memory_order_acq_rel, std::memory_order_relaxed);
}

void ThreadPool::do_part(int part, int team) {
  detail::team_member = part;
  (*work_)(part, team);
  detail::team_member = 0;
}

uint32_t ThreadPool::do_parts(uint64_t state, int own) {
  const int team = team_of(state);
  uint32_t done = 0;
  for (int next = 0; next < (is_on_each(state) ? 1 : team); ++next) {
    const int part = (own + next) % team;
    if (!claim(number_of(state), part)) continue;
    do_part(part, team);
    ++done;
  }
  return done;
}

void ThreadPool::spread(int worker, int team) {
  thread_local constinit int64_t moved_at_ns = 0;
  const int here = sched_getcpu();
  const auto processor = [&](int member) {
    return claims_[static_cast<size_t>(member)].processor.load(std::memory_order_relaxed);
  };
  claims_[static_cast<size_t>(worker)].processor.store(here, std::memory_order_relaxed);
  bool shared = false;
  for (int member = 0; member < worker && !shared; ++member) shared = processor(member) == here;
  if (!shared || team > contention_.processors()) return;
  const int64_t now = now_ns();
  if (now - moved_at_ns < kBetweenMovesNs || contention_.contended(now)) return;
  moved_at_ns = now;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;  // more processors than a cpu_set_t holds
  cpu_set_t free = allowed;
  for (int member = 0; member < team; ++member) {
    if (const int taken = processor(member); taken >= 0 && taken < CPU_SETSIZE)
      CPU_CLR(static_cast<size_t>(taken), &free);
  }
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof free, &free) != 0) return;
  if (sched_setaffinity(0, sizeof allowed, &allowed) == 0) return;
  // What the process may run on has just been changed: all of that, which the system cuts to what it is.
  for (size_t i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

std::vector<int> ThreadPool::worker_threads() const {
  std::vector<int> all;
  for (int worker = 1; worker <= workers_.load(std::memory_order_acquire); ++worker) {
    if (const int thread = claims_[static_cast<size_t>(worker)].thread.load(std::memory_order_relaxed); thread > 0)
      all.push_back(thread);
  }
  return all;
}

void ThreadPool::serve(int worker) {
  in_team = true;
  of_thread = this;  // a library asks it for its barriers
  claims_[static_cast<size_t>(worker)].thread.store(static_cast<int>(gettid()), std::memory_order_relaxed);
  bool slept = true;  // a thread that has just begun was placed as one that was woken
  for (;;) {
    const uint32_t seen_larger = larger_.load();
    const uint32_t seen = posted_.load();
    const uint64_t state = state_.load(std::memory_order_acquire);
    if (worker >= team_of(state)) {  // no member, nor of any team up to the next larger one
      larger_.sleep_while(seen_larger);
      Contention::woken();
      slept = true;
      continue;
    }
    if (slept) spread(worker, team_of(state));
    if (const uint32_t done = do_parts(state, worker); done > 0) {
      if (missing_.add(-done) == 0 && missing_.wake()) Contention::woken();
      contention_.look();
    }
    slept = wait(WaitFor::next_team, team_of(state), posted_, seen);
  }
}

void ThreadPool::run_locked(bool on_each, int threads, const TeamWork& work) noexcept {
  const int team = reserve(threads);
  in_team = true;  // also of one: this thread holds `callers_`, and a team inside of it must not wait for that
  if (team <= 1) {
    detail::alone(work);
    in_team = false;
    return;
  }
  detail::largest_team = std::max(detail::largest_team, team);
  contention_.look();
  post(on_each, team, work);
  const uint32_t own = do_parts(state_.load(std::memory_order_relaxed), 0);
  uint32_t missing = missing_.add(-own);
  for (; missing != 0; missing = missing_.load()) wait(WaitFor::others, team, missing_, missing);
  in_team = false;
}

void ThreadPool::run(int threads, TeamWork work) noexcept {
  std::unique_lock lock(callers_, std::defer_lock);
  if (threads <= 1 || in_team || !lock.try_lock()) return detail::alone(work);
  run_locked(/*on_each=*/false, threads, work);
}

void ThreadPool::run_on_each(int threads, TeamWork work) noexcept {
  if (threads <= 1 || in_team) return detail::alone(work);
  const std::lock_guard lock(callers_);
  run_locked(/*on_each=*/true, threads, work);
}

void ThreadPool::barrier() noexcept {
  const int team = team_of(state_.load(std::memory_order_relaxed));
  const uint32_t seen = crossed_.load();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(team)) {
    arrived_.store(0, std::memory_order_relaxed);
    crossed_.add(1);
    if (crossed_.wake()) Contention::woken();
    return;
  }
  wait(WaitFor::others, team, crossed_, seen);
}

}  // namespace engine
