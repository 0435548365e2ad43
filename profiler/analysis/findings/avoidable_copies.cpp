// SPDX-License-Identifier: Apache-2.0
// avoidable-copies: copies whose source had not changed since the copy before to the same place.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {

void find_avoidable_copies(const FindingInput& in, FindingList& list) {
  const Transfers t = transfers(in.capture, in.rules);
  if (t.avoidable == 0) return;
  const auto worst = std::ranges::max_element(t.rows, {}, &TransferRow::avoidable_ns);
  // Devices and ranks work beside one another: what one of them wins is what the step does. Without a GPU the steps
  // themselves are the regions.
  size_t regions = in.gpu_overlap().regions.size();
  if (regions == 0) regions = std::max<size_t>(1, measured_step_windows(in.capture).size());
  RunFinding f;
  f.gain_ns = t.stepped_avoidable_ns / static_cast<double>(regions);
  f.sentence = say("{} of {} copies moved bytes that were there already, mostly {}.", t.avoidable, t.count,
                   in.capture.name(in.capture.tensors()[worst->tensor].name));
  f.advice = say("Keep it on the device.");
  f.evidence = {
      {"avoidable_count", say("redundant copies"), static_cast<double>(t.avoidable), Quantity::count, Origin::measured},
      {"avoidable_bytes", say("moved redundantly"), static_cast<double>(t.avoidable_bytes), Quantity::bytes,
       Origin::measured},
      {"judged_count", say("copies of which it is known"), static_cast<double>(t.judged), Quantity::count,
       Origin::measured}};
  f.gain_how = say("the copies' own time in the measured steps, per device and step");
  f.no_change = say("No option of a run keeps a tensor on the device.");
  list.push_back(std::move(f));
}

}  // namespace profiler
