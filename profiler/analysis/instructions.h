// SPDX-License-Identifier: Apache-2.0
// Instructions that loops are made of, counted from the kernels' own loop nests: loads, stores, turns.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

struct LoopInstructions {
  OpId op = kNoOp;
  double loads = 0, stores = 0;   ///< instructions that read or write memory: a vector is one; NaN: unknown
  double branches = 0;            ///< turns of loops, each of which ends in a conditional jump; NaN: unknown
  double multiply_adds = 0;       ///< FLOPs / 2 (exact)
  Origin origin = Origin::exact;  ///< exact: the loops of our kernel; modelled: of a library, or assumed
  std::string why_unknown;        ///< empty: it is known
};
/// One entry per op that computes, for one step. Counts of all threads together. Compilers unroll loops: the branches
/// of the code that runs are fewer then.
std::vector<LoopInstructions> loop_instructions(const Analyzed&);

Table instructions_table(const Analyzed&);
/// "naive: 2 loads and 1 branch per multiply-add. ..." of the op with the most and of that with the fewest.
std::vector<std::string> instructions_sentences(const Analyzed&);

}  // namespace profiler
