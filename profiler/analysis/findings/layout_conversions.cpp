// SPDX-License-Identifier: Apache-2.0
// layout-conversions: kernels that a library runs only to have a tensor in the layout that its kernels take.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/facts_from_name.h"

namespace profiler {

void find_layout_conversions(const FindingInput& in, FindingList& list) {
  const CountedSteps counted(in.capture);
  const ActivityColumns& a = in.capture.activities();
  std::unordered_map<NameId, bool> known;
  std::map<OpId, double> time_of;
  double ns = 0, calls = 0;
  for (const KernelRecord& kernel : in.capture.gpu().kernels) {
    const auto [name, fresh] = known.try_emplace(a.name[kernel.activity], false);
    if (fresh) name->second = converts_layout(in.capture.name(name->first));
    if (!name->second || !counted.contains(a.step[kernel.activity])) continue;
    const auto took = static_cast<double>(a.duration_ns[kernel.activity]);
    ns += took, ++calls;
    if (const OpId op = a.op[kernel.activity]; op != kNoOp) time_of[op] += took;
  }
  if (calls == 0) return;
  const double steps = in.steps_of_ranks(counted);
  RunFinding f;
  for (const auto& [op, time] : time_of) f.ops.push_back(op);
  std::ranges::stable_sort(f.ops, std::ranges::greater{}, [&](OpId op) { return time_of.at(op); });
  f.gain_ns = ns / steps;
  f.sentence = say("Kernels that only change a tensor's layout (NCHW to NHWC or back) take {} of a step.",
                   format_quantity(f.gain_ns, Quantity::duration_ns));
  f.evidence = {{"conversion_ns", say("in conversions per step"), f.gain_ns, Quantity::duration_ns, Origin::measured},
                {"conversions_count", say("conversions per step"), calls / steps, Quantity::count, Origin::measured}};
  f.gain_how = say("all time of these kernels, at most");
  f.advice =
      say("Keep the model and its inputs in the layout of the fast kernels: channels last, which in PyTorch is "
          ".to(memory_format=torch.channels_last).");
  f.no_change = say("No option of a run changes the layout of its tensors.");
  list.push_back(std::move(f));
}

}  // namespace profiler
