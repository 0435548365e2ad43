// SPDX-License-Identifier: Apache-2.0
// What a link between host and device does, fitted from copies of several sizes: a fixed time per copy and bytes per
// second.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Copies of one direction between the same kinds of memory. NaN: too few sizes to tell, or nothing of the kind
/// happened.
struct LinkFit {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  int32_t device = kUnknownFigure;
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
  int64_t copies = 0, sizes = 0;  ///< with a size and a time; different sizes
  int64_t smallest_bytes = 0, largest_bytes = 0;
  double alpha_ns =
      kUnknown;  ///< time(bytes) = alpha + beta bytes, relative least squares through the median of each size
  double beta_ns_per_byte = kUnknown;
  double deviation_ratio = kUnknown;        ///< of the medians from the fit, the largest
  double fastest_bytes_per_s = kUnknown;    ///< of a size's median
  double both_ways_bytes_per_s = kUnknown;  ///< of both directions together, while both were busy on this device

  /// The rate that large copies come near to.
  double rate_bytes_per_s() const { return 1e9 / beta_ns_per_byte; }
  /// The size whose copy takes as long again as the fixed part: half of the rate is reached there.
  double half_rate_bytes() const { return alpha_ns / beta_ns_per_byte; }
};

/// By device, then direction. Copies that ran beside one the other way are left out of the fit.
std::vector<LinkFit> link_fits(const Capture&);
Table links_table(const Capture&);

}  // namespace profiler
