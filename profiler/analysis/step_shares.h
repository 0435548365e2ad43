// SPDX-License-Identifier: Apache-2.0
// Parts of a step: what passes outside all ops, and how an op's time becomes a share.
#pragma once

#include <string>

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Median time; NaN for ops that were not timed.
double time_of(const Analyzed&, OpId);

/// Part of a step that passes outside all ops; NaN without any step that counts. Where a GPU worked it is the GPU's
/// idle part: of a median step (gpu_idle_step_ratio()), in an imported trace of all steps (gpu_idle_ratio()). Else it
/// is the median time outside over the median step, in an imported trace of all steps (foreign_idle_ratio()).
double untimed_ratio(const Capture&);
/// Median of the timed steps [ns]. NaN: none.
double median_step_ns(const Capture&);
/// Mean of the timed steps [ns]: what shares of a trace of another tool are of. NaN: none.
double mean_step_ns(const Capture&);
/// That, where shares are of it and it differs from the median, which has to be said beside the median; else NaN.
double mean_step_apart_ns(const Capture&);
/// Share of the median step per nanosecond of an op's median time. Shares of all ops, untimed_ratio() and rest_ns /
/// step_ns of StepParts add up to 1. Where those are unknown (GPUs, imported traces) the ops share what untimed_ratio()
/// leaves. NaN: nothing was timed.
double share_per_ns(const Analyzed&);

/// What the median step is made of: ops_ns + between_ns + rest_ns = step_ns. All NaN: no step or no op was timed, or
/// times of ops overlap, as of GPUs, of several devices and of other tools.
struct StepParts {
  double step_ns = 0;     ///< median of the timed steps
  double ops_ns = 0;      ///< the ops' medians, summed
  double between_ns = 0;  ///< untimed_ratio() of it: dispatch, and the stamps themselves
  double rest_ns =
      0;  ///< medians do not add up to the median of the sum where steps vary: above 0, steps have slow ops by turns
  bool known() const { return step_ns == step_ns; }
  /// Whether the rest is more than rounding of the other figures.
  bool has_rest() const;
};
StepParts step_parts(const Analyzed&);
/// "2.80 ms in ops (medians, summed) + 1.40 µs between ops + 4.20 ms unexplained (step-to-step variation)"; empty:
/// unknown.
std::string step_parts_words(const StepParts&);
/// The name of rest_ns, which is negative where the median step is shorter than the sum of the medians.
constexpr const char* kRestName = "step-to-step variation";

}  // namespace profiler
