// SPDX-License-Identifier: Apache-2.0
// CUDA and HIP graphs as a trace of their capture tells them: the op, shapes and module of each launch. The trace of a
// replay has but kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace profiler {

enum class NodeWork : uint8_t { kernel, copy, memset };

/// A launch while a stream was captured.
struct CapturedNode {
  static constexpr uint32_t kNoCall = std::numeric_limits<uint32_t>::max();

  NodeWork work = NodeWork::kernel;
  std::string kernel;                        ///< its name; empty: the trace does not say it (CUDA's do not)
  uint32_t call = kNoCall;                   ///< of an op, numbered within the graph: an op may launch several kernels
  std::string op, layer;                     ///< of that call, as are the following; empty: unknown
  std::string dimensions, types, constants;  ///< JSON as PyTorch writes it (TraceCall)
  std::string around, around_dimensions;     ///< the op around it
  engine::Phase phase = engine::Phase::forward;
  double flops = -1;  ///< given by the trace; -1: not
};

struct CapturedGraph {
  std::vector<CapturedNode> nodes;  ///< in the order of their launches
};

}  // namespace profiler
