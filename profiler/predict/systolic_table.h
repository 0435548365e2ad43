// SPDX-License-Identifier: Apache-2.0
// The products and convolutions of a step on a systolic array.
#pragma once

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/predict/systolic_array.h"

namespace profiler {

/// "128x128:ws": rows x columns, and what stays in place (os, ws, is). Fails (usage).
engine::Result<SystolicArray> parse_systolic(std::string_view);

/// Sums over the ops that are products or convolutions; nothing else runs on the array.
struct SystolicStep {
  double cycles = 0, multiply_adds = 0;
  int ops = 0, others = 0;
  double used_ratio(const SystolicArray& array) const;  ///< multiply-adds / those the array could do in these cycles
};
SystolicStep systolic_step(const Capture&, const SystolicArray&);  ///< the array must be one that systolic_work() takes

/// "systolic": a row per GEMM or convolution. A convolution is a GEMM of windows and filters, as in SCALE-Sim. Groups
/// run one after the other, as do the matrices of a batched GEMM.
Table systolic_table(const Capture&, const SystolicArray&);

}  // namespace profiler
