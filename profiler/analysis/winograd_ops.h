// SPDX-License-Identifier: Apache-2.0
// Which convolutions of a step ran by Winograd's minimal filtering, for how long, and what direct sums would take.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Ops of a step by the tiles they were computed in, as their kernels' facts say it.
struct WinogradOps {
  size_t of_2 = 0;          ///< F(2x2, 3x3)
  size_t of_4 = 0;          ///< F(4x4, 3x3)
  double flops = 0;         ///< computed by them
  double direct_flops = 0;  ///< of direct sums in their place; NaN: a record does not say
  double time_ns = std::numeric_limits<double>::quiet_NaN();         ///< in a step; NaN: not measured
  double direct_roof_ns = std::numeric_limits<double>::quiet_NaN();  ///< direct sums at the peak; NaN: none is known
  size_t count() const { return of_2 + of_4; }
};
/// Without times.
WinogradOps winograd_ops(const Capture&);
WinogradOps winograd_ops(const Analyzed&);

/// "16 ops ran by Winograd's minimal filtering: 12 by F(4x4, 3x3), 4 by F(2x2, 3x3); they compute 724 MFLOP, direct
/// sums 2.3 GFLOP". Behind it the time of these ops, where direct sums take longer even at the peak. Empty: no op did.
std::string winograd_words(const WinogradOps&);

}  // namespace profiler
