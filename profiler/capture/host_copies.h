// SPDX-License-Identifier: Apache-2.0
// Copies that the processor made: between devices that are simulated by it, or within its memory.
#pragma once

#include <algorithm>

#include "profiler/capture/capture.h"

namespace profiler {

inline bool is_host_copy(const CopyRecord& copy) { return copy.kind == CopyKind::host_to_host; }

/// Whether the activity is such a copy; others of its kind are a GPU's.
inline bool is_host_copy(const Capture& capture, uint32_t activity) {
  const CopyRecord* copy = capture.copy_of(activity);
  return copy != nullptr && is_host_copy(*copy);
}

/// Whether a GPU ran kernels or made copies.
inline bool has_gpu_work(const Capture& capture) {
  return !capture.gpu().kernels.empty() ||
         !std::ranges::all_of(capture.gpu().copies, [](const CopyRecord& copy) { return is_host_copy(copy); });
}

/// Whether a copy, or the mean of several, is long enough to show a rate. A few bytes in a tick of the GPU's clock show
/// terabytes per second that nothing moved at.
inline bool shows_rate(double bytes, double ns) {
  constexpr double kFewestBytes = 4096, kShortestNs = 100;
  return bytes >= kFewestBytes && ns >= kShortestNs;
}

}  // namespace profiler
