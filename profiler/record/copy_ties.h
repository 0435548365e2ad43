// SPDX-License-Identifier: Apache-2.0
// CopyTies: whose bytes a traced copy moved, and why: CUPTI knows neither.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/gpu/joiner.h"

namespace profiler {

/// Leaves (and views of them) that no op overwrites: every step finds the same bytes there.
std::vector<bool> unchanging_values(const engine::Graph&);

/// Copies of an op belong to what it copies. Copies to the device before the first step are the leaves' first bytes, in
/// their order, each in one copy or in several; where the sizes say otherwise, whose they are stays unknown.
class CopyTies {
 public:
  CopyTies(CaptureBuilder& builder, const engine::Graph& graph)
      : builder_(builder), graph_(graph), unchanging_(unchanging_values(graph)) {}
  /// `steps_begin_ns`: when the first step began, or later than all of the batch where none has.
  void tie(GpuBatch& batch, int64_t steps_begin_ns);

 private:
  void tie_to_op(const Activity&, CopyRecord&);
  void tie_to_leaf(CopyRecord&);

  CaptureBuilder& builder_;
  const engine::Graph& graph_;
  const std::vector<bool> unchanging_;
  size_t leaf_ = 0;           ///< value whose bytes come next
  int64_t copied_bytes_ = 0;  ///< of it
  bool lost_ = false;         ///< the sizes did not fit
};

}  // namespace profiler
