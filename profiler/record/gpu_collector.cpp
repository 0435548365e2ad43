// SPDX-License-Identifier: Apache-2.0
// Joins read-outs and says what was lost.
#include "profiler/record/gpu_collector.h"

#include <fmt/format.h>

namespace profiler {

GpuBatch GpuCollector::join(std::vector<GpuEvents> read_outs, bool last) {
  GpuBatch all;
  for (GpuEvents& events : read_outs) {
    notes_.insert(notes_.end(), events.notes.begin(), events.notes.end());
    if (!events.failure.empty()) notes_.push_back(events.failure + ". What the GPU did before that is here.");
    append(all, joiner_.join(std::move(events), false));
  }
  if (last) append(all, joiner_.join({}, true));
  return all;
}

std::vector<std::string> GpuCollector::notes() const {
  std::vector<std::string> notes = notes_;
  const GpuLosses& lost = joiner_.losses();
  const auto say = [&notes](int64_t count, const char* what) {
    if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
  };
  say(lost.dropped,
      "records of the GPU's work were dropped (buffers full): sums over kernels and copies are too "
      "small.");
  say(lost.untimed, "kernels or copies came without a time (the device had no room for it): they are not shown.");
  say(lost.unattributed, "kernels or copies of measured steps belong to no known op.");
  say(lost.unreadable, "records of the GPU's work could not be read.");
  say(lost.clock_steps, "jumps of the system clock while recording: GPU times around them are off.");
  return notes;
}

}  // namespace profiler
