// SPDX-License-Identifier: Apache-2.0
// What a capture can hold beside activities: figures over time, and what collective operations moved between ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/capture/activity.h"

namespace profiler {

/// A figure that changes over time; each value holds until the next.
struct CounterSeries {
  NameId name = 0;   ///< "allocated"
  NameId group = 0;  ///< whose: "GPU 0"
  NameId unit = 0;   ///< "B"; name 0: unknown
  std::vector<int64_t> time_ns;
  std::vector<double> value;
  friend bool operator==(const CounterSeries&, const CounterSeries&) = default;
};

/// One collective operation on one rank; the kernel that carries it out has the same correlation. -1: unknown.
struct CollectiveRecord {
  uint64_t correlation = 0;
  NameId operation = 0;     ///< "allreduce"
  NameId element_type = 0;  ///< as the trace names it: "Float"
  NameId group = 0;         ///< process group
  NameId ranks = 0;         ///< "[0, 1]"
  int64_t in_elements = -1, out_elements = -1;
  int64_t in_bytes = -1, out_bytes = -1;  ///< elements x size of the dtype
  int32_t group_size = -1;
  friend bool operator==(const CollectiveRecord&, const CollectiveRecord&) = default;
};

}  // namespace profiler
