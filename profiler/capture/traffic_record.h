// SPDX-License-Identifier: Apache-2.0
// TrafficRecord: bytes across one link between neighbouring memory levels, and how they are known: the one thing every
// analysis of traffic is fed by.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/origin.h"
#include "profiler/capture/activity.h"
#include "profiler/capture/gpu_records.h"

namespace profiler {

inline constexpr double kUnknownBytes = std::numeric_limits<double>::quiet_NaN();

/// What one op, or one tensor in it, moves across one link per step. NaN: unknown, which is never 0.
struct TrafficRecord {
  OpId op = kNoOp;
  TensorId tensor = kNoTensor;        ///< whose bytes: a tensor that owns its bytes (no view); kNoTensor: all of the op
  uint32_t link = 0;                  ///< into TrafficSource::links
  double read_bytes = kUnknownBytes;  ///< towards the processor
  double written_bytes = kUnknownBytes;  ///< away from it: write-backs, stores written through or past the caches
  double write_allocate_bytes = kUnknownBytes;  ///< part of read_bytes: fetched only because of a store
  double hits = kUnknownBytes,
         misses = kUnknownBytes;      ///< accesses at the link's inner level, in lines (on a GPU: sectors)
  double error_band = kUnknownBytes;  ///< relative, of read and written bytes
  bool near_capacity = false;  ///< working set within 30 % of a capacity, or between what the probe saw of it and what
                               ///< the system claims: the band was doubled

  double total_bytes() const { return read_bytes + written_bytes; }
  bool known() const { return read_bytes == read_bytes && written_bytes == written_bytes; }
  /// Unknown equals unknown.
  friend bool operator==(const TrafficRecord&, const TrafficRecord&);
};

/// Between two neighbouring levels; `outer` is the farther one.
struct TrafficLink {
  std::string outer, inner;               ///< "DRAM" "L3"; the innermost: "L1" "core"
  double capacity_bytes = kUnknownBytes;  ///< of the inner level
  friend bool operator==(const TrafficLink&, const TrafficLink&);
};

/// Causes of one op's misses at a link's inner level, as ratios of them. Compulsory: first uses. Capacity: a fully
/// associative cache of that size misses too. Conflict: the rest. Source: Hill, Smith 1989 (IEEE Trans. Computers
/// 38/12), the three C.
struct MissCauses {
  OpId op = kNoOp;
  uint32_t link = 0;
  double compulsory_ratio = 0, capacity_ratio = 0, conflict_ratio = 0;
  friend bool operator==(const MissCauses&, const MissCauses&) = default;
};

/// Misses of an op's loads at a link's inner level, in loops with strides of about this size. Only strides beyond a
/// line, in more streams than processors follow. Their users decide how far prefetchers follow.
struct StridedMisses {
  OpId op = kNoOp;
  uint32_t link = 0;
  double stride_bytes = 0;  ///< the smallest of them, whichever way
  double misses = 0;        ///< lines
  friend bool operator==(const StridedMisses&, const StridedMisses&) = default;
};

/// Where the issue slots of one op's cores went, and what its cycles waited for; counted. Yasin 2014 (ISPASS), top-down
/// method.
struct TopDown {
  OpId op = kNoOp;
  double retiring_ratio = 0, bad_speculation_ratio = 0, frontend_ratio = 0,
         backend_ratio = 0;  ///< of slots; their sum is 1
  double memory_ratio = 0;   ///< of slots: the part of the back end that waits for memory; the rest is the core's
  double l1_ratio = 0, l2_ratio = 0, l3_ratio = 0, dram_ratio = 0,
         store_ratio = 0;                         ///< of cycles: stalled on data from there, on stores
  double bandwidth_ratio = 0, latency_ratio = 0;  ///< of cycles: with many reads beyond the core under way, with few
  double core_ratio() const { return backend_ratio - memory_ratio; }
  friend bool operator==(const TopDown&, const TopDown&) = default;
};

/// Records of one way of knowing: measured, simulated or modelled; never mixed.
struct TrafficSource {
  Origin origin = Origin::modelled;
  std::string policy;         ///< hierarchy and rules: "L1 48 KiB 12-way LRU3PLRU4, L2 2 MiB 16-way LRU"
  std::string method;         ///< one sentence for people, with bands; where nothing is known, why, and what would help
  int sampled = 1;            ///< simulated: 1 of this many sets was; 1: all of them
  double sampling_error = 0;  ///< relative, twice the standard error over the sampled sets; 0: not sampled
  std::vector<TrafficLink> links;  ///< DRAM's first
  std::vector<std::string>
      op_notes;  ///< by OpId: how this op's accesses are known, or why its bytes are not; empty: nothing to say
  std::vector<TrafficRecord> records;  ///< by op; of one op by link, its own sum before its tensors
  std::vector<MissCauses> causes;      ///< by op and link, of ops whose misses were classified
  std::vector<StridedMisses> strided;  ///< by op, link and stride; simulated sources only
  bool strided_known = true;           ///< false: simulated by a version that kept no steps
  std::vector<TopDown> top_down;       ///< by op; measured sources only

  /// All records of one op.
  std::span<const TrafficRecord> of(OpId) const;
  /// What was counted of an op; nullptr: nothing.
  const TopDown* top_down_of(OpId) const;
  /// The op's misses at a link in steps beyond `stride_bytes`.
  double misses_beyond(OpId, uint32_t link, double stride_bytes) const;
  /// The op's sum across a link; nullptr: there is none.
  const TrafficRecord* of(OpId, uint32_t link) const;
  /// The link between these levels; links.size(): there is none.
  size_t link_between(std::string_view outer, std::string_view inner) const;
  friend bool operator==(const TrafficSource&, const TrafficSource&) = default;
};

}  // namespace profiler
