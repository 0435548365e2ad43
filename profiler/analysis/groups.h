// SPDX-License-Identifier: Apache-2.0
// Which ops belong together: scopes, layer paths, rows of a rolled-up table.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analysis.h"

namespace profiler {

/// Shown for ops outside all layers.
inline constexpr std::string_view kNoLayer = "(no layer)";

/// Whether `layer` is `wanted` or lies inside it: "layer1.0" contains "layer1.0.conv2" but not
/// "layer1.01".
bool in_layer(std::string_view layer, std::string_view wanted);
/// The ops of a scope in execution order.
std::vector<OpId> ops_of(const Capture&, const Scope&);

/// One row of a rolled-up table. Layer groups include the layers inside; `depth` counts path parts
/// (1 outermost).
struct OpGroup {
  std::string key;
  int depth = 1;
  std::vector<OpId> ops;  ///< ascending; views included
};
/// Groups in order of first appearance; layers parents first.
std::vector<OpGroup> group_ops(const Capture&, OpsBy);

/// Bytes an op names, every operand once (exact).
double compulsory_read(const Capture&, const OpRecord&);
double compulsory_written(const Capture&, const OpRecord&);
/// Median time; NaN for ops that were not timed.
double time_of(const Analyzed&, OpId);

/// Part of a step that passes outside all ops; NaN without any step that counts. Where a GPU worked it is the part in which that
/// stands still (gpu_idle_ratio()), else the median over the steps.
double untimed_ratio(const Capture&);
/// Share of the step per nanosecond of an op's median time: shares of all ops and untimed_ratio()
/// add up to 1, which times over the median step would not when steps vary. NaN: nothing was timed.
double share_per_ns(const Analyzed&);

}  // namespace profiler
