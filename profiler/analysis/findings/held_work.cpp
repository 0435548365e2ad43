// SPDX-License-Identifier: Apache-2.0
// held-work: the GPU idles although its next work has been launched.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/accelerator.h"

namespace profiler {

namespace {

/// Between kernels, of all devices together.
Interval longest_gap(const Capture& capture) {
  const ActivityColumns& a = capture.activities();
  Interval longest{0, 0};
  int64_t busy_until = std::numeric_limits<int64_t>::max();
  for (const KernelRecord& kernel : capture.gpu().kernels) {  // ascending
    const int64_t begin = a.start_ns[kernel.activity];
    if (begin > busy_until && begin - busy_until > longest.end_ns - longest.begin_ns) longest = {busy_until, begin};
    const int64_t end = begin + a.duration_ns[kernel.activity];
    busy_until = busy_until == std::numeric_limits<int64_t>::max() ? end : std::max(busy_until, end);
  }
  return longest;
}

}  // namespace

void find_held_work(const FindingInput& in, FindingList& list) {
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
  // One gap, as before the first work that was recorded whole, says nothing of the rest.
  const double all = std::accumulate(held.begin(), held.end(), 0.0);  // in every step and device
  if (const Interval gap = longest_gap(in.capture); static_cast<double>(gap.end_ns - gap.begin_ns) >= 0.9 * all) {
    const auto until = static_cast<double>(gap.end_ns - in.capture.begin_ns());
    f.advice =
        say("It is one gap. Work from before the trace held it, most likely, or another program. Look at the rest with "
            "`analyze {}`.",
            fmt::format("--range {:.0f}us:", std::floor(until * 1e-3)));
  }
  f.no_change = say("Not a setting of this run.");
  list.push_back(std::move(f));
}

}  // namespace profiler
