// SPDX-License-Identifier: Apache-2.0
// What a capture can hold beside activities: figures over time, what collective operations moved between ranks, and
// what a step put out.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/tensor/dtype.h"
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

/// What one step put out: an output of the graph, or all parameters together as they are after the step.
/// profiler/capture/results.h makes it from tensors and reads its values.
struct ResultRecord {
  TensorId tensor = kNoTensor;  ///< kNoTensor: all parameters, one behind the other in the order of their names
  uint32_t step = 0;            ///< after which it was read, counted from 0
  engine::DType dtype = engine::DType::float32;  ///< of `kept`
  uint64_t checksum = 0;                         ///< XXH3-64 of its bytes, row-major
  int64_t elements = 0;
  int64_t not_finite = 0;  ///< elements that are NaN or infinite
  /// Over the finite elements; NaN: there are none. `norm`: root of the sum of squares.
  double least = std::numeric_limits<double>::quiet_NaN(), most = least, mean = least, norm = least;
  std::string kept;  ///< bytes of all elements, row-major; of a large one those of evenly spread elements
};

}  // namespace profiler
