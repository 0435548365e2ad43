// SPDX-License-Identifier: Apache-2.0
// ProgressPace.
#include "profiler/record/progress_pace.h"

#include <cmath>
#include <utility>

namespace profiler {

void ProgressPace::ended(double step_ns, double loss, bool loss_failed) {
  ++since_.recent_steps;
  since_.last_step_ns = step_ns;
  since_.shortest_ns = std::fmin(since_.shortest_ns, step_ns);  // fmin(NaN, x) = x
  since_.longest_ns = std::fmax(since_.longest_ns, step_ns);
  since_.loss = loss;
  since_.loss_failed = since_.loss_failed || loss_failed;
}

void ProgressPace::report(RecordProgress now, int64_t now_ns) {
  if (!progress_) return;
  const bool waits = now.stage == stage_ && !now.planned && now.fraction < 1 && now_ns - passed_on_ns_ < kEveryNs;
  if (waits) return;
  stage_ = now.stage;
  passed_on_ns_ = now_ns;
  now.recent_steps = since_.recent_steps;
  now.last_step_ns = since_.last_step_ns;
  now.shortest_ns = since_.shortest_ns;
  now.longest_ns = since_.longest_ns;
  now.loss = since_.loss;
  now.loss_failed = since_.loss_failed;
  RecordProgress next;  // the last step's time and loss stay known, the failure of a training is for good
  next.last_step_ns = since_.last_step_ns;
  next.loss = since_.loss;
  next.loss_failed = since_.loss_failed;
  since_ = std::move(next);
  progress_(now);
}

}  // namespace profiler
