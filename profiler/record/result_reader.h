// SPDX-License-Identifier: Apache-2.0
// Reads what the steps of a run put out: checksum, figures and values of each output, and of all parameters.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {

/// Reads after the first step where the tensors lie in the host's memory: all runs have that step, and it starts from
/// the seed alone. Elsewhere after the last one: a copy among the steps would show in them.
class ResultReader {
 public:
  /// The null device's numbers mean nothing and are not read.
  ResultReader(const engine::Graph&, engine::Backend&);

  /// Whether there is something to read.
  bool any() const { return !outputs_.empty() || !parameters_.empty(); }
  bool after_first_step() const { return any() && in_host_memory_; }
  /// Adds the results of step number `step` to the builder. What cannot be read is a note. `tensor`: as it is now.
  void read(uint32_t step, const std::function<engine::Tensor(engine::ValueId)>& tensor, CaptureBuilder&) const;

 private:
  engine::Result<engine::Tensor> on_host(const engine::Tensor&) const;
  engine::Result<ResultRecord> output(const engine::Tensor&) const;
  engine::Result<ResultRecord> parameters(const std::function<engine::Tensor(engine::ValueId)>& tensor) const;

  const engine::Graph& graph_;
  engine::Backend& backend_;
  bool in_host_memory_ = false;
  std::vector<engine::ValueId> outputs_;
  std::vector<engine::ValueId> parameters_;  // by name; of a graph that changes them
};

}  // namespace profiler
