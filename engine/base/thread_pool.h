// SPDX-License-Identifier: Apache-2.0
// The pool of threads of the process, and those of simulated devices that work beside it: parts of work are claimed, so
// that nobody waits for a thread that sleeps, and waiting threads stay awake only while no other program wants their
// processors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/contention.h"
#include "engine/base/futex_word.h"
#include "engine/base/thread_team.h"

namespace engine {

/// The caller of a team is its member 0. Worker k serves teams of more than k only, takes part k first, so that what a
/// part touches stays in one core's caches, and sleeps through smaller teams. Who is done with its own part takes parts
/// that nobody has begun: waking a thread takes some 50 us, most of a short loop. A child of fork() has none of these
/// threads and must not start teams.
class ThreadPool {
 public:
  /// The pool of the calling thread's teams: the process's, unless it uses another. A pool has no end: its workers are
  /// asleep when the program's static objects go.
  static ThreadPool& instance();
  /// One of further pools for threads whose teams must not wait for the process's, 0 to kNumbered - 1.
  static ThreadPool& numbered(size_t number);
  /// From here on the calling thread's teams are of that pool.
  static void use(size_t number);
  static constexpr size_t kNumbered = 16;

  /// Starts workers so that teams of `threads` can be had; the largest team that can.
  int reserve(int threads);
  /// See engine::run_team(). A caller that finds the pool busy with another's team does all parts itself.
  void run(int threads, TeamWork) noexcept;
  /// See engine::run_on_each_thread(). Waits for a team that another caller has.
  void run_on_each(int threads, TeamWork) noexcept;
  /// Of a member of a team of run_on_each: waits until all its members are here.
  void barrier() noexcept;
  /// Whether the calling thread is a member of a team of several.
  static bool inside();

  const Contention& contention() const { return contention_; }
  Contention& contention() { return contention_; }
  /// The system's numbers of the workers that have begun to serve.
  std::vector<int> worker_threads() const;
  /// Of several members, so far.
  uint64_t teams() const { return state_.load(std::memory_order_relaxed) >> kNumberShift; }

 private:
  static constexpr int kNumberShift = 16;  ///< of state_
  ThreadPool() = default;
  void run_locked(bool on_each, int threads, const TeamWork&) noexcept;
  void post(bool on_each, int team, const TeamWork&);
  /// Awake for a while, then asleep, until `word` is no longer `seen`. Whether it came to sleep.
  bool wait(WaitFor, int team, FutexWord& word, uint32_t seen);
  /// Claims part `part` of team `number`; false: somebody has, or the team is over.
  bool claim(uint64_t number, int part);
  void do_part(int part, int team);
  /// Does part `own` and, unless each thread has its own, whatever parts nobody has begun; how many.
  uint32_t do_parts(uint64_t state, int own);
  /// Moves the calling worker, which was just woken, away from the processor of another member: woken threads stayed on
  /// one processor for 70 ms and more, taking turns of 2 ms, beside one that was idle. Not on a contended machine, and
  /// at most every 10 ms.
  void spread(int worker, int team);
  [[noreturn]] void serve(int worker);

  std::atomic<uint64_t> state_{0};  ///< the team's number (48 bits), whether on each thread (1 bit), its size (15 bits)
  FutexWord posted_;                ///< counts teams; what workers sleep on
  FutexWord larger_;   ///< counts teams that were larger than the one before; what those sleep on whom the last one had
                       ///< no part for
  FutexWord missing_;  ///< parts of this team that are not done
  std::atomic<uint32_t> arrived_{0};  ///< members at the barrier
  FutexWord crossed_;                 ///< counts barriers that all have reached
  const TeamWork* work_ = nullptr;    ///< of this team; read by who has claimed a part of it, which holds the team up
  struct alignas(64) Claim {
    std::atomic<uint64_t> number{0};  ///< of the last team whose part this was and was claimed
    std::atomic<int> processor{-1};   ///< that the member of this number ran on when it last looked
    std::atomic<int> thread{0};       ///< the system's number of this worker; 0: it has not begun
  };
  static constexpr int kMostMembers = 4096;
  std::unique_ptr<Claim[]> claims_ = std::make_unique<Claim[]>(kMostMembers);
  std::mutex callers_;
  std::mutex starting_;
  std::atomic<int> workers_{0};
  Contention contention_;
};

}  // namespace engine
