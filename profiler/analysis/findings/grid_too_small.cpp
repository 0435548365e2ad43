// SPDX-License-Identifier: Apache-2.0
// grid-too-small: kernels whose blocks do not fill the GPU.
#include <algorithm>
#include <bit>
#include <cmath>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/accelerator.h"

namespace profiler {
namespace {

constexpr double kLargestFactor = 64;  // of the batch

}  // namespace

void find_grid_too_small(const FindingInput& in, FindingList& list) {
  RunFinding f;
  f.ops = in.ops_bound(Bound::parallelism);
  if (f.ops.empty()) return;
  double time = 0, weighted = 0;
  for (const OpId op : f.ops) time += in.time(op), weighted += in.time(op) * in.gpu[op]->waves;
  const double waves = weighted / time;
  const double factor = std::min(
      kLargestFactor,
      static_cast<double>(std::bit_ceil(static_cast<unsigned>(std::ceil(1 / std::max(waves, 1 / kLargestFactor))))));
  f.sentence = say("{} fill {:.2g} of the blocks this {} holds at a time.", in.types(f.ops), waves,
                   accelerator_noun(in.capture));
  f.evidence = {{"waves_count", say("waves of blocks, mean by time"), waves, Quantity::count, Origin::modelled},
                {"time_ns", say("spent in these ops per step"), time, Quantity::duration_ns, Origin::measured}};
  const std::optional<RunChange> bigger = in.batch_times(factor);
  for (const OpId op : f.ops) f.gain_ns += in.gain_ns(op, std::max(in.gpu[op]->waves, 1 / factor));
  f.gain_how = say("per sample, each op's time by the share of the GPU it fills, down to its roofs");
  if (bigger) {
    f.advice = say("Use a batch of {}.", bigger->value);
    f.change = bigger;
  } else {
    f.advice = say("Give each kernel more independent work.");
    f.no_change = say("The run has no batch to enlarge.");
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
