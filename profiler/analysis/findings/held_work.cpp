// SPDX-License-Identifier: Apache-2.0
// held-work: the GPU idles although its next work has been launched.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/accelerator.h"

namespace profiler {

void find_held_work(const FindingInput& in, FindingList& list) {
  const ActivityColumns& a = in.capture.activities();
  int64_t first = in.capture.end_ns();
  for (const KernelRecord& k : in.capture.gpu().kernels) first = std::min(first, a.start_ns[k.activity]);
  std::vector<double> held, idle;
  for (const GpuRegion& r : in.gpu_overlap().regions) held.push_back(r.idle.held_ns), idle.push_back(r.idle_ns);
  const double lost = held.empty() ? 0 : median(held);
  if (!(lost > 0 && lost >= in.rules[Rule::worth_finding_ratio] * in.step_ns)) return;
  RunFinding f;
  f.sentence = say("The {} idles for {} of a step although its next work had been launched.",
                   accelerator_noun(in.capture), format_quantity(lost, Quantity::duration_ns));
  f.evidence = {{"held_ns", say("idle while launched work was held"), lost, Quantity::duration_ns, Origin::measured},
                {"idle_ns", say("idle in all"), median(idle), Quantity::duration_ns, Origin::measured}};
  f.gain_ns = lost;
  f.gain_how = say("all time in which launched work was held, at most");
  f.advice =
      say("See what held it: work from before the trace (synchronise before it begins), an event of another stream, or "
          "another program on this GPU.");
  // What stood still before the first work that was recorded says nothing of the rest.
  const auto lead = static_cast<double>(first - in.capture.begin_ns());
  if (lead >= 0.9 * lost) {
    const std::string range = fmt::format("--range {:.0f}us:", std::floor(lead * 1e-3));
    f.advice = say(
        "It stood still before its first recorded work: work from before the trace held it, most likely. Look at the "
        "rest with `analyze {}`.",
        range);
  }
  f.no_change = say("Not a setting of this run.");
  list.push_back(std::move(f));
}

}  // namespace profiler
