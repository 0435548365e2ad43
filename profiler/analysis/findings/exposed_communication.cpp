// SPDX-License-Identifier: Apache-2.0
// exposed-communication: GPUs exchange data while none of their kernels computes.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {

void find_exposed_communication(const FindingInput& in, FindingList& list) {
  std::vector<double> exposed, all, spans, winnable;
  for (const GpuRegion& r : in.gpu_overlap().regions) {
    exposed.push_back(r.exposed_communication_ns), all.push_back(r.communication_ns), spans.push_back(r.span_ns);
    // It can hide behind kernels that have no communication beside them yet, and no longer than these run.
    winnable.push_back(
        std::min(r.exposed_communication_ns, r.kernel_ns - (r.communication_ns - r.exposed_communication_ns)));
  }
  if (!(median(exposed) > 0 && median(exposed) >= in.rules[Rule::worth_finding_ratio] * median(spans))) return;
  RunFinding f;
  f.gain_ns = std::max(0.0, median(winnable));
  f.ops = in.ops_bound(Bound::communication);
  f.sentence = say("Communication between GPUs takes {} of a step's {} while nothing computes.",
                   format_quantity(median(exposed), Quantity::duration_ns),
                   format_quantity(median(spans), Quantity::duration_ns));
  f.evidence = {
      {"exposed_communication_ns", say("communication alone per step"), median(exposed), Quantity::duration_ns,
       Origin::measured},
      {"communication_ns", say("communication per step"), median(all), Quantity::duration_ns, Origin::measured}};
  f.gain_how = say("communication overlapped with kernels that run without any, at most");
  f.advice = say(
      "Start it earlier, beside work that computes (smaller buckets of gradients, prefetched weights), or send fewer "
      "bytes (a smaller dtype, less frequent exchange).");
  f.no_change = say("This run has no setting for how ranks exchange data.");
  list.push_back(std::move(f));
}

}  // namespace profiler
