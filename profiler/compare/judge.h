// SPDX-License-Identifier: Apache-2.0
// Judges the ops of a comparison together: what each is called, and what is common to all of them.
#pragma once

#include <optional>
#include <vector>

#include "profiler/base/change.h"

namespace profiler {

/// One op: its time in each process, in the same order of processes for all ops.
struct OpSamples {
  std::vector<double> before, after;  ///< ns; NaN: unknown
  double share = 0;                   ///< of the step
  double noise =
      0;  ///< seen in the steps of its processes (process_noise()): single processes are assumed to differ by no less
};

struct OpJudgements {
  std::vector<Change> changes;  ///< as the samples
  /// What all ops have in common, taken out of the changes; nothing: it was left in.
  std::optional<Change> shift;
};

/// Each op's part of `test.error_rate` is its share of the time (weighted Bonferroni; Genovese, Roeder, Wasserman 2006,
/// doi 10.1093/biomet/93.3.509).
///
/// Processes differ mostly as wholes: a clock, a neighbour, a memory layout slow all ops alike. Where that shift
/// between the two sides is within its noise, and each side has at least 3 processes, an op is judged beside the
/// others: in every process, the median over the other ops of what they deviate from their means is taken out of its
/// time. Only ops of over 2 % of the step speak for the others, at least two must; an op that is called no longer does,
/// so that it does not put its change on them. Left in where the shift is called (then it is an answer, not noise), and
/// where taking it out would not lower the noise.
OpJudgements judge_ops(const std::vector<OpSamples>&, const ChangeTest&);

}  // namespace profiler
