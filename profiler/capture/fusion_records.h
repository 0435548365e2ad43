// SPDX-License-Identifier: Apache-2.0
// What a capture knows of fusion: which ops a fused op is made of, and every value that one op writes and another
// reads.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/graph/fused.h"
#include "profiler/capture/activity.h"
#include "profiler/capture/gpu_records.h"

namespace profiler {

/// One op inside a fused op. Members of one op stand behind one another, in the order in which they are computed.
struct FusedMemberRecord {
  OpId op = kNoOp;   ///< the fused op
  NameId name = 0;   ///< what the member is called in a run without fusion: "layer1.0/relu"
  NameId type = 0;   ///< "relu"
  double flops = 0;  ///< exact, per step
  friend bool operator==(const FusedMemberRecord&, const FusedMemberRecord&) = default;
};

/// A value that one op writes and another reads. Ops are those of this capture: one and the same where the pair was
/// fused.
struct FusionPairRecord {
  OpId producer_op = kNoOp, consumer_op = kNoOp;
  NameId producer = 0, consumer = 0;  ///< names as in a run without fusion
  TensorId tensor = kNoTensor;
  int64_t written_bytes = 0, read_bytes = 0;  ///< of this value, when the pair is not fused (exact)
  engine::FusionOutcome outcome = engine::FusionOutcome::possible;
  friend bool operator==(const FusionPairRecord&, const FusionPairRecord&) = default;
};

struct FusionRecords {
  std::vector<FusedMemberRecord> members;  ///< ascending by op
  std::vector<FusionPairRecord> pairs;     ///< ascending by consumer_op
  bool empty() const { return members.empty() && pairs.empty(); }
};

}  // namespace profiler
