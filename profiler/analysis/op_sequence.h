// SPDX-License-Identifier: Apache-2.0
// Whether every step runs the same ops in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

struct StepSequence {
  uint32_t step = 0;      ///< index
  std::vector<OpId> ops;  ///< in the order in which they began; on several tracks, by time
  size_t apart_at = 0;    ///< place of the first op that the first step does not have there; ops.size(): none
  bool same = true;       ///< as the first step
};
/// Traced steps, warm-up left out, whose ops are known.
std::vector<StepSequence> op_sequences(const Capture&);

Table sequence_table(const Analyzed&);
/// "All 25 recorded steps ran the same 5 ops in the same order."
std::vector<std::string> sequence_sentences(const Analyzed&);

}  // namespace profiler
