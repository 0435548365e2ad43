// SPDX-License-Identifier: Apache-2.0
// Collective operations between GPUs: how long they take, what hides them, how fast they move their bytes, who waits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"

namespace profiler {

enum class CollectiveKind : uint8_t {
  unknown,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  point_to_point,
  barrier
};
/// Of a name as a trace records it ("_allgather_base", "allreduce_coalesced"), or of a kernel that carries one out
/// ("ncclDevKernel_AllReduce_Sum_f32_RING_LL").
CollectiveKind collective_kind(std::string_view);
/// As PyTorch calls it: "allreduce"; unknown: "unknown".
std::string_view name(CollectiveKind);
/// Bus bandwidth by algorithm bandwidth among `ranks`: 2(n-1)/n of an all-reduce, (n-1)/n of all-gather,
/// reduce-scatter, all-to-all, gather and scatter, 1 of broadcast, reduce and point-to-point. NaN: it depends on an
/// unknown number of ranks, or the kind moves no bytes of its own. Source: NVIDIA nccl-tests, doc/PERFORMANCE.md.
double bus_factor(CollectiveKind, int32_t ranks);

/// One collective operation of one rank: a kernel of a GPU, or a span of a host thread (gloo, MPI).
struct CollectiveCall {
  uint32_t activity = 0;
  uint32_t rank = 0;                ///< index into Capture::ranks()
  int32_t device = kUnknownFigure;  ///< unknown: it ran on a host thread, or the trace does not say
  CollectiveKind kind = CollectiveKind::unknown;
  std::string_view operation{};       ///< as the trace calls it; of a kernel without a record name(kind)
  std::string_view group{}, ranks{};  ///< process group and its ranks; empty: unknown
  int32_t group_size = kUnknownFigure;
  /// The larger of what this rank sends and receives, as nccl-tests count it; NaN: unknown.
  double bytes = kUnknown;
  double time_ns = 0, exposed_ns = 0;  ///< exposed: nothing that computes ran beside it: no kernel on
                                       ///< this device; of a host's, no op on another thread
  /// From the first rank's arrival to the last one's, and from this rank's to the last one's. NaN: other ranks of the
  /// group are not in the capture, or their clocks contradict it.
  double skew_ns = kUnknown, wait_ns = kUnknown;
  bool last = false;  ///< this rank arrived last
  double algorithm_bytes_per_s() const;
  double bus_bytes_per_s() const { return algorithm_bytes_per_s() * bus_factor(kind, group_size); }
};

/// All collectives of one operation, process group and number of ranks, on one rank.
struct CollectiveRow {
  uint32_t rank = 0;
  CollectiveKind kind = CollectiveKind::unknown;
  std::string_view operation, group;
  int32_t group_size = kUnknownFigure;
  int64_t count = 0, sized = 0;  ///< sized: of known bytes
  double bytes = 0;              ///< of the sized ones; NaN: none is
  double median_bytes = kUnknown;
  double time_ns = 0, exposed_ns = 0;                                   ///< sums
  double algorithm_bytes_per_s = kUnknown, bus_bytes_per_s = kUnknown;  ///< of the sized ones: bytes / their time
  double skew_ns = kUnknown;  ///< mean of those whose ranks were compared; NaN: none was
  double wait_ns = kUnknown;  ///< sum of the same
};

struct Collectives {
  std::vector<CollectiveCall> calls;  ///< in the order of rank and time
  std::vector<CollectiveRow> rows;    ///< by rank, longest first
  int64_t unsized = 0;                ///< calls of unknown bytes
  int64_t compared = 0;               ///< calls that were found on all other ranks of the capture in their group
  int64_t contradicted = 0;           ///< of those found, calls that do not overlap by the clocks of their ranks
};
/// Of the whole capture, warm-up and work outside of steps included.
Collectives collectives(const Capture&);

/// Row per operation, process group and number of ranks.
Table communication_table(const Capture&, const Collectives&);
/// Row per collective operation, in the order of time.
Table collectives_table(const Capture&, const Collectives&);
/// What the rows hold, and why figures are unknown.
std::vector<std::string> communication_sentences(const Capture&, const Collectives&);

}  // namespace profiler
