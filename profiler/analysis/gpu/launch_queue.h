// SPDX-License-Identifier: Apache-2.0
// Work that the host has launched and a GPU has not begun: how deep the queue of each stream is, how long it waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// One stream of one device of one rank.
struct StreamQueue {
  TrackId track = 0;
  int64_t launched = 0;           ///< kernels, copies and memsets whose call is known
  int64_t unknown = 0;            ///< those whose call is not
  int64_t early = 0;              ///< of those launched, begun before their call: the clocks of host and GPU disagree
  int64_t deepest = 0;            ///< most at a time between their call and their begin
  double mean_depth = kUnknown;   ///< over the time from the first call to the last begin
  double empty_ratio = kUnknown;  ///< part of that time in which none waits
  double median_wait_ns = kUnknown, most_wait_ns = kUnknown;  ///< from the begin of the call to that of the work
};
/// Streams with known calls, in the order of their tracks. Work of one graph launch waits since that one call.
std::vector<StreamQueue> launch_queues(const Capture&);

Table launch_queue_table(const Capture&);

}  // namespace profiler
