// SPDX-License-Identifier: Apache-2.0
// Waits of a step: from the lanes of its loader, from what traces name, from the threads' sleep.
#include "profiler/analysis/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "profiler/analysis/overlap.h"
#include "profiler/analysis/pipeline.h"
#include "profiler/model/lane_names.h"
#include "profiler/model/statistics.h"
#include "profiler/model/table.h"
#include "profiler/model/timed_steps.h"

namespace profiler {
namespace {

/// Threads sleep a little in every step (a page fault, a lock): below this part nothing is said. Ours.
constexpr double kNotableSleep = 0.05;

std::string time_text(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string share_text(double part, double whole) { return format_quantity(part / whole, Quantity::percent_of); }

/// The op that the loader's lanes belong to; kNoOp: none.
OpId loading_op(const Capture& capture) {
  const ActivityColumns& all = capture.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::range && all.op[i] != kNoOp && capture.tracks()[all.track[i]].group == kLoaderGroup) return all.op[i];
  }
  return kNoOp;
}

/// Time of a step in which a lane on the step's own thread brings data instead of computing.
double waiting_of(const Pipeline& p) {
  if (p.overlapped) return p.wait_ns;
  double ns = 0;
  for (const PipelineLane& lane : p.lanes) {
    if (lane.in_step && lane.name != kCopyLane && lane.name != kComputeLane) ns += lane.busy_ns;
  }
  return ns;
}

void wait_for_lanes(const Capture& capture, const Pipeline& p, StepWaits& waits) {
  waits.data_ns = std::min(waiting_of(p), p.step_ns);
  if (!(waits.data_ns > 0)) return;
  const OpId op = loading_op(capture);
  if (op < waits.op_ns.size()) waits.op_ns[op] = waits.data_ns;
  const bool loader_limits = p.limit != kCopyLane && p.limit != kComputeLane;
  const std::string share = share_text(waits.data_ns, p.step_ns);
  if (p.overlapped && loader_limits) {
    waits.what = p.limit;
    waits.sentence = fmt::format("The step waits for data {} of its time. {}", share, p.sentence);
    waits.advice = fmt::format("Make the lane {} faster: more threads for it, fewer bytes, or a faster source.", p.limit);
  } else if (p.overlapped) {
    waits.what = std::string(kReadLane);
    waits.sentence = fmt::format("The step waits for data {} of its time ({} of {}), though no lane of the loader takes longer than copy and compute: the loader's threads "
                                 "compete with the step for cores.", share, time_text(waits.data_ns), time_text(p.step_ns));
    waits.advice = "Give the loader's threads a core of their own.";
  } else {
    const auto longest = std::ranges::max_element(p.lanes, {}, [](const PipelineLane& l) { return l.name == kCopyLane || l.name == kComputeLane ? -1 : l.busy_ns; });
    waits.what = longest->name;
    waits.sentence = fmt::format("The step waits for its own loading {} of its time ({} of {}), most of all for the lane {} ({}).", share, time_text(waits.data_ns),
                                 time_text(p.step_ns), longest->name, time_text(longest->busy_ns));
    waits.advice = "Read and decode the next batch while this one is computed.";
  }
}

/// Where a GPU works, its time without work bounds what the host's wait costs.
void wait_for_fetches(const Capture& capture, StepWaits& waits) {
  const double fetching = fetching_ns(capture);
  if (!(fetching > 0) || !(waits.step_ns > 0)) return;
  const double idle = gpu_idle_ratio(capture);
  const bool gpu = !std::isnan(idle);
  waits.data_ns = std::min({fetching, waits.step_ns, gpu ? idle * waits.step_ns : fetching});
  for (const OpId op : fetching_ops(capture)) waits.op_ns[op] = gpu ? 0 : fetching;
  waits.what = "data";
  waits.sentence = fmt::format("The host fetches data for {} of a step of {}{}.", time_text(fetching), time_text(waits.step_ns),
                               gpu ? fmt::format("; the GPU does nothing for {} of it", time_text(idle * waits.step_ns)) : "");
  waits.advice = "Load batches ahead: more workers of the data loader, pinned memory, copies that do not block.";
}

}  // namespace

std::vector<OpId> fetching_ops(const Capture& capture) {
  std::vector<OpId> ops;
  if (capture.run().source.empty()) return ops;
  for (const OpRecord& op : capture.ops()) {
    const std::string_view type = capture.name(op.type);
    if (type.find("DataLoader") != std::string_view::npos || type.find("IteratorGetNext") != std::string_view::npos) ops.push_back(op.id);
  }
  return ops;
}

double fetching_ns(const Capture& capture) {
  const std::vector<OpId> list = fetching_ops(capture);
  if (list.empty()) return 0;
  const std::set<OpId> fetches(list.begin(), list.end());
  std::map<uint32_t, double> by_step;
  const ActivityColumns& all = capture.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::op && all.step[i] != kNoStep && fetches.contains(all.op[i])) by_step[all.step[i]] += static_cast<double>(all.duration_ns[i]);
  }
  std::vector<double> times;
  for (const auto& [step, ns] : by_step) times.push_back(ns);
  return times.empty() ? 0 : median(times);
}

StepWaits step_waits(const Capture& capture) {
  StepWaits waits;
  waits.op_ns.assign(capture.ops().size(), 0);
  waits.step_ns = median(timed_steps_ns(capture));
  if (!capture.computed()) return waits;
  if (const Pipeline p = pipeline(capture); !p.lanes.empty() && p.step_ns > 0) wait_for_lanes(capture, p, waits);
  else wait_for_fetches(capture, waits);
  const double asleep = capture.honesty().asleep_ratio * waits.step_ns - waits.data_ns;
  if (!(asleep > kNotableSleep * waits.step_ns)) return waits;
  waits.asleep_ns = asleep;
  if (waits.asleep_ns <= waits.data_ns) return waits;
  waits.what = "sleep";
  waits.sentence = fmt::format("No thread of the program runs for {} of a step of {} ({}): they sleep, wait for a lock or a device, or are held back by a limit on processor time.",
                               time_text(asleep), time_text(waits.step_ns), share_text(asleep, waits.step_ns));
  waits.advice = "Find what the threads wait for (`perf trace`, `strace -f`), and check the processor limit of the container.";
  return waits;
}

}  // namespace profiler
