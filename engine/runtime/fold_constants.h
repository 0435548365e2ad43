// SPDX-License-Identifier: Apache-2.0
// What depends on constants alone is computed once, before the steps: standardised weights, position tables, masks,
// dequantised weights.
#pragma once

#include <cstdint>

#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"

namespace engine {

struct FoldOptions {
  /// Nodes of op "dequantize_linear" and what depends on them stay: fuse() makes integer arithmetic of them.
  bool keep_dequantized = false;
};

struct FoldedConstants {
  Graph graph;
  int64_t nodes = 0;  ///< that are gone, views not counted
};

/// The graph with constants in place of the values that nodes compute of constants alone. Views of constants stay
/// views. Folded values hold at most four times the bytes of all constants, and 64 MiB: nodes beyond that stay. Value
/// ids stay. `backend` computes the values, in the host's memory. A graph without such nodes comes back as it is.
Result<FoldedConstants> fold_constants(const Graph& graph, Backend& backend, const FoldOptions& = {});

}  // namespace engine
