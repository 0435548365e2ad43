// SPDX-License-Identifier: Apache-2.0
// CUDA and HIP graphs as a trace of their capture tells them: the op, shapes and module of each launch. The trace of a
// replay has but kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/graph/graph.h"
#include "profiler/capture/capture.h"

namespace profiler {

enum class NodeWork : uint8_t { kernel, copy, memset };

/// A launch while a stream was captured. Names are those of a TraceBuilder; 0: unknown.
struct CapturedNode {
  static constexpr uint32_t kNoCall = std::numeric_limits<uint32_t>::max();

  NodeWork work = NodeWork::kernel;
  engine::Phase phase = engine::Phase::forward;
  uint32_t call = kNoCall;         ///< of an op, numbered within the graph: an op may launch several kernels
  uint32_t around_call = kNoCall;  ///< the nearest call around that one that launches work, too
  NameId kernel = 0;               ///< 0: the trace does not say it (CUDA's do not)
  NameId op = 0, layer = 0, dimensions = 0, types = 0, constants = 0;  ///< of that call (TraceCall)
  NameId around = 0, around_dimensions = 0;                            ///< the op around it
  double flops = -1;                                                   ///< given by the trace; -1: not

  /// Calls f(name) for each name.
  template <class Node, class F>
  static void visit_names(Node& node, F&& f) {
    f(node.kernel), f(node.op), f(node.layer), f(node.dimensions), f(node.types), f(node.constants);
    f(node.around), f(node.around_dimensions);
  }
};

struct CapturedGraph {
  std::vector<CapturedNode> nodes;  ///< in the order of their launches
  bool differ = false;              ///< it stands for several of the same kernels, whose shapes differ
};

}  // namespace profiler
