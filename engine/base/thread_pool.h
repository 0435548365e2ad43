// SPDX-License-Identifier: Apache-2.0
// Our own thread pool, for builds without OpenMP: parts of the work are claimed, so that nobody waits for a thread that sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "engine/base/thread_team.h"

namespace engine {

/// Workers wait for work awake for a while, then asleep. The caller works too and takes whatever no worker has claimed: waking one takes some
/// 50 us, most of a short loop. Worker k serves teams of more than k only, so that a team's members are always the same threads, and sleeps
/// through smaller ones.
class ClaimedPartsPool {
 public:
  /// The process's pool. It has no end: its workers are asleep when the program's static objects go.
  static ClaimedPartsPool& instance();

  /// See engine::run_team(). A caller that finds the pool busy with another's team does all parts itself.
  void run(int threads, TeamWork) noexcept;
  /// See engine::run_on_each_thread(). Waits for a team that another caller has.
  void run_on_each(int threads, TeamWork) noexcept;

 private:
  ClaimedPartsPool();
  /// Workers 1 .. wanted, or as many of them as the system gives; that many.
  int grow(int wanted);
  void post(bool on_each, int team, const TeamWork&);
  /// Until workers have done that many parts.
  void wait_for(uint32_t parts);
  /// Does the next part that nobody has claimed; false: there is none for this worker (0: the caller).
  bool claim(int worker);
  void do_part(int member, int team);
  [[noreturn]] void serve(int worker);
  int64_t stays_awake_ns() const;

  /// The team's number (upper half), whether on each thread (1 bit), its size (15 bits), the next part to claim (16 bits).
  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> posted_{0};    ///< counts teams; what members sleep on
  std::atomic<uint32_t> larger_{0};    ///< counts teams that were larger than the one before; what those sleep on whom the last one had no part for
  std::atomic<uint32_t> done_{0};      ///< parts of this team that workers have done
  std::atomic<int> asleep_{0};
  const TeamWork* work_ = nullptr;     ///< of this team; read by who has claimed a part of it, which holds the team up
  std::mutex callers_;
  std::atomic<int> workers_{0};
  int processors_;
};

}  // namespace engine
