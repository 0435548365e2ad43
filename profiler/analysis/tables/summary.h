// SPDX-License-Identifier: Apache-2.0
// The step in four answers: how fast, how many bytes, what limits it, what to do.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/origin.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// A limit and the share of the step's time it takes. `where`: the types of ops that take most of that; `what`: both in
/// words.
struct Limiter {
  std::string what;  ///< "DRAM bandwidth: batch_norm and relu"
  double share = 0;
  Bound bound = Bound::unknown;
  std::string level, where;
};

/// The four answers.
struct Summary {
  Spread step_ns;                                    ///< traced, non-warm-up steps
  std::string time_doubt;                            ///< why that time may not be the program's; empty: nothing says so
  double flops = 0, flop_per_s = 0, roof_ratio = 0;  ///< roof_ratio NaN: unknown, or above the roof
  bool above_roof = false;  ///< the step is faster than the measured peak, which so bounds nothing
  /// In an imported trace, flops and compulsory_bytes sum up the ops where they are known. These ops take this part of
  /// the time of all ops. 1: all are known. The sums are NaN where none is.
  double flops_known_ratio = 1, bytes_known_ratio = 1;
  double compulsory_bytes = 0, dram_bytes = 0, amplification = 0;  ///< DRAM link; NaN: unknown
  Origin dram_origin =
      Origin::modelled;           ///< of dram_bytes and amplification: measured before simulated before modelled
  double samples_per_s = 0;       ///< batch / step; NaN: the workload has no batch
  std::vector<Limiter> limiters;  ///< time by verdict, largest first; share of the median step: share_per_ns()
  double untimed_ratio = 0;       ///< share of the step outside all ops
  std::string sentence;           ///< "Limited by DRAM bandwidth in batch_norm and relu (38 % of the step)."
  std::string caution;            ///< what to do before any change: "First record again ..."; empty: nothing
  std::string change;             ///< the first finding's advice; else why none is proposed
  std::string advice;             ///< what to change: both, or the caution alone where roofs are weak
};
Summary summary(const Analyzed&);

}  // namespace profiler
