// SPDX-License-Identifier: Apache-2.0
// ProgressPace: passes on what a recording reports, a bounded number of times per second.
#pragma once

#include <functional>
#include <string>

#include "profiler/record/recorder.h"

namespace profiler {

class ProgressPace {
 public:
  static constexpr int64_t kEveryNs = 40'000'000;

  explicit ProgressPace(std::function<void(const RecordProgress&)> progress) : progress_(std::move(progress)) {}

  /// A step of any kind ended. `loss` after it; NaN: unknown, or the training has failed (`loss_failed`).
  void ended(double step_ns, double loss, bool loss_failed);
  /// Passes `now` on, with the steps that ended since the last time: at once where its stage is new, it tells of the
  /// plan or it is the end of all; else when the last time was kEveryNs ago.
  void report(RecordProgress now, int64_t now_ns);

 private:
  std::function<void(const RecordProgress&)> progress_;
  RecordProgress since_;  // what ended since the last time
  std::string stage_;
  int64_t passed_on_ns_ = 0;
};

}  // namespace profiler
