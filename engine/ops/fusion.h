// SPDX-License-Identifier: Apache-2.0
// Fusion: joins ops whose values nobody else reads, so that these values never reach memory.
#pragma once

#include <vector>

#include "engine/graph/fused.h"
#include "engine/graph/graph.h"

namespace engine {

/// A value made by one node, or member of a fused node, and read by another.
struct FusionPair {
  NodeId producer = kNoNode, consumer = kNoNode;   ///< one and the same: inside a fused node
  int producer_member = -1, consumer_member = -1;  ///< place in the program of a fused node; -1: the node is not fused
  ValueId value = kNoValue;
  int64_t written_bytes = 0, read_bytes = 0;  ///< when the pair is not fused
  FusionOutcome outcome = FusionOutcome::possible;
};

/// The graph with fused nodes where that spares a value its way through memory, forwards, backwards and in the update.
/// Groups are elementwise ops of one shape and one phase, with at most one product or normalisation before them, whose
/// other outputs stay; every value inside has all its readers inside and is no output of the graph. What the backward
/// pass reads again is kept, not recomputed. Results are those of the unfused graph bit for bit, as far as the same
/// kernels compute the members. One pair is joined beyond that: a convolution and the batch norm of its result at
/// inference; the CPU folds the norm into weights and bias, which rounds in another order (a few units in the last
/// place of the products' largest). Products of quantised operands (fold_quantized()) are the other case. Value ids,
/// and with them the contents of inputs and parameters, stay. Pure; a fused graph comes back as it is.
Graph fuse(const Graph& graph);

/// All pairs of a graph, fused or not, in the order of their consumers, with what fuse() makes of them and why.
std::vector<FusionPair> fusion_pairs(const Graph& graph);

}  // namespace engine
