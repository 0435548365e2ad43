// SPDX-License-Identifier: Apache-2.0
// A number that threads sleep on until it changes. std::atomic::wait of GCC 12 gives its processor away four times
// before it sleeps (sched_yield), and beside many busy programs each of these takes a round of all of them.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace engine {

class FutexWord {
 public:
  uint32_t load() const { return value_.load(std::memory_order_acquire); }
  /// For what nobody sleeps on just now.
  void store(uint32_t value) { value_.store(value, std::memory_order_relaxed); }
  /// Adds (in arithmetic modulo 2^32) and gives the value behind it; wakes nobody.
  uint32_t add(uint32_t much) { return value_.fetch_add(much) + much; }
  /// Wakes all who sleep on an older value; a system call only where there are any. Whether there were.
  bool wake() {
    const bool any = sleepers_.load() > 0;
    if (any) futex(FUTEX_WAKE_PRIVATE, INT_MAX);
    return any;
  }
  /// Sleeps until the value is no longer `seen`.
  void sleep_while(uint32_t seen) {
    sleepers_.fetch_add(1);
    while (value_.load() == seen) futex(FUTEX_WAIT_PRIVATE, seen);
    sleepers_.fetch_sub(1);
  }

 private:
  void futex(int operation, uint32_t value) { syscall(SYS_futex, &value_, operation, value, nullptr, nullptr, 0); }
  static_assert(sizeof(std::atomic<uint32_t>) == 4);
  std::atomic<uint32_t> value_{0};
  std::atomic<int> sleepers_{0};
};

}  // namespace engine
