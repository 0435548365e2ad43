// SPDX-License-Identifier: Apache-2.0
// input-bound: steps wait for data that loads too slowly, or load it themselves.
#include <algorithm>

#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {

namespace {

/// Of a step: waits below it are how threads meet, not a loader that is too slow. Our threshold.
constexpr double kLeastWait = 0.05;

/// Traces of other tools have no lanes, but PyTorch's name the host's wait for its loader, beside which a GPU stands
/// still.
void find_fetching(const FindingInput& in, FindingList& list) {
  const double fetching = profiler::fetching_ns(in.capture);
  if (!(fetching > kLeastWait * in.step_ns)) return;
  std::vector<double> idle, idle_for_data;
  for (const GpuRegion& r : in.gpu_overlap().regions)
    idle.push_back(r.idle_ns), idle_for_data.push_back(r.idle.fetch_ns);
  RunFinding f;
  if (idle.empty()) {  // no GPU: the host itself waits
    f.sentence = in.a.waits.sentence, f.advice = say("Load batches ahead: more workers of the data loader.");
    f.evidence = {{"fetching_ns", say("in the data loader's next batch per step (median)"), fetching,
                   Quantity::duration_ns, Origin::measured}};
    f.gain_ns = fetching;
    f.gain_how = say("all of the wait, at most: the batch is ready before it is needed");
    f.no_change = say("The loader is part of the traced program.");
    f.ops = fetching_ops(in.capture);
    return list.push_back(std::move(f));
  }
  f.sentence = in.a.waits.sentence, f.advice = in.a.waits.advice;  // as the summary says it
  f.evidence = {
      {"fetching_ns", say("in the data loader's next batch per step (median)"), fetching, Quantity::duration_ns,
       Origin::measured},
      {"idle_for_data_ns", say("of that while the GPU did nothing (median)"), median(idle_for_data),
       Quantity::duration_ns, Origin::measured},
      {"idle_ns", say("in which the GPU did nothing (median)"), median(idle), Quantity::duration_ns, Origin::measured}};
  f.gain_ns = std::min(fetching, median(idle_for_data));
  f.gain_how = say("the time in which the GPU did nothing while the host fetched data, at most");
  f.no_change = say("The loader is part of the traced program.");
  f.ops = fetching_ops(in.capture);
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
    f.evidence.push_back(
        {lane.name + "_ns", lane.name + say(" per batch"), lane.busy_ns, Quantity::duration_ns, Origin::measured});
    std::ranges::replace(f.evidence.back().key, ' ', '_');
  }
  if (!p.overlapped) {
    f.advice = say("Read and decode the next batch while this one is computed.");
    f.gain_ns = p.step_ns - p.pace_ns;
    f.gain_how = say("the step would take as long as its slowest thread; threads that share a core save less");
    if (in.argument("overlap") == "off") f.change = RunChange::of_workload("overlap", "off", "on");
    else f.no_change = say("No option of this run loads ahead.");
  } else {
    // Without a faster lane the pace stays: what is won is the wait, until the next lane sets the pace.
    f.advice = in.a.waits.advice.empty()
                   ? say("Make {} faster: more threads for it, smaller or fewer bytes, or a faster source.", p.limit)
                   : in.a.waits.advice;
    f.gain_ns = std::min(p.wait_ns, p.step_ns - p.next_pace_ns());
    f.gain_how = say("steps without the wait, as fast as the next slowest lane, at most");
    if (in.argument("source") == "file") {  // the check by removal: what is won is the wait, all of it
      f.change = RunChange::of_workload("source", "file", "memory");
      f.gain_ns = p.wait_ns;
      f.gain_how = say("the same steps with a batch that is in memory, without the wait");
    } else {
      f.no_change = say("No option of a run makes the source faster.");
    }
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
