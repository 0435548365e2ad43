// SPDX-License-Identifier: Apache-2.0
// compute-bound: a number format in which this machine was measured to compute faster.
#include "engine/tensor/dtype.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// A peak less than this much higher is not worth less precision.
constexpr double kWorthIt = 1.2;

}  // namespace

void find_compute_bound(const FindingInput& in, FindingList& list) {
  const std::optional<RunChange> change = in.narrower();
  if (!change) return;
  const engine::DType narrow = change->value == "f32" ? engine::DType::float32 : engine::DType::bfloat16;
  RunFinding f;
  double faster = 0;
  for (const OpId op : in.ops_bound(Bound::compute)) {
    const OpLimits& limits = in.limits[op];
    if (!engine::is_floating(limits.dtype)) continue;
    const auto roof = in.capture.machine().compute_roof(narrow, limits.threads);
    // compute_roof() falls back to f32 where there is no faster unit.
    if (!roof || roof->dtype != narrow || !(limits.peak_flop_per_s > 0) ||
        roof->flop_per_s.median < kWorthIt * limits.peak_flop_per_s)
      continue;
    faster = roof->flop_per_s.median / limits.peak_flop_per_s;
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 1 / faster);
  }
  if (f.ops.empty()) return;
  f.sentence = say("{} are bound by arithmetic, and this machine's measured {} peak is {:.2g} times that of {}.",
                   in.types(f.ops), change->value, faster, change->before);
  f.advice = say("Compute in {}.", change->value);
  f.evidence = {
      {"peak_ratio", say("peak of the narrower format by that of the present one"), faster, Quantity::ratio,
       Origin::measured},
      {"time_ns", say("spent in these ops per step"), in.sum_time(f.ops), Quantity::duration_ns, Origin::measured}};
  f.gain_how = say("each op at the same share of the higher peak, down to its next limit");
  f.change = change;
  list.push_back(std::move(f));
}

}  // namespace profiler
