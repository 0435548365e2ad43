// SPDX-License-Identifier: Apache-2.0
// The chain of work and waits that a step is as long as: over host threads, calls, streams and synchronisation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// What a part of the path is. Parts of the first four kinds have an activity.
enum class PathKind : uint8_t {
  device,   ///< work of a GPU
  op,       ///< an op on a host thread, outside the calls inside it
  call,     ///< a call of the GPU's runtime or driver
  other,    ///< other spans of a host thread: overhead of the profiler
  outside,  ///< a host thread outside all ops and calls
  launch,   ///< from the return of a call to the begin of its work
  queue,    ///< from the end of work to the begin of the next that waited for it
  wake      ///< from the end of work to the end of the call that waited for it
};
inline constexpr int kPathKindCount = 8;
std::string_view name(PathKind);

inline constexpr uint32_t kNoActivity = 0xffffffffu;

/// A part of the path: no other work ran on the path meanwhile.
struct PathPart {
  PathKind kind = PathKind::outside;
  uint32_t activity = kNoActivity;  ///< row of Capture::activities(); of `launch` to `wake`: what was waited with
  TrackId track = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

/// The path of one step of one rank, ascending in time. Its parts fill [begin_ns, end_ns) without gap or overlap.
struct CriticalPath {
  uint32_t rank = 0, step = kNoStep;
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<PathPart> parts;
};

/// Walks back from the end of each measured step. Work of a GPU waits for what let it begin last. That is the work
/// before it on its stream, its call, or work of another stream that a wait of streams named. A waiting call ends
/// behind the work it waited for. A thread that runs no op while another of its process runs some waits for that one. A
/// capture without measured steps has one path, over all that ran. Work is handed over as its call returns, or, where
/// the call waits for it, as the call begins. A wait of streams is a call, whose event the capture does not hold. It
/// waits for all that was launched before it.
std::vector<CriticalPath> critical_paths(const Capture&);

/// Rows: parts of one kind and name together, longest first; times are means over the steps.
Table critical_path_table(const Capture&, const std::vector<CriticalPath>&);
/// What has most of it, in a sentence; empty: there is no path.
std::vector<std::string> critical_path_sentences(const Capture&, const std::vector<CriticalPath>&);

}  // namespace profiler
