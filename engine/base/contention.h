// SPDX-License-Identifier: Apache-2.0
// How long a thread of a team waits awake: long while the processors are ours, hardly at all while other programs take
// them.
#pragma once

#include <atomic>
#include <cstdint>

namespace engine {

/// What a thread of a team waits for. The next team: serial code of the calling thread lies between two. The others:
/// the ends of parts of one team, which are made equal.
enum class WaitFor { next_team, others };

/// What it takes until another thread of the pool has begun its part, which waits awake; and one that sleeps and shares
/// its processor with other programs (medians on a virtual machine of 2 processors, quiet and at load 8: 0.7 us; 9 to
/// 18 us).
inline constexpr int64_t kHandOverAwakeNs = 700;
inline constexpr int64_t kHandOverAsleepNs = 20'000;

/// Whether other programs take processors from a team. A thread that waits awake then keeps the very thread that it
/// waits for from running, for a slice of the scheduler (3 ms and more) each time: two threads beside two busy programs
/// took 24 times as long as with sleeping ones. Evidence is time that threads waited for a processor (run_queue.h);
/// teams of more threads than there are processors always count as contended. Sleep, and time that a host takes from a
/// virtual machine, are no evidence: nobody here waits for those processors.
class Contention {
 public:
  Contention();

  /// Time to wait awake in ns before going to sleep, for a team of that many threads.
  int64_t awake_ns(WaitFor, int team) const;
  /// What handing work to a team of that many costs now: they wait awake, or asleep.
  int64_t hand_over_ns(int team) const;

  /// The calling thread looks whether it waited for a processor since its last look. A look costs some 3 us (measured);
  /// at most one in 2 ms is done.
  void look();
  /// A thread that only looked at the clock was away from `from_ns` to `to_ns`: it looks at once. Where the kernel
  /// keeps no account, long gaps are the evidence.
  void gap(int64_t from_ns, int64_t to_ns);

  /// The calling thread slept, or woke another. Linux often puts both on one processor at first, beside idle ones: what
  /// they wait for each other in the next 4 ms is no evidence.
  static void woken();

  /// Time in ns that a thread waited for a processor: fills with what it waited, runs out by 5 % of the time that
  /// passes.
  class Waited {
   public:
    /// It waited for `queued_ns` up to `now_ns`. Returns whether others take the processor: more than one slice of the
    /// scheduler within some 50 ms, which a daemon that wakes now and then does not take.
    bool add(int64_t queued_ns, int64_t now_ns);

   private:
    int64_t level_ns_ = 0, fresh_ns_ = 0, at_ns_ = 0;
  };

  /// Others took a processor at that time: contended for the next 100 ms.
  void lost(int64_t now_ns);
  bool contended(int64_t now_ns) const { return now_ns < contended_until_ns_.load(std::memory_order_relaxed); }
  int processors() const { return processors_; }

 private:
  void look_at(int64_t now_ns, int64_t queued_ns);
  std::atomic<int64_t> contended_until_ns_{0};
  int processors_;
};

/// Processors that this process may run on (its affinity mask), at least 1.
int usable_processors();

}  // namespace engine
