// SPDX-License-Identifier: Apache-2.0
// Which ops belong together: scopes, layer paths, rows of a rolled-up table.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/ops_table.h"
#include "profiler/analysis/scope.h"
#include "profiler/model/capture.h"

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
/// stands still (gpu_idle_ratio()), in a trace of another tool a part of all steps together (foreign_idle_ratio()), else the median time
/// outside over the median step.
double untimed_ratio(const Capture&);
/// Mean of the timed steps [ns]: what shares of a trace of another tool are of. NaN: none.
double mean_step_ns(const Capture&);
/// That, where shares are of it and it differs from the median, which has to be said beside the median; else NaN.
double mean_step_apart_ns(const Capture&);
/// Share of the median step per nanosecond of an op's median time: shares of all ops, untimed_ratio() and rest_ns / step_ns of StepParts add up to
/// 1. Where those are unknown (of a GPU, of a trace of another tool) the ops share what untimed_ratio() leaves. NaN: nothing was timed.
double share_per_ns(const Analyzed&);

/// What the median step is made of: ops_ns + between_ns + rest_ns = step_ns. All NaN: no step or no op was timed, or the times of ops overlap
/// (of a GPU, of a trace of another tool).
struct StepParts {
  double step_ns = 0;     ///< median of the timed steps
  double ops_ns = 0;      ///< the ops' medians, summed
  double between_ns = 0;  ///< untimed_ratio() of it: dispatch, and the stamps themselves
  double rest_ns = 0;     ///< medians do not add up to the median of the sum where steps vary: above 0, steps have slow ops by turns
  bool known() const { return step_ns == step_ns; }
  /// Whether the rest is more than rounding of the other figures.
  bool has_rest() const;
};
StepParts step_parts(const Analyzed&);
/// "2.80 ms in ops (medians, summed) + 1.40 µs between ops + 4.20 ms unexplained (step-to-step variation)"; empty: unknown.
std::string step_parts_words(const StepParts&);
/// The name of rest_ns, which is negative where the median step is shorter than the sum of the medians.
constexpr const char* kRestName = "step-to-step variation";

}  // namespace profiler
