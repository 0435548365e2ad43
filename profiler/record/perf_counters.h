// SPDX-License-Identifier: Apache-2.0
// PerfCounters: the kernel's hardware counters of cache traffic: opened as one group, read without guessing, and held
// against a stream of known bytes before they are believed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

struct perf_event_attr;

namespace profiler {

/// The calls to the kernel, so that tests can stand in for it. Each fails as the system call does: -1, errno.
struct PerfSystem {
  std::function<int(perf_event_attr&, int group)> open;  ///< of this thread, on any processor
  std::function<ssize_t(int file, void* to, size_t bytes)> read;
  std::function<int(int file, unsigned long request)> control;  ///< on the group
  std::function<void(int file)> close;
  static PerfSystem kernel();
};

struct PerfEvent {
  std::string_view name;
  uint32_t type = 0;
  uint64_t config = 0;
  int stream_arrays =
      0;  ///< of the three of check_on_stream(), how many are counted line by line; 0: it says nothing of lines
};
/// Instructions; lines that came into L1 and into L2, and lines written back out of them: raw events of Intel cores
/// from Skylake to Ice Lake (L1D.REPLACEMENT, L1D_M_EVICT, L2_LINES_IN.ALL, L2_TRANS.L2_WB; as in LIKWID's groups L2
/// and L3).
std::vector<PerfEvent> cache_events();

/// Why counters cannot be used, and what would help.
struct PerfRefusal {
  std::string why, remedy;      ///< remedy empty: nobody knows one
  engine::Error error() const;  ///< both in one sentence
};

class PerfCounters {
 public:
  /// Fails (refused) with why and what would help: no driver, no permission, too few counters. `refused`: the two
  /// apart; may be null.
  static engine::Result<PerfCounters> open(std::vector<PerfEvent>, PerfSystem = PerfSystem::kernel(),
                                           PerfRefusal* refused = nullptr);
  PerfCounters(PerfCounters&&) noexcept;
  PerfCounters& operator=(PerfCounters&&) = delete;
  ~PerfCounters();

  /// Counts of all events while `work` ran, in their order; where the kernel shared the counters out in time, scaled to
  /// all of it. Fails (refused) where they did not run at all, or the kernel's answer has another length than asked
  /// for.
  engine::Result<std::vector<double>> count(const std::function<void()>& work);
  /// The two halves of count(), for work that begins and ends in two calls. Scaled by what the times grew in between:
  /// the kernel resets counts, but not times. `may_idle`: a thread that never ran meanwhile counts 0; else that is
  /// refused.
  engine::Result<void> start();
  engine::Result<std::vector<double>> stop(bool may_idle = false);
  const std::vector<PerfEvent>& events() const { return events_; }
  /// Of the last call that failed.
  const PerfRefusal& refused() const { return refused_; }

 private:
  PerfCounters() = default;
  engine::Result<std::vector<uint64_t>> read();
  engine::Error refuse(std::string why);
  PerfSystem system_;
  std::vector<PerfEvent> events_;
  std::vector<int> files_;
  uint64_t enabled_before_ns_ = 0, running_before_ns_ = 0;
  PerfRefusal refused_;
};

/// What a read of a group says (PERF_FORMAT_GROUP with both times): nr, time enabled, time running, one value each.
engine::Result<std::vector<double>> decode_group(const std::vector<uint64_t>& words, size_t events,
                                                 PerfRefusal* refused = nullptr);

/// Streams a = b + s c over arrays far larger than L2 and compares the lines the counters saw coming in with the three
/// arrays' (b, c, and a for its stores), and those written back with a's, +-5 %. Nothing where they agree; else a
/// sentence with both values: they are not to be trusted.
engine::Result<void> check_on_stream(PerfCounters&, PerfRefusal* refused = nullptr);

}  // namespace profiler
