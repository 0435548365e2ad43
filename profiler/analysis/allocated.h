// SPDX-License-Identifier: Apache-2.0
// Bytes that the allocators of a traced program had handed out over time, from its trace. They replace live tensors,
// which an imported trace does not hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

struct AllocatedSeries {
  const CounterSeries* series = nullptr;  ///< of the capture; values in bytes, each holds until the next
  std::string group, name;                ///< "GPU 0", "allocated"
  double peak_bytes = 0;
  int64_t peak_ns = 0;  ///< when it was first reached; the capture's clock
};

/// Series of bytes, highest peak first; empty: the trace has none.
std::vector<AllocatedSeries> allocated_series(const Capture&);

/// Row per value of all series.
Table allocated_table(const Capture&);
/// "allocated of GPU 0: at most 81.2 MB, 1.2 ms after the first event (measured by the traced program's allocator).",
/// one per series.
std::vector<std::string> allocated_sentences(const Capture&);

}  // namespace profiler
