// SPDX-License-Identifier: Apache-2.0
// input-bound: steps wait for data that loads too slowly, or load it themselves.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/pipeline.h"

namespace profiler {

namespace {

/// Of a step: waits below it are how threads meet, not a loader that is too slow. Our threshold.
constexpr double kLeastWait = 0.05;

/// Traces of other tools have no lanes, but PyTorch's name the host's wait for its loader, beside which a GPU stands still.
void find_fetching(const FindingInput& in, FindingList& list) {
  const double fetching = in.fetching_ns();
  if (!(fetching > kLeastWait * in.step_ns)) return;
  std::vector<double> idle;
  for (const GpuRegion& r : overlap(in.capture, in.rules).regions) idle.push_back(r.idle_ns);
  if (idle.empty()) return;
  RunFinding f;
  f.sentence = fmt::format("The host fetches data for {} of a step of {}, and the GPU stands still for {} of it.", format_quantity(fetching, Quantity::duration_ns),
                           format_quantity(in.step_ns, Quantity::duration_ns), format_quantity(median(idle), Quantity::duration_ns));
  f.advice = "Load batches ahead: workers of the data loader, pinned memory, copies that do not block.";
  f.evidence = {{"fetching_ns", "in the data loader's next batch per step (median)", fetching, Quantity::duration_ns, Origin::measured},
                {"idle_ns", "in which the GPU did nothing (median)", median(idle), Quantity::duration_ns, Origin::measured}};
  f.gain_ns = std::min(fetching, median(idle));
  f.gain_how = "the shorter of both, at most: then the batch is there before it is asked for";
  f.no_change = "The loader is part of the traced program.";
  for (const OpRecord& op : in.capture.ops()) {
    if (in.capture.name(op.type).find("DataLoader") != std::string_view::npos) f.ops.push_back(op.id);
  }
  list.push_back(std::move(f));
}

}  // namespace

void find_input_bound(const FindingInput& in, FindingList& list) {
  const Pipeline p = pipeline(in.capture);
  if (p.lanes.empty()) return find_fetching(in, list);
  // Where lanes overlap a step takes as long as the slowest, whichever it is: waiting tells that it is a loader's.
  if (!(p.overlapped ? p.wait_ns > kLeastWait * p.step_ns : p.step_ns > p.pace_ns)) return;
  RunFinding f;
  f.sentence = p.sentence;
  for (const PipelineLane& lane : p.lanes) {
    f.evidence.push_back({lane.name + "_ns", lane.name + " per batch", lane.busy_ns, Quantity::duration_ns, Origin::measured});
    std::ranges::replace(f.evidence.back().key, ' ', '_');
  }
  if (!p.overlapped) {
    f.advice = "Read and decode the next batch while this one is computed.";
    f.gain_ns = p.step_ns - p.pace_ns;
    f.gain_how = "the step would take as long as its slowest thread; threads that share a core win less";
    f.no_change = "It is an option of the workload: --set overlap=on.";
  } else {
    // Without a faster lane the pace stays: what is won is the wait.
    f.advice = fmt::format("Make {} faster: more threads for it, smaller or fewer bytes, or a faster source.", p.limit);
    f.gain_ns = p.wait_ns;
    f.gain_how = "steps without the wait, at most: then the next lane limits";
    f.no_change = "No option of a run makes the source faster.";
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
