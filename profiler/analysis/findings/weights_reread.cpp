// SPDX-License-Identifier: Apache-2.0
// weights-reread: weights cross once per step, so a bigger batch spreads them over more samples.
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// The batch is multiplied by this: beyond, other limits take over sooner than the estimate sees.
constexpr double kFactor = 4;

}  // namespace

void find_weights_reread(const FindingInput& in, FindingList& list) {
  const std::optional<RunChange> change = in.batch_times(kFactor);
  if (!change || !in.a.model.known) return;
  RunFinding f;
  double weights = 0, state = 0, bytes = 0;
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const LevelLimit* level = in.binding(op);
    if (level == nullptr) continue;
    const TrafficModel::OpLevel& moved = in.a.model.op_levels[op][level->link];
    const auto of_role = [&](Role role) {
      return moved.read[static_cast<size_t>(role)] + moved.written[static_cast<size_t>(role)];
    };
    const double own = of_role(Role::weight) + of_role(Role::optimizer_state);
    const double all = in.modelled_bytes(op, *level);  // shares within one source
    if (!(all > 0) || own < 0.5 * all) continue;
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 1 - own / all * (1 - 1 / change->work_ratio));
    weights += of_role(Role::weight), state += of_role(Role::optimizer_state), bytes += all;
  }
  if (f.ops.empty()) return;
  const auto part = [&](double of) { return format_quantity(of / bytes, Quantity::percent_of); };
  const std::string what =
      !(state > 0) ? say("{} of the bytes of {} are weights", part(weights), in.types(f.ops))
      : weights > 0
          ? say("{} of the bytes of {} are weights and {} optimiser state", part(weights), in.types(f.ops), part(state))
          : say("{} of the bytes of {} are optimiser state", part(state), in.types(f.ops));
  f.sentence = what + say(", moved once per step however many samples it has.");
  f.advice = say("Use a batch of {}: each weight then serves {:.0f} times as many samples.", change->value,
                 change->work_ratio);
  f.evidence = {
      {"weight_bytes", say("of weights through the links that bind"), weights, Quantity::bytes, Origin::modelled},
      {"bound_bytes", say("in all"), bytes, Quantity::bytes, Origin::modelled},
      {"time_ns", say("spent in these ops per step"), in.sum_time(f.ops), Quantity::duration_ns, Origin::measured}};
  if (state > 0)
    f.evidence.insert(f.evidence.begin() + 1, {"state_bytes", say("of optimiser state through them"), state,
                                               Quantity::bytes, Origin::modelled});
  f.gain_how =
      say("per sample, these bytes fall with the batch and the rest stays; down to the next limit of "
          "each op");
  f.change = change;
  list.push_back(std::move(f));
}

}  // namespace profiler
