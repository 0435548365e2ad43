// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: collects, interns, sorts, links, and freezes a Capture. Used by recorders, file readers and tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/model/capture.h"

namespace profiler {

class CaptureBuilder {
 public:
  CaptureBuilder();  ///< name 0 is the empty text
  NameId intern(std::string_view text);
  TrackId add_track(Track);
  TensorId add_tensor(TensorRecord);               ///< sets and returns the id
  OpId add_op(OpRecord, std::vector<OperandRecord>);  ///< sets ids and operand range
  void add_step(StepRecord);
  void add_activity(const Activity& a) { activities_.push_back(a); }
  void reserve_activities(size_t n) { activities_.reserve(n); }
  const Capture& so_far() const { return capture_; }  ///< unchecked; without activities
  RunInfo& run() { return capture_.run_; }
  Machine& machine() { return capture_.machine_; }
  Honesty& honesty() { return capture_.honesty_; }

  /// Checks every reference and every figure (an activity with an op that does not exist, a negative duration: refused, naming
  /// it), sorts, indexes, freezes. The builder is spent afterwards; copy it first to freeze a state on the way.
  engine::Result<std::shared_ptr<const Capture>> finish();

 private:
  engine::Result<void> check_ops() const;
  engine::Result<void> check_tensors() const;
  engine::Result<void> check_steps() const;
  engine::Result<void> check_activities() const;
  void sort_activities();
  void index_activities();

  Capture capture_;
  std::vector<Activity> activities_;
  std::unordered_map<std::string, NameId> ids_;
};

}  // namespace profiler
