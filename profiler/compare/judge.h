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

/// Each op's part of `test.error_rate` is its share of the time (weighted Bonferroni). Source: Genovese, Roeder,
/// Wasserman 2006, doi 10.1093/biomet/93.3.509.  Processes differ mostly as wholes: a clock, a neighbour, a memory
/// layout slow all ops alike. An op is judged relative to the others where that shift is within its noise, and each
/// side has at least 3 processes. In every process, the median deviation of the other ops from their means is
/// subtracted from its time. Only ops of over 2 % of the step count as others, at least two. An op that is called no
/// longer counts, so that its change does not move them. Left in where the shift is called (then it is an answer, not
/// noise), and where taking it out would not lower the noise.
OpJudgements judge_ops(const std::vector<OpSamples>&, const ChangeTest&);

}  // namespace profiler
