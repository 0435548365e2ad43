// SPDX-License-Identifier: Apache-2.0
// dispatch-bound: ops too small for their threads; one thread, or more work per op.
#include <algorithm>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

constexpr double kFactor = 4;  // of the batch

/// What one thread would win: no start of threads, but the work of all others is its own.
double one_thread_ns(const FindingInput& in) {
  const int threads = std::max(1, in.capture.run().threads);
  double gain = 0;
  for (const OpRecord& op : in.capture.ops()) {
    const double start = op.view ? 0 : start_cost(in.capture, op, in.time(op.id)).fork_join_ns;
    if (!(start > 0)) continue;  // what has not paid it wins nothing
    const double work = std::max(0.0, in.time(op.id) - start);
    gain += in.time(op.id) - std::max(work * threads, in.limits[op.id].compute_ns * threads);
  }
  return gain;
}

}  // namespace

void find_dispatch_bound(const FindingInput& in, FindingList& list) {
  const double start = in.capture.machine().fork_join_ns;
  RunFinding f;
  f.ops = in.ops_bound(Bound::dispatch);
  if (f.ops.empty() || !(start > 0)) return;
  const double time = in.sum_time(f.ops), paid = start * static_cast<double>(f.ops.size());
  const double alone = one_thread_ns(in);
  const std::optional<RunChange> bigger = in.batch_times(kFactor);
  const double spread = bigger ? paid * (1 - 1 / bigger->work_ratio) : 0;
  std::string types = in.types(f.ops);
  if (f.ops.size() == 1) types.pop_back();  // "add ops"
  f.sentence = say("{} {} {} too small for {}: starting and joining them takes {} of {}.", f.ops.size(), types,
                   f.ops.size() == 1 ? say("is") : say("are"),
                   counted(static_cast<uint64_t>(in.capture.run().threads), "thread"),
                   format_quantity(paid, Quantity::duration_ns), format_quantity(time, Quantity::duration_ns));
  f.evidence = {
      {"fork_join_ns", say("to start and join the threads of an op"), start, Quantity::duration_ns, Origin::measured},
      {"ops_count", say("such ops"), static_cast<double>(f.ops.size()), Quantity::count, Origin::exact},
      {"time_ns", say("spent in these ops per step"), time, Quantity::duration_ns, Origin::measured}};
  if (alone >= spread && alone > 0) {
    f.gain_ns = alone;
    f.advice = say("Use one thread.");
    f.gain_how =
        say("each op without the start of its threads; the remaining work takes longer by the number "
            "of threads");
    f.change = RunChange::of_run("threads", std::to_string(in.capture.run().threads), "1");
  } else if (spread > 0) {
    f.gain_ns = spread;
    f.advice = say("Use a batch of {}: one start of the threads then serves {:.0f} times as much work.", bigger->value,
                   bigger->work_ratio);
    f.gain_how = say("per sample, the cost of starting threads falls with the batch; the rest stays");
    f.change = bigger;
  } else {
    f.gain_ns = paid;
    f.advice = say("Join these ops into fewer, larger ones.");
    f.gain_how = say("all of the cost of starting threads, at most");
    f.no_change = say("One thread would lose more in the large ops, and the run has no batch to enlarge.");
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
