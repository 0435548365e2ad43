// SPDX-License-Identifier: Apache-2.0
// Activity: one thing that took time on one track; 40 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profiler {

using NameId = uint32_t;   ///< index into Capture::names()
using TrackId = uint16_t;  ///< index into Capture::tracks()
using OpId = uint32_t;     ///< index into Capture::ops()
inline constexpr OpId kNoOp = 0xffffffffu;
inline constexpr uint32_t kNoStep = 0xffffffffu;

/// `range`: a span that is none of the others: an annotation, a Python function, a slice of an imported trace.
enum class ActivityKind : uint8_t { step, op, layer, copy, kernel, api, synchronization, overhead, memset, range };
inline constexpr int kActivityKindCount = 10;
std::string_view name(ActivityKind);

struct Activity {
  int64_t start_ns = 0;  ///< CLOCK_MONOTONIC
  int64_t duration_ns = 0;
  uint64_t correlation = 0;  ///< joins an API call with what it launched, unique in a capture; 0: none
  NameId name = 0;
  OpId op = kNoOp;
  uint32_t step = kNoStep;  ///< which step (iteration) of the run
  TrackId track = 0;
  ActivityKind kind = ActivityKind::op;
  uint8_t flags = 0;
};
static_assert(sizeof(Activity) == 40);

enum class TrackKind : uint8_t { host_thread, stream, copy_engine, overhead };
inline constexpr int kTrackKindCount = 4;

/// Where activities happen: a host thread, a stream, a copy engine, the profiler's own work. Spans on one track nest or
/// follow.
struct Track {
  TrackKind kind = TrackKind::host_thread;
  std::string name;   ///< "main thread", "profiler"
  std::string group;  ///< "Host", "GPU 0", "Profiler"
};

}  // namespace profiler
