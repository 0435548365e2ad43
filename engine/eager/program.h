// SPDX-License-Identifier: Apache-2.0
// Program: the backward pass of one kind of tape, made by differentiate() once and run again for
// tapes of the same ops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/eager/runner.h"
#include "engine/graph/graph.h"

namespace engine::eager {

/// Ops and edges of a tape in numbers: equal tapes have equal signatures.
using Signature = std::vector<uint64_t>;

struct Program {
  /// Bytes of a constant of the graph: the gradient of the loss by itself.
  struct Constant {
    ValueId value = kNoValue;
    Block block;
    std::shared_ptr<Storage> storage;
  };
  Signature signature;
  Graph graph;                                 ///< the tape's nodes, then the gradient's
  NodeId first = 0;                            ///< the first of the gradient's nodes
  std::vector<ValueId> operands;               ///< values of the tape's operands: op for op, inputs then outputs
  std::vector<ValueId> gradients;              ///< by leaf; kNoValue: the loss does not depend on it
  std::vector<std::vector<ValueId>> releases;  ///< by node from `first` on: values read for the last time
  std::vector<Recipe*> recipes;                ///< by node from `first` on, once it has run
  std::vector<OpRunner*> places;               ///< by value: of the device whose memory it lies in
  std::vector<std::unique_ptr<Constant>> constants;
};

/// The device of each value of a program, from those of the `known` values. Operands and results of one op lie on one
/// device; to_device names both. Undecided values lie on the first of `runners`.
std::vector<OpRunner*> place_values(const Graph& graph, std::span<const std::pair<ValueId, OpRunner*>> known,
                                    std::span<OpRunner* const> runners);

}  // namespace engine::eager
