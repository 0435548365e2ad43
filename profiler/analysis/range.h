// SPDX-License-Identifier: Apache-2.0
// What a span of a capture's time was spent on: by name, by stack (a flame graph), by direction of copy. Also the
// spread of the durations of one name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// The name an activity is shown under: an op by the op's name, all else by its own.
NameId shown_name(const Capture&, ActivityKind, NameId own, OpId);

/// All activities of one kind and name; the parts of them that lie inside the range.
struct NamedTime {
  NameId name = 0;
  ActivityKind kind = ActivityKind::op;
  int64_t time_ns = 0;     ///< sum: what ran at once counts twice
  int64_t own_ns = 0;      ///< of it, without what ran inside them on their thread: a layer without its ops
  int64_t covered_ns = 0;  ///< in which at least one of them ran (a union): never more than the range
  int64_t count = 0;
};

/// A frame of the flame graph: equal stacks are one.
struct StackNode {
  uint32_t parent = 0;  ///< index; the root is its own
  uint32_t depth = 0;   ///< root 0, tracks 1
  std::string name;
  OpId op = kNoOp;                          ///< the op, where all of it is one op
  ActivityKind kind = ActivityKind::range;  ///< of its activities
  int64_t total_ns = 0;                     ///< inside the range, children included
  int64_t self_ns = 0;                      ///< without children
  int64_t count = 0;                        ///< activities; 0: a frame that only groups (track, phase, layer)
};

struct CopiedBytes {
  CopyKind kind = CopyKind::unknown;
  int64_t count = 0, unsized = 0;  ///< unsized: of those, without a known size
  double bytes = 0;                ///< of the sized ones, in proportion to what lies inside
  int64_t time_ns = 0;             ///< sum
};

struct RangeProfile {
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<NamedTime> names;     ///< largest own time first
  std::vector<StackNode> stacks;    ///< root first, parents before children; empty: nothing ran
  std::vector<CopiedBytes> copies;  ///< by kind
  int64_t activities = 0;           ///< that overlap the range, steps not counted
};

/// Of [begin_ns, end_ns). Host threads nest by time. Work of streams and copy engines may overlap: it is listed side by
/// side, under its phase, layers and op where these are known. About 50 ns per activity of the range.
RangeProfile range_profile(const Capture&, int64_t begin_ns, int64_t end_ns);

/// How long the activities of one kind and shown name took.
struct DurationSpread {
  int64_t count = 0, total_ns = 0;
  double mean_ns = 0;
  /// Quantiles (nearest rank): the smallest duration that at least this share does not exceed.
  int64_t least_ns = 0, p5_ns = 0, p25_ns = 0, p50_ns = 0, p75_ns = 0, p95_ns = 0, p99_ns = 0, most_ns = 0;
  struct Bin {
    double from_ns = 0, to_ns = 0;
    int64_t count = 0;
  };
  std::vector<Bin> bins;     ///< ascending, touching; the last includes its end; counts add up to `count`
  bool logarithmic = false;  ///< bins of equal ratio rather than equal width
};
/// Whole durations of the activities that begin inside [begin_ns, end_ns); none: count 0.
DurationSpread duration_spread(const Capture&, ActivityKind, NameId shown, int64_t begin_ns, int64_t end_ns);
/// The same of given durations.
DurationSpread duration_spread(std::vector<int64_t> durations_ns);

}  // namespace profiler
