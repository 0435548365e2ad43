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
  CaptureBuilder();
  NameId intern(std::string_view text);
  TrackId add_track(Track);
  TensorId add_tensor(TensorRecord);               ///< sets and returns the id
  OpId add_op(OpRecord, std::vector<OperandRecord>);  ///< sets ids and operand range
  void add_step(StepRecord);
  void add_activity(const Activity& a) { activities_.push_back(a); }
  void reserve_activities(size_t n) { activities_.reserve(n); }
  RunInfo& run() { return capture_.run_; }
  Machine& machine() { return capture_.machine_; }
  Honesty& honesty() { return capture_.honesty_; }

  /// Checks references (an activity with an op that does not exist: refused, naming it), sorts, indexes, freezes.
  engine::Result<std::shared_ptr<const Capture>> finish();

 private:
  Capture capture_;
  std::vector<Activity> activities_;
  std::unordered_map<std::string, NameId> ids_;
};

}  // namespace profiler
