// SPDX-License-Identifier: Apache-2.0
// What an op's traffic can be held against without running or simulating anything: compulsory bytes, the I/O lower
// bound, layer conditions.
#pragma once

#include <optional>
#include <string>

#include "profiler/capture/capture.h"

namespace profiler {

/// Bytes of one op that any execution must move. A warm cache may hold some of them already, so that less than this is
/// possible, too.
struct TrafficBounds {
  double compulsory_read = 0, compulsory_written = 0;  ///< exact: every distinct operand byte once
  /// Least bytes into and out of an empty memory of the given capacity, for any order of the loops. Elements read: 2 m
  /// n k / sqrt(S), where S elements fit; at least the compulsory ones. Results are written once. Source: Smith,
  /// Lowery, van de Geijn 2019, arXiv 1702.02017, leading term. Convolutions with window reuse R: 2 m n k / sqrt(R S)
  /// (Chen, Han, Wang 2020, arXiv 1911.05662). NaN: none is known for this op.
  double lower_bound = 0;
  double compulsory() const { return compulsory_read + compulsory_written; }
};
/// `capacity_bytes`: of the link's inner level; NaN or 0: no lower bound is claimed.
TrafficBounds traffic_bounds(const Capture&, const OpRecord&, double capacity_bytes);

/// Windows (convolutions, pooling) walk an image row by row. Where half of a cache holds the rows of one window, each
/// row is fetched once. Else it is fetched once per window row that uses it. The other half is for other streams
/// (kerncraft's rule; Stengel, Treibig, Hager, Wellein 2015, arXiv 1410.5010).
struct LayerCondition {
  double rows_bytes = 0;   ///< of one window's rows, all channels that are walked between two rows of the result
  double image_bytes = 0;  ///< the whole image once
  double uses = 1;         ///< window rows that use an image row: kernel height / stride
  bool met(double capacity_bytes) const { return rows_bytes <= capacity_bytes / 2; }
  /// Bytes of the image that cross into a cache of the given bytes.
  double read_bytes(double capacity_bytes) const { return met(capacity_bytes) ? image_bytes : image_bytes * uses; }
};
/// Nothing for ops without windows, and where the capture holds no kernel or stride.
std::optional<LayerCondition> layer_condition(const Capture&, const OpRecord&);

}  // namespace profiler
