// SPDX-License-Identifier: Apache-2.0
// LazyValues: computes single values of a graph that is still being built.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"

namespace engine {

/// Computes what a value depends on, once, and keeps it. Ops get the kernels that Plan gives them, so that a plan of
/// the same graph computes the same bits.
class LazyValues {
 public:
  /// The backend works in the host's memory. Leaves start as Plan starts them by the same seed.
  LazyValues(Backend& backend, uint64_t seed) : backend_(backend), seed_(seed) {}
  /// What the input of that name holds instead of its fill.
  void give(const std::string& input, Tensor tensor) { given_[input] = std::move(tensor); }

  /// The elements of a value, row-major. The graph may have grown since the last call; what it had is as it was.
  /// Refused with layer and op where memory does not suffice or an op refuses.
  Result<Tensor> value(const Graph& graph, ValueId id);

 private:
  Result<void> start(const Value& leaf);
  Result<void> run(const Graph& graph, const Node& node);
  Result<void> compute(const Graph& graph, const Node& node);

  Backend& backend_;
  uint64_t seed_;
  std::map<std::string, Tensor> given_;
  std::vector<Tensor> tensors_;   // by value; undefined: not computed
  std::vector<bool> unchanging_;  // by value: constants, parameters and views of them
  std::shared_ptr<Storage> workspace_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace engine
