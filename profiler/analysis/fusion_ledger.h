// SPDX-License-Identifier: Apache-2.0
// The fusion ledger: for each value that one op writes and another reads, what fusing the two spares, whether they are,
// why not.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

struct FusionLedgerRow {
  FusionPairRecord pair;
  std::string level;  ///< nearest memory level that holds the value whole: where it comes from when it is read again
  int64_t spared_bytes = 0;  ///< written and read no more (fused), or that need not be (possible); 0 in all other cases
  int dispatches = 0;        ///< ops fewer by this pair; a value read by several members counts once
  /// Modelled: spared bytes over the measured bandwidth of that level, and the measured cost of a parallel region per
  /// dispatch. NaN: the pair cannot be fused, or no bandwidth is known.
  double predicted_ns = std::numeric_limits<double>::quiet_NaN();
};

/// One fused op.
struct FusedOpRow {
  OpId op = kNoOp;            ///< of the capture with fused ops
  std::string name, members;  ///< members by their names without fusion
  int64_t spared_bytes = 0;
  double time_ns = std::numeric_limits<double>::quiet_NaN();  ///< measured
  double unfused_ns =
      std::numeric_limits<double>::quiet_NaN();  ///< measured: the members in the other capture; NaN: none given
  double predicted_ns = std::numeric_limits<double>::quiet_NaN();  ///< modelled
  double obtained_ns() const { return unfused_ns - time_ns; }      ///< measured
};

struct FusionLedger {
  std::vector<FusionLedgerRow> rows;  ///< largest value first
  std::vector<FusedOpRow> groups;     ///< largest spared bytes first; empty where nothing is fused
  int64_t spared_bytes = 0;           ///< of fused pairs
  int64_t possible_bytes = 0;         ///< of pairs that could be fused
  int dispatches = 0;                 ///< of fused pairs
  std::vector<std::string> findings;  ///< sentences
};

/// `other`: a capture of the same step with --fuse the other way, for what was obtained; null: none.
FusionLedger fusion_ledger(const Analyzed&, const Analyzed* other = nullptr);
/// Fails (usage) when the two captures are not of one step with and without fusion, naming what differs.
engine::Result<void> check_fusion_partner(const Capture&, const Capture& other);

/// A row per pair; and a row per fused op.
Table fusion_table(const Analyzed&);
Table fused_ops_table(const Analyzed&, const Analyzed* other = nullptr);

}  // namespace profiler
