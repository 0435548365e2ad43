// SPDX-License-Identifier: Apache-2.0
// Time of a step that the model does not ask for. Reference code: loops that are there to be right, where no fast
// kernel takes an op as it is. And copies into another layout.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/code_kind.h"
#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"

namespace profiler {

struct ReferenceCode {
  std::vector<OpId> ops;  ///< timed ops that ran in reference code, longest first
  double time_ns = 0;     ///< of a step
  double share = 0;       ///< of the median step; NaN: no step was timed
};
/// What kind of code computed an op. Of traces of other tools, and of what was never computed, it is unknown.
engine::CodeKind code_of(const Capture&, const OpRecord&);

ReferenceCode reference_code(const Analyzed&);

/// "38 % of the step runs in slow reference code (gru, group_norm): no fast kernel takes these ops as they are." Empty:
/// none does.
std::string reference_words(const Analyzed&, const ReferenceCode&);

struct LayoutCopies {
  std::vector<OpId>
      ops;             ///< timed ops whose result has the operand's elements, in another order in memory; longest first
  double time_ns = 0;  ///< of a step
  double share = 0;    ///< of the median step; NaN: no step was timed
};
/// Of runs of ours; other ops, whose kernels copy operands on their way, are not among them.
LayoutCopies layout_copies(const Analyzed&);
/// "7 % of the step copies tensors into another layout (contiguous, relayout)." Empty: less than 1 %.
std::string layout_words(const Analyzed&, const LayoutCopies&);

/// "f32 64x128x256 row-major, f32 64x256 strided": operands and results as kernels see them.
std::string operand_words(const Capture&, const OpRecord&);

}  // namespace profiler
