// SPDX-License-Identifier: Apache-2.0
// serial-transfers: copies beside which nothing computes; pageable memory keeps them from overlapping.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {

void find_serial_transfers(const FindingInput& in, FindingList& list) {
  std::vector<double> exposed, copies, spans, winnable;
  for (const GpuRegion& r : in.gpu_overlap().regions) {
    exposed.push_back(r.exposed_ns()), copies.push_back(r.copy_ns), spans.push_back(r.span_ns);
    // Copies can hide behind kernels, and no longer than these run.
    winnable.push_back(std::min(r.exposed_ns(), r.kernel_ns - r.overlapped_ns));
  }
  if (!(median(exposed) > 0 && median(exposed) >= in.rules[Rule::transfer_ratio] * median(spans))) return;
  double pageable_ns = 0;
  for (const TransferRow& row : transfers(in.capture, in.rules).rows) {
    if (row.kind == CopyKind::host_to_host) continue;  // no region has it: it is the processor's
    if (row.source == MemoryKind::pageable || row.destination == MemoryKind::pageable)
      pageable_ns += row.stepped_exposed_ns;
  }
  pageable_ns /= static_cast<double>(exposed.size());  // per device and step, as all figures here
  RunFinding f;
  f.gain_ns = median(winnable);
  f.ops = in.ops_bound(Bound::transfer);
  f.sentence = say("Copies take {} of a step's {} while nothing computes.",
                   format_quantity(median(exposed), Quantity::duration_ns),
                   format_quantity(median(spans), Quantity::duration_ns));
  f.evidence = {{"exposed_ns", say("copies alone per step"), median(exposed), Quantity::duration_ns, Origin::measured},
                {"copy_ns", say("copies per step"), median(copies), Quantity::duration_ns, Origin::measured},
                {"pageable_ns", say("of those alone, from or to pageable memory, per step"), pageable_ns,
                 Quantity::duration_ns, Origin::measured}};
  f.gain_how = say("copies overlapped with kernels that run without any");
  if (pageable_ns > 0.5 * median(exposed)) {
    f.advice = say("Use pinned memory: copies from pageable memory make the host wait and cannot overlap.");
    f.change = RunChange::of_run("transfer", "pageable", "pinned");
  } else {
    f.advice = say("Copy the next step's input while this one is computed.");
    if (in.argument("overlap") == "off") f.change = RunChange::of_workload("overlap", "off", "on");
    else f.no_change = say("No option of this run copies ahead.");
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
