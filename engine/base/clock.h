// SPDX-License-Identifier: Apache-2.0
// The one clock: int64 nanoseconds of CLOCK_MONOTONIC, and cheap ticks that are converted to it at read-out.
#pragma once

#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace engine {

/// Nanoseconds of CLOCK_MONOTONIC (16 ns to ask, vDSO).
int64_t now_ns();

/// True when ticks are the invariant time-stamp counter (the kernel's clock source is `tsc`); else ticks are now_ns().
bool ticks_are_tsc();

/// The time of day here, ISO 8601: "2026-03-01T12:34:56+01:00".
std::string local_time_now();

namespace detail {
extern const bool g_ticks_are_tsc;  // fixed at load; engine-internal, reached only through now_ticks()
}

/// A cheap stamp (rdtsc: 7 ns; falls back to now_ns()). Convert with TickClock.
inline int64_t now_ticks() {
#if defined(__x86_64__)
  if (detail::g_ticks_are_tsc) return static_cast<int64_t>(__rdtsc());
#endif
  return now_ns();
}

/// Converts ticks to nanoseconds of CLOCK_MONOTONIC from two bracketed (ticks, ns) pairs, the earlier taken at
/// construction.
class TickClock {
 public:
  TickClock();
  /// Takes a new second pair; the longer ago the first one, the finer the slope.
  void refresh();
  int64_t to_ns(int64_t ticks) const;
  /// Nanoseconds per tick as now estimated (1.0 when ticks are nanoseconds).
  double ns_per_tick() const { return ns_per_tick_; }

 private:
  int64_t ticks0_ = 0, ns0_ = 0;
  double ns_per_tick_ = 1.0;
};

}  // namespace engine
