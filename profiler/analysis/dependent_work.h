// SPDX-License-Identifier: Apache-2.0
// Ops whose operations wait for one another: time per dependent operation beside operations per second.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// One op that is a chain of dependent operations, or several side by side.
struct DependentWork {
  OpId op = kNoOp;
  double in_a_row = 0;         ///< operations of which each needs the one before (exact)
  double in_all = 0;           ///< of all chains together (exact)
  double each_ns = 0;          ///< time / in_a_row (measured): with few chains, the latency; NaN: not timed
  double per_s = 0;            ///< in_all / time; NaN: not timed, or rates are unknown
  const char* operation = "";  ///< "load", "multiply-add"
};
/// Pointer chases (accesses) and chains of multiply-adds (rounds, elements).
std::vector<DependentWork> dependent_work(const Analyzed&);

Table latency_table(const Analyzed&);
/// "chase/pointer_chase: 262144 loads wait for one another, 1.21 ns each: 826 million per second."
std::vector<std::string> latency_sentences(const Analyzed&);

}  // namespace profiler
