// SPDX-License-Identifier: Apache-2.0
// host-bound: the GPU idles while the host does other work than launching.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/accelerator.h"

namespace profiler {

void find_host_bound(const FindingInput& in, FindingList& list) {
  if (in.a.step.bound != Bound::launch || in.a.step.level != kHostLevel) return;
  std::vector<double> idle, host, calls;
  for (const GpuRegion& r : in.gpu_overlap().regions) {
    idle.push_back(r.idle_ns), host.push_back(r.idle.other_work_ns());
    calls.push_back(r.idle.launch_calls_ns());
  }
  const double lost = median(host);
  RunFinding f;
  f.ops = in.ops_bound(Bound::launch);
  f.sentence = say("The {} idles for {} of a step; for {} of it the host does other work before it launches.",
                   accelerator_noun(in.capture), format_quantity(median(idle), Quantity::duration_ns),
                   format_quantity(lost, Quantity::duration_ns));
  f.evidence = {{"host_ns", say("idle while the host did other work"), lost, Quantity::duration_ns, Origin::measured},
                {"launching_ns", say("idle in calls and while work started"), median(calls), Quantity::duration_ns,
                 Origin::measured},
                {"idle_ns", say("idle in all"), median(idle), Quantity::duration_ns, Origin::measured}};
  f.gain_ns = lost;
  f.gain_how = say("all idle time in which the host did other work, at most");
  f.advice =
      say("See in the timeline what the host does there. Python and frameworks: compile the model, or record a CUDA "
          "graph. Results that the host reads each step: read them later. Preparation: do it ahead.");
  // "train.py(12): step", as PyTorch names the frames of with_stack
  const bool stacks = std::ranges::any_of(
      in.capture.names(), [](const std::string& name) { return name.find(".py(") != std::string::npos; });
  if (stacks)
    f.advice += say(" The trace holds Python stacks, whose recording slows the host: check with one without them.");
  f.no_change = say("Not a setting of this run.");
  list.push_back(std::move(f));
}

}  // namespace profiler
