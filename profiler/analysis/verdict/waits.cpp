// SPDX-License-Identifier: Apache-2.0
// Waits of a step: from the lanes of its loader, from what traces name, from the threads' sleep.
#include "profiler/analysis/verdict/waits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/base/lane_names.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/timed_steps.h"

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
    if (all.kind[i] == ActivityKind::range && all.op[i] != kNoOp &&
        is_loader_group(capture.tracks()[all.track[i]].group))
      return all.op[i];
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
  const auto waited = std::ranges::find(p.lanes, kWaitLane, &PipelineLane::name);
  // Shares of ops are of the traced steps alone; both stand side by side in the summary.
  const std::string share =
      waited == p.lanes.end()
          ? share_text(waits.data_ns, p.step_ns)
          : say("{} of its time (median of {}, untraced steps included)", share_text(waits.data_ns, p.step_ns),
                counted(static_cast<uint64_t>(waited->batches), "batch", "batches"));
  if (p.overlapped && loader_limits) {
    waits.what = p.limit;
    waits.sentence = say("The step waits for data {}. {}", share, p.sentence);
    waits.advice = say("Make the lane {} faster: more threads for it, fewer bytes, or a faster source.", p.limit);
  } else if (p.overlapped) {
    waits.what = std::string(kReadLane);
    waits.sentence =
        say("The step waits for data {}: {} of {}. Yet no lane of the loader takes "
            "longer than copy and compute. The loader's threads compete with the step for cores.",
            share, time_text(waits.data_ns), time_text(p.step_ns));
    waits.advice = say("Give the loader's threads a core of their own.");
  } else {
    const auto longest = std::ranges::max_element(p.lanes, {}, [](const PipelineLane& l) {
      return l.name == kCopyLane || l.name == kComputeLane ? -1 : l.busy_ns;
    });
    waits.what = longest->name;
    waits.sentence =
        say("The step waits for its own loading {} of its time ({} of {}), mostly for the lane {} "
            "({}).",
            share, time_text(waits.data_ns), time_text(p.step_ns), longest->name, time_text(longest->busy_ns));
    waits.advice = say("Read and decode the next batch while this one is computed.");
  }
}

/// Where a GPU works, its time without work bounds what the host's wait costs.
void wait_for_fetches(const Capture& capture, StepWaits& waits) {
  const double fetching = fetching_ns(capture);
  if (!(fetching > 0) || !(waits.step_ns > 0)) return;
  const double idle_ns = gpu_idle_step_ns(capture);  // of the median step, as the other two
  const bool gpu = !std::isnan(idle_ns);
  waits.data_ns = std::min({fetching, waits.step_ns, gpu ? idle_ns : fetching});
  if (!gpu) {  // all that such an op does is to wait
    const std::vector<OpTime> times = op_times(capture);
    for (const OpId op : fetching_ops(capture)) waits.op_ns[op] = times[op].ns.samples > 0 ? times[op].ns.median : 0;
  }
  waits.what = "data";
  waits.sentence = say("The host fetches data for {} of a step of {}{}.", time_text(fetching), time_text(waits.step_ns),
                       gpu ? say("; the GPU does nothing for {} of that step", time_text(idle_ns)) : "");
  waits.advice = say("Load batches ahead: more workers of the data loader, pinned memory, copies that do not block.");
}

}  // namespace

double fetching_ns(const Capture& capture) {
  const std::vector<OpId> list = fetching_ops(capture);
  if (list.empty()) return 0;
  const std::set<OpId> fetches(list.begin(), list.end());
  struct Fetched {
    int64_t ns = 0, until = std::numeric_limits<int64_t>::min();
  };
  std::map<std::pair<uint32_t, uint32_t>, Fetched> by_step;  // rank, step
  std::set<uint32_t> loading;                                // ranks that fetch at all
  const std::vector<StepWindow> windows = timed_step_windows(capture);
  for (const StepWindow& w : windows) by_step[{w.rank, w.host.index}];
  const RankOfTrack rank_of(capture);
  const ActivityColumns& all = capture.activities();
  for (size_t i = 0; i < all.size(); ++i) {  // ascending by start
    if (all.kind[i] != ActivityKind::op || all.step[i] == kNoStep || !fetches.contains(all.op[i])) continue;
    const auto at = by_step.find({rank_of(all.track[i]), all.step[i]});
    if (at == by_step.end()) continue;
    loading.insert(at->first.first);
    // Fetches may nest and run beside one another: what they cover counts once.
    const int64_t begin = std::max(all.start_ns[i], at->second.until), end = all.start_ns[i] + all.duration_ns[i];
    at->second.ns += std::max<int64_t>(0, end - begin);
    at->second.until = std::max(at->second.until, end);
  }
  std::vector<double> times;
  for (const auto& [step, fetched] : by_step) {
    if (loading.contains(step.first)) times.push_back(static_cast<double>(fetched.ns));
  }
  return times.empty() ? 0 : median(times);
}

StepWaits step_waits(const Capture& capture) {
  StepWaits waits;
  waits.op_ns.assign(capture.ops().size(), 0);
  waits.step_ns = median(timed_steps_ns(capture));
  if (!capture.computed()) return waits;
  if (const Pipeline p = pipeline(capture); !p.lanes.empty() && p.step_ns > 0) wait_for_lanes(capture, p, waits);
  else wait_for_fetches(capture, waits);
  // Threads that wait for a GPU sleep where its driver blocks and run where it spins: neither says what limits the
  // step.
  if (has_gpu_work(capture)) return waits;
  const double asleep = capture.honesty().asleep_ratio * waits.step_ns - waits.data_ns;
  if (!(asleep > kNotableSleep * waits.step_ns)) return waits;
  waits.asleep_ns = asleep;
  if (waits.asleep_ns <= waits.data_ns) return waits;
  waits.what = "sleep";
  waits.sentence =
      say("No thread of the program runs for {} of a step of {} ({}). Threads sleep, wait for a "
          "lock or a device, or a limit on processor time stops them.",
          time_text(asleep), time_text(waits.step_ns), share_text(asleep, waits.step_ns));
  waits.advice = say(
      "Find what the threads wait for (`perf trace`, `strace -f`), and check the processor limit of the container.");
  return waits;
}

}  // namespace profiler
