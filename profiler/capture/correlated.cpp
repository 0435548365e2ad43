// SPDX-License-Identifier: Apache-2.0
// Finds activities by correlation, chunk by chunk.
#include "profiler/capture/correlated.h"

namespace profiler {

std::vector<uint32_t> rows_with(const Capture& capture, uint64_t correlation, size_t most) {
  std::vector<uint32_t> rows;
  if (correlation == 0) return rows;
  const auto& column = capture.activities().correlation;
  std::vector<uint64_t> values;
  uint32_t first = 0;
  for (size_t chunk = 0; chunk < column.chunk_count() && rows.size() < most; ++chunk) {
    const auto& packed = column.chunk(chunk);
    // a chunk whose values cannot reach it is not unpacked
    if (packed.width == 8 || (correlation >= packed.base && (correlation - packed.base) >> (8 * packed.width) == 0)) {
      column.decode(chunk, values);
      for (size_t i = 0; i < values.size() && rows.size() < most; ++i)
        if (values[i] == correlation) rows.push_back(first + static_cast<uint32_t>(i));
    }
    first += packed.rows;
  }
  return rows;
}

std::optional<uint32_t> launching_call(const Capture& capture, uint32_t row) {
  constexpr size_t kMost = 64;  // a graph launches many with one call, which comes first
  const auto& a = capture.activities();
  if (a.kind[row] == ActivityKind::api) return {};
  for (const uint32_t other : rows_with(capture, a.correlation[row], kMost))
    if (a.kind[other] == ActivityKind::api) return other;
  return {};
}

}  // namespace profiler
