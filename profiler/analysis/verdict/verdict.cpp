// SPDX-License-Identifier: Apache-2.0
// What limits each op and each step: the class of what was measured, its confidence by perturbation, what-if.
#include "profiler/analysis/verdict/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/analysis/verdict/waits.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/memory/gpu_sectors.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {
namespace {

/// Largest time any limit but the binding one demands; with the limit gone the op takes at least
/// that.
double second_limit_ns(const OpLimits& limits, const VerdictClass& c, const StartCost& start, double time_ns) {
  switch (c.bound) {
    case Bound::compute: return limits.data_ns(0, 1);
    case Bound::memory: {
      double second = limits.compute_ns;
      for (size_t i = 0; i < limits.levels.size(); ++i) {
        if (i != c.limit) second = std::max(second, limits.levels[i].time_ns);
      }
      return second;
    }
    case Bound::dispatch: return std::max(lower_bound_ns(limits, 0), time_ns - start.fork_join_ns);
    case Bound::latency:
    case Bound::overhead: return std::max(limits.compute_ns, limits.data_ns(0, 1));
    case Bound::balanced: return std::min(limits.compute_ns, limits.data_ns(0, 1));
    default: return 0;
  }
}

double utilisation(const OpLimits& limits, const VerdictClass& c, double time_ns) {
  if ((c.bound == Bound::memory || c.bound == Bound::latency) && c.limit < limits.levels.size()) {
    return limits.levels[c.limit].time_ns / time_ns;
  }
  if (c.bound == Bound::latency) return limits.chain_ns / time_ns;
  if (c.bound == Bound::compute) return limits.compute_ns / time_ns;
  if (c.bound == Bound::too_short || c.bound == Bound::inconsistent) return kUnknown;
  return lower_bound_ns(limits, 0) / time_ns;
}

/// Of what went above its roof no share is known.
double share_of_roof(double ratio) { return above_roof(ratio) ? kUnknown : ratio; }

/// Waiting per entry of `from`'s levels as per entry of `to`'s.
std::vector<double> by_levels(const std::vector<double>& waiting, const OpLimits& from, const OpLimits& to) {
  std::vector<double> ns(waiting.empty() ? 0 : to.levels.size(), 0);
  for (size_t i = 0; i < waiting.size(); ++i) {
    const auto at = std::ranges::find(to.levels, from.levels[i].link, &LevelLimit::link);
    if (at != to.levels.end()) ns[static_cast<size_t>(at - to.levels.begin())] = waiting[i];
  }
  return ns;
}

/// Step 5: all corners of bytes, roofs and time. Fills firm, runner_up and the counts of the
/// evidence.
void test_firmness(VerdictEvidence& evidence, Verdict& verdict) {
  const VerdictRules& rules = evidence.rules;
  std::map<std::string, int> others;
  const double band = rules[Rule::roof_band_ratio];
  const OpLimits& likely = evidence.limits;
  const std::string level = level_of(evidence.verdict, likely);
  struct Amount {
    OpLimits limits;
    std::vector<double> waiting;
  };
  std::vector<Amount> amounts{{likely, evidence.waiting.ns}};
  for (const std::vector<LevelLimit>* levels : {&likely.most, &likely.least}) {
    if (std::ranges::equal(*levels, likely.levels, {}, &LevelLimit::bytes, &LevelLimit::bytes)) continue;
    OpLimits limits = likely.with(*levels);
    std::vector<double> waiting = by_levels(evidence.waiting.ns, likely, limits);
    amounts.push_back({std::move(limits), std::move(waiting)});
  }
  const int corners = 16 * static_cast<int>(amounts.size());
  const double idle = idle_time_ratio(evidence.capture.honesty().foreign_load_ratio);
  for (int corner = 0; corner < corners; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 1.0 : -1.0; };
    VerdictCase c;
    c.bytes_sign = sign(0);
    c.peak_factor = 1 + sign(1) * band;
    c.bandwidth_factor = 1 + sign(2) * band;
    c.edge = sign(2) < 0 ? RoofEdge::low : RoofEdge::high;
    const auto& [limits, waiting] = amounts[static_cast<size_t>(corner / 16)];
    c.time_ns = evidence.time.median + sign(3) * evidence.time.mad;
    // A constant background load lengthens all steps alike: on an idle machine the time may be shorter by so much, but
    // never than the roofs allow.
    if (sign(3) < 0) c.time_ns = std::min(c.time_ns, std::max(c.time_ns * idle, lower_bound_ns(limits, c.bytes_sign)));
    if (c.time_ns <= 0) continue;
    ++evidence.cases;
    const VerdictClass pushed = classify(limits, waiting, evidence.start, c, rules);
    if (pushed.bound == evidence.verdict.bound && level_of(pushed, limits) == level) ++evidence.agreeing;
    else ++others[describe(pushed, limits)];
  }
  // Waiting fitted to the measured time agrees with it whatever it is.
  const bool fitted = evidence.verdict.bound == Bound::latency && evidence.waiting.limited();
  verdict.firm = others.empty() && evidence.limits.unmeasured.empty() && !fitted && !unseen_misses(evidence);
  for (const auto& [what, count] : others) {
    if (verdict.runner_up.empty() || count > others[verdict.runner_up]) verdict.runner_up = what;
  }
  if (others.empty() && !evidence.limits.unmeasured.empty()) {
    verdict.runner_up = say("{} bandwidth", evidence.limits.unmeasured.front());
  }
  if (verdict.runner_up.empty() && unseen_misses(evidence)) verdict.runner_up = say("latency of misses");
}

Verdict unknown_verdict(Reason reason) {
  Verdict v;
  v.utilisation = v.next_speedup = kUnknown;
  v.reasons.push_back(std::move(reason));
  return v;
}

/// The limits without the bytes that may have stayed in a cache, where only so the time fits the roofs: then they have.
std::optional<OpLimits> stayed(const OpLimits& limits, double time_ns, const VerdictRules& rules) {
  const auto contradicted = [&](const OpLimits& l) {
    return time_ns < rules[Rule::inconsistent_ratio] * lower_bound_ns(l, -1);
  };
  if (!contradicted(limits)) return {};
  OpLimits fewer = limits.with(limits.least);
  if (contradicted(fewer)) return {};
  fewer.most = limits.levels;
  for (const LevelLimit& l : limits.levels) {
    if (std::ranges::find(fewer.levels, l.link, &LevelLimit::link) == fewer.levels.end())
      fewer.idle_links.push_back(l.link);
  }
  std::ranges::sort(fewer.idle_links);
  return fewer;
}

/// From what is known of the roofs and the time to the verdict.
Verdict conclude_on(VerdictEvidence evidence) {
  const OpLimits& limits = evidence.limits;
  // Where some steps are faster than the roofs allow, they are what is doubtful, not all of them.
  const auto contradicts = [&](double ns) {
    return ns < evidence.rules[Rule::inconsistent_ratio] * lower_bound_ns(limits, -1);
  };
  if (contradicts(evidence.time_ns)) evidence.time_ns = evidence.time.median;
  const double t = evidence.time_ns;
  VerdictCase measured;
  measured.time_ns = t;
  evidence.verdict = classify(limits, evidence.waiting.ns, evidence.start, measured, evidence.rules);
  const bool guarded = evidence.verdict.bound == Bound::too_short || evidence.verdict.bound == Bound::dispatch;
  if (!guarded && contradicts(t)) {
    evidence.verdict = {Bound::inconsistent, SIZE_MAX};
  }
  Verdict v;
  v.bound = evidence.verdict.bound;
  v.time_ns = t;
  v.level = level_of(evidence.verdict, limits);
  if (v.bound == Bound::balanced) v.beside = v.level;
  if (v.bound == Bound::inconsistent) v.firm = true;  // a contradiction does not become a class when pushed
  else test_firmness(evidence, v);
  v.utilisation = share_of_roof(utilisation(limits, evidence.verdict, t));
  const double second = second_limit_ns(limits, evidence.verdict, evidence.start, t);
  v.next_speedup = second > 0 ? std::max(1.0, t / second) : kUnknown;  // removing a limit makes nothing slower
  add_reasons(evidence, v);
  v.causes = find_causes(evidence);
  return v;
}

Verdict conclude(const VerdictEvidence& e) {
  const std::optional<OpLimits> fewer = stayed(e.limits, e.time.median, e.rules);
  if (!fewer) return conclude_on(e);
  Verdict v = conclude_on({e.capture,
                           e.model,
                           e.op,
                           *fewer,
                           e.rules,
                           e.time,
                           e.time_ns,
                           {by_levels(e.waiting.ns, e.limits, *fewer), e.waiting.unlimited_ns},
                           e.start,
                           {},
                           0,
                           0});
  if (v.bound != Bound::too_short && v.bound != Bound::dispatch) v.reasons.push_back({ReasonKind::stayed_in_cache});
  return v;
}

Verdict judge(const Capture& capture, const TrafficModel& model, const OpRecord& op, const OpTime& time,
              const VerdictRules& rules) {
  if (op.view) return unknown_verdict({ReasonKind::view});
  if (time.ns.samples == 0) return unknown_verdict({ReasonKind::untimed_op});
  const OpLimits limits = op_limits(capture, model, op);
  if (!limits.known) return unknown_verdict({ReasonKind::no_limits, {{"because", limits.unknown_reason}}});
  if (limits.no_work()) return unknown_verdict({ReasonKind::no_work});
  return conclude({capture,
                   model,
                   &op,
                   limits,
                   rules,
                   time.ns,
                   time.judged_ns,
                   find_waiting(capture, model, op, limits, rules, time.judged_ns),
                   start_cost(capture, op, time.judged_ns),
                   {},
                   0,
                   0});
}

/// Roofs measured beside other programs lie lower than they are; a host beside them launches kernels later.
void doubt(const Capture& capture, std::string weak_roofs, Verdict& v) {
  if (v.bound == Bound::launch && v.firm && idle_time_ratio(capture.honesty().foreign_load_ratio) < 1) {
    v.firm = false;
    v.reasons.push_back({ReasonKind::launches_delayed, {{"load_ratio", capture.honesty().foreign_load_ratio}}});
  }
  if (v.bound == Bound::too_short || v.bound == Bound::waiting)
    weak_roofs.clear();  // held against the timer or lanes, not a roof
  if (v.bound == Bound::unknown || weak_roofs.empty()) return;
  v.firm = false;
  for (Reason& reason : v.reasons) {
    const bool tested = reason.kind == ReasonKind::corners || reason.kind == ReasonKind::gpu_corners;
    if (!tested || !(reason.number("firm") > 0)) continue;
    reason.set("firm", 0);
    reason.set("weak_roofs", 1);
  }
  v.reasons.push_back({ReasonKind::weak_roofs, {{"words", std::move(weak_roofs)}}});
}

/// Cycles stalled for one level, and the part of them from which on that is worth a verdict.
struct CountedLevel {
  std::string_view level;
  double ratio;
  Rule least;
};

/// Step 4: where the processor's own counters say what its slots and cycles waited for, they decide.
void heed_counters(const Capture& capture, const TrafficModel& model, const OpRecord& op, double time_ns,
                   const VerdictRules& rules, Verdict& v) {
  const TrafficSource* measured = capture.traffic_of(Origin::measured);
  const TopDown* t = measured == nullptr ? nullptr : measured->top_down_of(op.id);
  const bool judged = v.bound != Bound::unknown && v.bound != Bound::too_short && v.bound != Bound::inconsistent &&
                      v.bound != Bound::dispatch && v.bound != Bound::waiting;
  if (t == nullptr || !judged) return;
  v.reasons.push_back({ReasonKind::issue_slots,
                       {{"retiring_ratio", t->retiring_ratio},
                        {"frontend_ratio", t->frontend_ratio},
                        {"bad_speculation_ratio", t->bad_speculation_ratio},
                        {"memory_ratio", t->memory_ratio},
                        {"core_ratio", t->core_ratio()}}});
  if (t->backend_ratio <= rules[Rule::topdown_backend_ratio]) return;
  Bound bound = Bound::unknown;
  std::string level;
  if (t->memory_ratio > rules[Rule::topdown_memory_ratio]) {
    const std::array levels{CountedLevel{"L1", t->l1_ratio, Rule::topdown_l1_ratio},
                            CountedLevel{"L2", t->l2_ratio, Rule::topdown_l2_ratio},
                            CountedLevel{"L3", t->l3_ratio, Rule::topdown_l3_ratio},
                            CountedLevel{"DRAM", t->dram_ratio, Rule::topdown_dram_ratio},
                            CountedLevel{kStoresLevel, t->store_ratio, Rule::topdown_store_ratio}};
    const CountedLevel* most = nullptr;
    for (const CountedLevel& l : levels) {
      if (l.ratio > rules[l.least] && (most == nullptr || l.ratio > most->ratio)) most = &l;
    }
    if (most == nullptr) return;
    const bool memory = most->level == "DRAM", waits = memory &&
                                                       t->bandwidth_ratio <= rules[Rule::topdown_bandwidth_ratio] &&
                                                       t->latency_ratio > rules[Rule::topdown_latency_ratio];
    bound = waits ? Bound::latency : Bound::memory;
    level = most->level;
    Reason stalled{ReasonKind::stalled_cycles,
                   {{"stalled_ratio", most->ratio},
                    {"level", level},
                    {"stores", level == kStoresLevel},
                    {"limit", rules.threshold(most->least)}}};
    if (memory) stalled.values.emplace_back("latency", waits);
    v.reasons.push_back(std::move(stalled));
  } else if (t->core_ratio() > rules[Rule::topdown_core_ratio]) {
    bound = Bound::compute;
  } else {
    return;
  }
  if (bound == v.bound && (level == v.level || bound == Bound::compute)) {
    v.reasons.push_back({ReasonKind::counters_agree});
    return;
  }
  v.reasons.push_back({ReasonKind::before_counters, {{"class", headline(v)}}});
  v.bound = bound, v.level = level, v.beside.clear();
  v.firm = true, v.runner_up.clear();
  const OpLimits limits = op_limits(capture, model, op);
  const auto at = std::ranges::find(limits.levels, level, &LevelLimit::level);
  if (bound == Bound::compute ||
      at != limits.levels.end()) {  // of stores there is no roof: what bytes and times said stays
    const VerdictClass counted{bound,
                               bound == Bound::compute ? SIZE_MAX : static_cast<size_t>(at - limits.levels.begin())};
    v.utilisation = share_of_roof(utilisation(limits, counted, time_ns));
    const double second = second_limit_ns(limits, counted, {}, time_ns);
    v.next_speedup = second > 0 ? std::max(1.0, time_ns / second) : kUnknown;
  }
  v.counted = true;
  v.causes.clear();
}

void add_levels(const std::vector<LevelLimit>& levels, std::vector<LevelLimit>& sum) {
  for (const LevelLimit& l : levels) {
    auto at = std::ranges::find(sum, l.link, &LevelLimit::link);
    if (at == sum.end())
      at = sum.insert(sum.end(),
                      LevelLimit{.level = l.level, .link = l.link, .band = 0, .origin = l.origin, .shared = l.shared});
    at->origin = std::max(at->origin, l.origin);  // a sum is known no better than its least known part
    // The band of a sum of one model's figures: they err together, so it is the mean by bytes.
    at->band = (at->band * at->bytes + l.band * l.bytes) / (at->bytes + l.bytes);
    at->read += l.read, at->written += l.written, at->bytes += l.bytes, at->write_allocate += l.write_allocate;
    at->time_ns += l.time_ns, at->nearer_time_ns += l.nearer_time_ns;
    at->low_roof_ns += l.low_roof_ns, at->high_roof_ns += l.high_roof_ns;
    at->bytes_per_s = at->bytes / at->time_ns * 1e9;
  }
}

/// Adds what one op demands to a whole step's limits. Levels are told apart by their link.
void add_limits(const OpLimits& op, OpLimits& sum) {
  sum.flops += op.flops;
  sum.compute_ns += op.compute_ns;
  sum.chain_ns += op.chain_ns;
  add_levels(op.levels, sum.levels);
  add_levels(op.most, sum.most);
  add_levels(op.least, sum.least);
  for (const std::string& level : op.unmeasured) {
    if (std::ranges::find(sum.unmeasured, level) == sum.unmeasured.end()) sum.unmeasured.push_back(level);
  }
}

/// Step -1: what waits for `waited_ns` of `time_ns` is not limited by its work.
std::optional<Verdict> waiting_verdict(const StepWaits& waits, double waited_ns, double time_ns,
                                       const VerdictRules& rules) {
  constexpr double kFirmly = 1.1;  // beyond the limit: lanes and steps are medians of their own
  const double ratio = waited_ns / time_ns;
  if (!(ratio >= rules[Rule::waiting_ratio])) return {};
  Verdict v;
  v.bound = Bound::waiting;
  v.level = waits.what;
  v.firm = ratio >= kFirmly * rules[Rule::waiting_ratio];
  v.utilisation = kUnknown;
  v.next_speedup = time_ns > waited_ns ? time_ns / (time_ns - waited_ns) : kUnknown;
  v.reasons = {{ReasonKind::waiting_time,
                {{"waited_ns", waited_ns}, {"time_ns", time_ns}, {"limit", rules.threshold(Rule::waiting_ratio)}}},
               {ReasonKind::waits, {{"words", waits.sentence}}}};
  if (!waits.advice.empty()) v.causes = {{ReasonKind::cause_waits, {{"words", waits.advice}}}};
  return v;
}

}  // namespace

std::vector<Verdict> verdicts(const Capture& capture, const TrafficModel& model, const std::vector<OpTime>& times,
                              const StepWaits& waits, const VerdictRules& rules) {
  if (capture.device().emulated)
    return std::vector<Verdict>(capture.ops().size(), unknown_verdict({ReasonKind::emulated}));
  std::vector<Verdict> result;
  result.reserve(capture.ops().size());
  const std::vector<std::optional<GpuOpWork>> on_gpu = gpu_work(capture);
  const std::string weak_roofs = roofs_weakness(capture.machine());
  const std::optional<TrafficSource> sectors = gpu_sector_traffic(capture);
  for (const OpRecord& op : capture.ops()) {
    std::optional<Verdict> waiting =
        on_gpu[op.id] ? std::nullopt : waiting_verdict(waits, waits.op_ns[op.id], times[op.id].ns.median, rules);
    result.push_back(waiting         ? *std::move(waiting)
                     : on_gpu[op.id] ? judge_on_gpu(capture, op, *on_gpu[op.id], sectors ? &*sectors : nullptr, rules)
                                     : judge(capture, model, op, times[op.id], rules));
    if (!on_gpu[op.id])
      heed_counters(capture, model, op, judged_ns(result.back(), times[op.id].ns.median), rules, result.back());
    doubt(capture, weak_roofs, result.back());
  }
  return result;
}

Verdict step_verdict(const Capture& capture, const TrafficModel& model, const std::vector<Verdict>& ops,
                     const std::vector<OpTime>& times, const StepWaits& waits, const VerdictRules& rules) {
  if (capture.device().emulated) return unknown_verdict({ReasonKind::emulated});
  if (std::optional<Verdict> waiting = waiting_verdict(waits, waits.total_ns(), waits.step_ns, rules)) {
    doubt(capture, {}, *waiting);
    return *std::move(waiting);
  }
  if (has_gpu_work(capture)) return judge_step_on_gpu(capture, ops, rules);
  const std::vector<double> steps = timed_steps_ns(capture);
  if (steps.empty()) return unknown_verdict({ReasonKind::untimed_step});
  OpLimits sum;
  sum.known = true;
  sum.run_threads = std::max(1, capture.run().threads);
  Waiting waiting;
  double unlimited_ns = 0;
  bool limited = false, works = false, idles = false;
  StartCost start{capture.machine().timer_ns, 0};
  for (const OpRecord& op : capture.ops()) {
    if (op.view || times[op.id].ns.samples == 0) continue;
    const OpLimits limits = op_limits(capture, model, op);
    if (!limits.known) return unknown_verdict({ReasonKind::no_limits, {{"because", limits.unknown_reason}}});
    if (limits.no_work()) {
      idles = true;
      continue;
    }
    works = true;
    add_limits(limits, sum);
    sum.threads = std::max(sum.threads, limits.threads),
    sum.used_threads = std::max(sum.used_threads, limits.used_threads);
    const double judged = times[op.id].judged_ns;
    start.fork_join_ns += start_cost(capture, op, judged).fork_join_ns;
    const Waiting of_op = find_waiting(capture, model, op, limits, rules, judged);
    waiting.ns.resize(sum.levels.size(), 0);
    double op_ns = 0;
    for (size_t i = 0; i < of_op.ns.size(); ++i) {
      waiting.ns[static_cast<size_t>(std::ranges::find(sum.levels, limits.levels[i].link, &LevelLimit::link) -
                                     sum.levels.begin())] += of_op.ns[i];
      op_ns += of_op.ns[i];
    }
    unlimited_ns += of_op.limited() ? of_op.unlimited_ns : op_ns;
    limited = limited || of_op.limited();
  }
  if (limited) waiting.unlimited_ns = unlimited_ns;
  if (sum.compute_ns > 0) sum.peak_flop_per_s = sum.flops / sum.compute_ns * 1e9;
  if (!works && idles) return unknown_verdict({ReasonKind::no_work});
  const Spread time = spread(steps);
  Verdict v = conclude(
      {capture, model, nullptr, sum, rules, time, judged_step_ns(capture, steps, time), waiting, start, {}, 0, 0});
  doubt(capture, roofs_weakness(capture.machine()), v);
  return v;
}

}  // namespace profiler
