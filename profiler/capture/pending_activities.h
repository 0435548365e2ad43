// SPDX-License-Identifier: Apache-2.0
// PendingActivities: the activities of a capture that is being built, before they are checked and sorted.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Rows that were added one by one, and columns that were adopted as a whole.
class PendingActivities {
 public:
  void reserve(size_t count) { rows_.reserve(count); }
  /// The row that the next added activity gets; GPU records name activities by it.
  uint32_t next_row() const { return static_cast<uint32_t>(rows_.size()); }
  void add(const Activity& activity) { rows_.push_back(activity); }
  void add(std::span<const Activity> activities) { rows_.insert(rows_.end(), activities.begin(), activities.end()); }
  /// Takes over sealed columns of equal length, before any activity was added.
  void adopt(ActivityColumns columns);
  std::span<const Activity> rows() const { return rows_; }  ///< without the adopted ones
  size_t size() const { return rows_.size() + adopted_.size(); }

  /// Refused with row, name and value where an activity refers to what `capture` does not hold, or has no possible
  /// span of time.
  engine::Result<void> check(const Capture& capture) const;
  /// Hands over all activities: by start, parents before their children. The records of `gpu` follow their activities.
  ActivityColumns take_sorted(GpuRecords& gpu);

 private:
  bool adopted_in_order() const;

  std::vector<Activity> rows_;
  ActivityColumns adopted_;
};

}  // namespace profiler
