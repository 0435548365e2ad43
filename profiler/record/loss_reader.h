// SPDX-License-Identifier: Apache-2.0
// Reads the loss that training steps put out, between the steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {

/// The one number that the steps of a graph with updates put out; nothing: they do not train, or put out none or
/// several.
std::optional<engine::ValueId> loss_of(const engine::Graph&);

class LossReader {
 public:
  /// The backend computes; the null device's numbers mean nothing and are not read.
  LossReader(const engine::Graph&, engine::Backend&);

  /// What to read; nothing: no loss.
  std::optional<engine::ValueId> value() const { return value_; }
  /// Whether reading after every step disturbs nothing: the loss lies in the host's memory.
  bool after_each_step() const { return value_.has_value() && in_host_memory_; }
  /// After step number `step`, ascending: copies the tensor to the host where it lies elsewhere. Where that fails the
  /// run loses its loss from there on (a note says why), nothing else.
  void read(uint32_t step, const engine::Tensor& loss);
  /// The value that was read last; NaN: none was, or it is no finite number.
  double last() const;
  /// Whether the value that was read last is no finite number: the training has failed.
  bool failed() const;
  /// Adds the series (training_loss.h) to a builder that has all steps; each value stands at the end of its step. From
  /// the first NaN or infinity on there is none: a series of its own and a note say so.
  void add_to(CaptureBuilder&) const;

 private:
  engine::Backend& backend_;
  std::optional<engine::ValueId> value_;
  bool in_host_memory_ = false;
  std::vector<uint32_t> steps_;
  std::vector<double> values_;
  std::string failure_;  ///< the note of a read that failed
};

}  // namespace profiler
