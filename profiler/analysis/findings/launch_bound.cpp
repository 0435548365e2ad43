// SPDX-License-Identifier: Apache-2.0
// launch-bound: the GPU idles while kernels are launched.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/accelerator.h"

namespace profiler {
namespace {

constexpr double kFactor = 4;  // of the batch

}  // namespace

void find_launch_bound(const FindingInput& in, FindingList& list) {
  if (in.a.step.bound != Bound::launch || in.a.step.level == kHostLevel) return;
  std::vector<double> idle, launching;
  const Overlap& o = in.gpu_overlap();
  for (const GpuRegion& r : o.regions) idle.push_back(r.idle_ns), launching.push_back(r.idle.launching_ns());
  const bool by_graphs = o.launches.graph_ratio > 0.5;
  RunFinding f;
  f.ops = in.ops_bound(Bound::launch);
  const double lost = median(launching);
  f.sentence = say("The {} idles for {} of a step, {} of it before or during launches.", accelerator_noun(in.capture),
                   format_quantity(median(idle), Quantity::duration_ns), format_quantity(lost, Quantity::duration_ns));
  f.evidence = {
      {"launching_ns", say("idle before or during launches"), lost, Quantity::duration_ns, Origin::measured},
      {"call_ns", say("per launching call (median)"), o.launches.median_call_ns, Quantity::duration_ns,
       Origin::measured},
      {"kernel_ns", say("per kernel (median)"), o.launches.median_kernel_ns, Quantity::duration_ns, Origin::measured}};
  if (const std::optional<RunChange> bigger = in.batch_times(kFactor)) {
    f.gain_ns = lost * (1 - 1 / bigger->work_ratio);
    f.gain_how = say("per sample, the idle time of launches falls with the batch; the rest stays");
    f.advice = by_graphs ? say("Use a batch of {}, or fuse ops.", bigger->value)
                         : say("Use a batch of {}, fuse ops, or record a CUDA graph.", bigger->value);
    f.change = bigger;
  } else {
    f.gain_ns = lost;
    f.gain_how = say("all idle time before or during launches, at most");
    f.advice = by_graphs ? say("Fuse ops, or prepare the next step while this one runs.")
                         : say("Fuse ops or record a CUDA graph.");
    f.no_change = say("The run has no batch to enlarge.");
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
