// SPDX-License-Identifier: Apache-2.0
// What the packets of a Perfetto trace refer to: names, tracks, clocks and defaults, per sequence of packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

inline constexpr size_t kMostPerfettoNames = size_t{1} << 22;

/// A clock as a snapshot has it: `value` at `ns` of the trace's clock.
struct PerfettoClock {
  uint64_t value = 0;
  int64_t ns = 0;
  uint64_t unit_ns = 1;
  bool incremental = false;
  uint64_t now = 0;  ///< of an incremental clock: the sum so far
};

/// One writer of packets.
struct PerfettoSequence {
  bool valid = false;                                                     ///< its incremental state is whole
  std::unordered_map<uint64_t, std::string> event_names, specifications;  ///< by iid
  std::vector<std::string> queues, stages;  ///< of older writers: by their place in a list
  std::map<uint32_t, PerfettoClock> clocks;
  uint32_t default_clock = 0;  ///< 0: that of the trace
  uint64_t default_track = 0;
  uint64_t thread_track = 0;                  ///< of the thread that the sequence describes itself; 0: none
  int64_t thread_us = 0;                      ///< what times in microseconds count from
  std::unordered_map<uint64_t, double> sums;  ///< of its incremental counters, by track
};

/// A track as its descriptor has it.
struct PerfettoTrack {
  std::string name;
  uint64_t parent = 0;
  std::optional<int64_t> pid, tid;
  std::string process, thread;  ///< names
  bool counter = false, incremental = false;
  std::string unit;
  double multiplier = 1;
};

}  // namespace profiler
