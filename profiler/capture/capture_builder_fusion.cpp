// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: checks of what is known of fusion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/capture/capture_builder.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

Result<void> CaptureBuilder::check_fusion() const {
  const Capture& c = capture_;
  const FusionRecords& fusion = c.fusion_;
  const auto named = [&c](NameId id) { return id < c.names_.size(); };
  for (const FusedMemberRecord& m : fusion.members) {
    if (m.op >= c.ops_.size() || !named(m.name) || !named(m.type) || !std::isfinite(m.flops) || m.flops < 0) {
      return refused_error(
          fmt::format("[capture] a member of fused op {}: the op, a name or its FLOPs are impossible", m.op));
    }
  }
  if (!std::ranges::is_sorted(fusion.members, {}, &FusedMemberRecord::op)) {
    return refused_error("[capture] the members of fused ops are not in the order of their ops");
  }
  for (const FusionPairRecord& p : fusion.pairs) {
    if (p.producer_op >= c.ops_.size() || p.consumer_op >= c.ops_.size() || p.tensor >= c.tensors_.size() ||
        !named(p.producer) || !named(p.consumer) || p.written_bytes < 0 || p.read_bytes < 0) {
      return refused_error(fmt::format(
          "[capture] a pair of ops {} and {} on tensor {}: one of them does not exist, or bytes are negative",
          p.producer_op, p.consumer_op, p.tensor));
    }
    if ((p.outcome == engine::FusionOutcome::fused) != (p.producer_op == p.consumer_op)) {
      return refused_error(fmt::format("[capture] a pair of ops {} and {} is {}: only fused pairs are inside one op",
                                       p.producer_op, p.consumer_op, name(p.outcome)));
    }
    if (p.outcome == engine::FusionOutcome::fused &&
        !std::ranges::binary_search(fusion.members, p.consumer_op, {}, &FusedMemberRecord::op)) {
      return refused_error(
          fmt::format("[capture] a pair is inside op {}, which has no members and is not fused", p.consumer_op));
    }
  }
  return {};
}

}  // namespace profiler
