// SPDX-License-Identifier: Apache-2.0
// Bytes of a step to and from off-chip memory, over the size of the memory on the chip.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// Bytes that a step moves over the edge of an on-chip memory of this size or more, up to the next point.
struct OnChipPoint {
  double on_chip_bytes = 0, off_chip_bytes = 0;
};

/// Model: on-chip memory keeps the buffers that were used last (LRU), whole. An op finds a buffer there if the buffers
/// that ops touched since its last use fit as well (profiler/analysis/reuse.h). A written buffer leaves the chip once
/// if any use up to its next write does not find it. Inputs of the step come from outside in every step. Values that no
/// op reads leave it. Then the bytes never grow with the memory. With none they are those of all operands. With all
/// they are those of inputs and outputs.
struct OnChipCurve {
  std::vector<OnChipPoint> points;           ///< ascending, a step function; the first one at 0; empty: no ops
  double input_bytes = 0, output_bytes = 0;  ///< what is left with all of it
  double weight_bytes = 0;                   ///< of all parameters
  double at(double on_chip_bytes) const;     ///< NaN: no ops
};
/// Exact under the model, from shapes. Nothing of an imported trace, whose operands are unknown.
OnChipCurve on_chip_curve(const Capture&);

/// "on_chip": rows at 0, at powers of two, at the size of each cache, and with all.
Table on_chip_table(const Analyzed&);
std::vector<std::string> on_chip_sentences(const Analyzed&);

}  // namespace profiler
