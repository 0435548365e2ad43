// SPDX-License-Identifier: Apache-2.0
// weights-reread: weights cross once per step, so a bigger batch spreads them over more samples.
#include <fmt/format.h>

#include "profiler/analysis/findings/finding_input.h"

namespace profiler {
namespace {

/// The batch is multiplied by this: beyond, other limits take over sooner than the estimate sees.
constexpr double kFactor = 4;

}  // namespace

void find_weights_reread(const FindingInput& in, FindingList& list) {
  const std::optional<RunChange> change = in.batch_times(kFactor);
  if (!change || !in.a.model.known) return;
  RunFinding f;
  double weights = 0, bytes = 0;
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const LevelLimit* level = in.binding(op);
    if (level == nullptr) continue;
    const TrafficModel::OpLevel& moved = in.a.model.op_levels[op][level->link];
    double own = 0;
    for (const Role role : {Role::weight, Role::optimizer_state}) own += moved.read[static_cast<size_t>(role)] + moved.written[static_cast<size_t>(role)];
    const double all = in.modelled_bytes(op, *level);  // shares within one source
    if (!(all > 0) || own < 0.5 * all) continue;
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 1 - own / all * (1 - 1 / change->work_ratio));
    weights += own, bytes += all;
  }
  if (f.ops.empty()) return;
  f.sentence = fmt::format("{} of the bytes of {} are weights, moved once per step however many samples it has.", format_quantity(weights / bytes, Quantity::percent_of),
                           in.types(f.ops));
  f.advice = fmt::format("Use a batch of {}: each weight then serves {:.0f} times as many samples.", change->value, change->work_ratio);
  f.evidence = {{"weight_bytes", "of weights through the links that bind", weights, Quantity::bytes, Origin::modelled},
                {"bound_bytes", "in all", bytes, Quantity::bytes, Origin::modelled},
                {"time_ns", "spent in these ops per step", in.sum_time(f.ops), Quantity::duration_ns, Origin::measured}};
  f.gain_how = "per sample the weights' bytes fall with the batch and the rest stays; not below the next limit of each op";
  f.change = change;
  list.push_back(std::move(f));
}

}  // namespace profiler
