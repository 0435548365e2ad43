// SPDX-License-Identifier: Apache-2.0
// Ops whose lanes run in lockstep under masks: work of all lanes against work that is kept, and the time it costs.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// One op with a branch per element.
struct Divergence {
  OpId op = kNoOp;
  double lanes = 0;           ///< that take each step together (exact); NaN: unknown
  double done = 0, kept = 0;  ///< elements' worth of work, of all lanes and of those whose result is kept; NaN: unknown
  double work_ratio = 0;      ///< done / kept
  double predicted_ratio = 0;  ///< work_ratio / that of the control; NaN: unknown, or there is no control
  double measured_ratio = 0;   ///< median time / that of the control; NaN: unknown, or there is no control
  bool control = false;        ///< what the others are held against
};
/// In the order of the step. The control is an op of the layer "control"; held against it are those of the same shape,
/// data type and attributes.
std::vector<Divergence> divergence(const Analyzed&);

Table divergence_table(const Analyzed&);
/// "chains/divergent_chain: 16 lanes in lockstep do 12.7 times the work that is kept. Predicted 12.7 times the time of
/// the control, measured 12.4."
std::vector<std::string> divergence_sentences(const Analyzed&);

}  // namespace profiler
