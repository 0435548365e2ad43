// SPDX-License-Identifier: Apache-2.0
// The reasons of a verdict: what was found, with its numbers, and the causes behind it.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_class.h"
#include "profiler/analysis/verdict/verdict_reason.h"
#include "profiler/base/origin.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/memory/op_access.h"

namespace profiler {
namespace {

/// Levels used less than this are not worth a sentence unless they bind.
constexpr double kWorthSaying = 0.3;
/// From this part on, transformed weights are what crosses a link.
constexpr double kMostOfAll = 0.5;

Reason time_reason(const Spread& t) {
  return {ReasonKind::time, {{"time_ns", t.median}, {"samples", t.samples}, {"low_ns", t.low}, {"high_ns", t.high}}};
}

Reason arithmetic_reason(const OpLimits& limits, double time_ns, bool step) {
  Reason r{ReasonKind::arithmetic,
           {{"flops", limits.flops},
            {"time_ns", time_ns},
            {"roof_ns", limits.compute_ns},
            {"peak_flop_per_s", limits.peak_flop_per_s},
            {"threads", limits.threads}}};
  if (!step) r.values.emplace_back("dtype", engine::name(limits.dtype));  // a step's ops have several
  return r;
}

/// Winograd's filtering beside direct sums, whose FLOPs are those of the op's definition; nothing for other kernels.
std::optional<Reason> filtering_reason(const VerdictEvidence& e) {
  const auto direct_ns = e.op == nullptr ? std::nullopt : direct_roof_ns(e.capture, *e.op, e.limits);
  if (!direct_ns || !(e.limits.flops > 0)) return {};
  return Reason{ReasonKind::filtering,
                {{"tile", e.capture.facts(e.op->id).winograd_tile},
                 {"direct_flops", *direct_flops(e.capture, *e.op)},
                 {"direct_roof_ns", *direct_ns},
                 {"time_ns", e.time_ns}}};
}

Reason level_reason(const LevelLimit& l, const OpLimits& limits, double time_ns) {
  return {ReasonKind::level,
          {{"level", l.level},
           {"bytes", l.bytes},
           {"origin", name(l.origin)},
           {"band_ratio", l.band},
           {"time_ns", time_ns},
           {"roof_ns", l.time_ns},
           {"roof_bytes_per_s", l.bytes_per_s},
           {"threads", limits.threads},
           {"written_ratio", l.written / l.bytes}}};
}

/// A use above 100 % that the error band allows bounds the bytes from above.
std::optional<Reason> above_roof_reason(const OpLimits& limits, double time_ns) {
  for (const LevelLimit& l : limits.levels) {
    if (!above_roof(l.time_ns / time_ns)) continue;
    return Reason{ReasonKind::above_roof,
                  {{"level", l.level},
                   {"most_bytes", l.bytes * time_ns / l.time_ns},
                   {"origin", name(l.origin)},
                   {"bytes", l.bytes}}};
  }
  return {};
}

/// What OpLimits::data_ns() adds, level by level; nothing where one level is all of it.
void add_parts(const OpLimits& limits, double data_ns, Reason& r) {
  std::vector<ReasonValue> parts;
  double sum = 0;
  for (const LevelLimit& l : limits.levels) {
    const double own = std::max(0.0, l.time_ns - l.nearer_time_ns);
    sum += own;
    if (own < 0.005 * data_ns) continue;
    parts.emplace_back("part_level", l.level);
    parts.emplace_back("part_ns", own);
  }
  // Else the longest level alone takes more than the sum.
  if (parts.size() >= 4 && sum >= 0.995 * data_ns) r.values.insert(r.values.end(), parts.begin(), parts.end());
}

Reason roofs_reason(const VerdictEvidence& e, double time_ns) {
  const OpLimits& limits = e.limits;
  const double data = limits.data_ns(0, 1), roofs = std::max(limits.compute_ns, data);
  Reason r{ReasonKind::roofs,
           {{"roofs_ns", roofs}, {"arithmetic_ns", limits.compute_ns}, {"data_ns", data}, {"time_ns", time_ns}}};
  add_parts(limits, data, r);
  r.values.emplace_back("overlapped", roofs > limits.compute_ns && time_ns < e.rules[Rule::inconsistent_ratio] * roofs);
  return r;
}

/// The op's chain of loads, if it is one.
std::optional<ChainAccess> chain_of(const VerdictEvidence& e) {
  return e.op == nullptr ? std::nullopt : chain_access(e.capture, *e.op);
}

/// How long the misses are waited for; time that was fitted is no evidence.
void add_waiting(const VerdictEvidence& e, Reason& r) {
  double sum = 0;
  for (const double w : e.waiting.ns) sum += w;
  r.values.emplace_back("level", e.limits.levels[e.verdict.limit].level);
  r.values.emplace_back("waiting_ns", sum);
  r.values.emplace_back("time_ns", e.time_ns);
  r.values.emplace_back("limit", e.rules.threshold(Rule::latency_ratio));
  if (e.waiting.limited()) r.values.emplace_back("unlimited_ns", e.waiting.unlimited_ns);
}

Reason latency_reason(const VerdictEvidence& e) {
  if (e.verdict.limit >= e.limits.levels.size()) {
    return {ReasonKind::chain_of_multiply_adds,
            {{"chain_ns", e.limits.chain_ns},
             {"each_ns", e.capture.machine().multiply_add_ns},
             {"time_ns", e.time_ns},
             {"limit", e.rules.threshold(Rule::latency_ratio)}}};
  }
  Reason r;
  if (const auto chain = chain_of(e)) r = {ReasonKind::chain_of_loads, {{"loads", chain->loads}}};
  else if (e.op == nullptr) r = {ReasonKind::unforeseen_misses};
  else r = {ReasonKind::scattered_access, {{"parallel_misses", e.rules[Rule::parallel_misses]}}};
  add_waiting(e, r);
  return r;
}

/// Which roof is contradicted, and which bytes by what origin.
Reason contradiction_reason(const VerdictEvidence& e) {
  const size_t at = lower_bound_limit(e.limits, -1);
  const ReasonValue demanded{"demanded_ns", lower_bound_ns(e.limits, -1)},
      limit{"limit", e.rules.threshold(Rule::inconsistent_ratio)};
  if (at >= e.limits.levels.size()) return {ReasonKind::contradicts_arithmetic, {demanded, limit}};
  const LevelLimit& l = e.limits.levels[at];
  return {ReasonKind::contradicts_level, {demanded, limit, {"level", l.level}, {"origin", name(l.origin)}}};
}

std::optional<Reason> decision_reason(const VerdictEvidence& e) {
  const auto limit = [&](Rule rule) { return ReasonValue("limit", e.rules.threshold(rule)); };
  switch (e.verdict.bound) {
    case Bound::too_short:
      return Reason{ReasonKind::timer_noise, {{"timer_ns", e.start.timer_ns}, limit(Rule::too_short_ticks)}};
    case Bound::dispatch:
      return Reason{ReasonKind::starting_threads,
                    {{"threads", e.limits.threads},
                     {"start_ns", e.start.fork_join_ns},
                     {"time_ns", e.time_ns},
                     limit(Rule::dispatch_ratio),
                     {"whole_step", e.op == nullptr}}};
    case Bound::inconsistent: return contradiction_reason(e);
    case Bound::compute: return Reason{ReasonKind::arithmetic_longer, {limit(Rule::slack_ratio)}};
    case Bound::memory:
      return Reason{ReasonKind::data_longer,
                    {{"level", e.limits.levels[e.verdict.limit].level},
                     limit(Rule::slack_ratio),
                     {"saturated_limit", e.rules.threshold(Rule::saturated_ratio)}}};
    case Bound::balanced: return Reason{ReasonKind::nearly_balanced, {limit(Rule::balanced_ratio)}};
    case Bound::latency: return latency_reason(e);
    case Bound::overhead:
      return Reason{ReasonKind::beyond_roofs, {limit(Rule::slack_ratio), {"threads", e.limits.threads}}};
    default:  // the others are of GPUs, and unknown needs no decision
      return {};
  }
}

/// Where the op itself refutes what the probe says a start of the threads costs.
std::optional<Reason> refuted_start_reason(const VerdictEvidence& e) {
  const double start = e.capture.machine().fork_join_ns;
  if (e.op == nullptr || e.limits.threads <= 1 || !(start > e.time_ns) || on_one_thread(e.capture.facts(e.op->id)) ||
      e.op->threads == 1) {
    return {};
  }
  return Reason{ReasonKind::refuted_start, {{"threads", e.limits.threads}, {"start_ns", start}}};
}

double bytes_through(const std::vector<LevelLimit>& levels, size_t link) {
  const auto level = std::ranges::find(levels, link, &LevelLimit::link);
  return level == levels.end() ? 0 : level->bytes;
}

/// What the corners hold besides the bands: levels through which more or less may move.
std::optional<Reason> other_amounts_reason(const OpLimits& limits) {
  Reason r{ReasonKind::other_amounts};
  const auto add = [&](std::string_view level_key, const std::string& level, std::string_view bytes_key, double bytes) {
    r.values.emplace_back(level_key, level);
    r.values.emplace_back(bytes_key, bytes);
  };
  for (const LevelLimit& l : limits.most) {
    if (l.bytes > bytes_through(limits.levels, l.link)) add("most_level", l.level, "most_bytes", l.bytes);
  }
  for (const LevelLimit& l : limits.levels) {
    if (const double least = bytes_through(limits.least, l.link); least < l.bytes)
      add("least_level", l.level, "least_bytes", least);
  }
  if (r.values.empty()) return {};
  return r;
}

/// In how many corners of all error bands the class is the same, and how wide they are.
Reason corners_reason(const VerdictEvidence& e, const Verdict& v) {
  double band = 0;
  for (const LevelLimit& l : e.limits.levels) band = std::max(band, l.band);
  const double idle = idle_time_ratio(e.capture.honesty().foreign_load_ratio);
  Reason r{ReasonKind::corners,
           {{"firm", v.firm},
            {"corners", e.cases},
            {"agreeing", e.agreeing},
            {"bytes_band_ratio", band},
            {"roof_band_ratio", e.rules[Rule::roof_band_ratio]},
            {"fitted_waiting", v.bound == Bound::latency && e.waiting.limited()},
            {"unseen_misses", unseen_misses(e)}}};
  if (e.time.samples != 1) r.values.emplace_back("time_band_ratio", e.time.median > 0 ? e.time.mad / e.time.median : 0);
  if (idle < 1) r.values.emplace_back("load_ratio", 1 - idle);
  if (!v.runner_up.empty()) r.values.emplace_back("runner_up", v.runner_up);
  for (const LevelLimit& l : e.limits.levels) {  // roofs with room beyond the usual band
    if (!(l.low_roof_ns > l.high_roof_ns)) continue;
    r.values.emplace_back("room_level", l.level);
    r.values.emplace_back("room_low_bytes_per_s", l.bytes / l.low_roof_ns * 1e9);
    r.values.emplace_back("room_high_bytes_per_s", l.bytes / l.high_roof_ns * 1e9);
  }
  return r;
}

double compulsory_total(const VerdictEvidence& e) {
  return compulsory_read(e.capture, *e.op) + compulsory_written(e.capture, *e.op);
}

/// Part of the compulsory reads that are weights: they are read once per step, however large the
/// batch.
double weight_share(const VerdictEvidence& e) {
  double weights = 0, all = 0;
  for (const OperandRecord& o : e.capture.operands(*e.op)) {
    all += static_cast<double>(o.read_bytes);
    if (o.role == Role::weight) weights += static_cast<double>(o.read_bytes);
  }
  return all > 0 ? weights / all : 0;
}

/// What the simulation says of the misses that bring lines across the binding link; null: it has not told them apart.
const MissCauses* misses_of(const VerdictEvidence& e) {
  const TrafficSource* simulated = e.capture.traffic_of(Origin::simulated);
  const bool at_level =
      e.verdict.bound == Bound::memory || e.verdict.bound == Bound::latency || e.verdict.bound == Bound::balanced;
  if (e.op == nullptr || simulated == nullptr || !at_level || e.verdict.limit >= e.limits.levels.size()) return nullptr;
  const std::string& outer = e.limits.levels[e.verdict.limit].level;
  const auto found = std::ranges::find_if(simulated->causes, [&](const MissCauses& m) {
    return m.op == e.op->id && m.link < simulated->links.size() && simulated->links[m.link].outer == outer;
  });
  return found == simulated->causes.end() ? nullptr : &*found;
}

std::optional<Reason> misses_reason(const VerdictEvidence& e) {
  const MissCauses* misses = misses_of(e);
  if (misses == nullptr) return {};
  return Reason{ReasonKind::misses,
                {{"level", e.model.inner[e.limits.levels[e.verdict.limit].link]},
                 {"compulsory_ratio", misses->compulsory_ratio},
                 {"capacity_ratio", misses->capacity_ratio},
                 {"conflict_ratio", misses->conflict_ratio},
                 {"limit", e.rules.threshold(Rule::conflict_ratio)}}};
}

std::optional<Reason> conflict_cause(const VerdictEvidence& e) {
  const MissCauses* misses = misses_of(e);
  if (misses == nullptr || misses->conflict_ratio < e.rules[Rule::conflict_ratio]) return {};
  return Reason{
      ReasonKind::cause_conflicts,
      {{"conflict_ratio", misses->conflict_ratio}, {"level", e.model.inner[e.limits.levels[e.verdict.limit].link]}}};
}

/// Where weights transformed for Winograd's filtering are most of what the model sends through the binding link.
/// Counted and simulated bytes do not say whose they are.
std::optional<Reason> transformed_weights_cause(const VerdictEvidence& e, const LevelLimit& l) {
  const auto& made = e.model.transformed[e.op->id];
  if (!made || l.origin != Origin::modelled) return {};
  const TrafficModel::OperandLevel& moved = e.model.operand_levels[made->operand][l.link];
  const double bytes = moved.read + moved.written + (made->each_step ? l.write_allocate : 0),
               named = static_cast<double>(e.capture.operands()[made->operand].read_bytes);
  if (!(named > 0) || bytes < kMostOfAll * l.bytes || bytes < e.rules[Rule::reuse_lost_ratio] * named) return {};
  return Reason{ReasonKind::cause_transformed_weights,
                {{"bytes", std::min(bytes, l.bytes)}, {"times", made->bytes / named}, {"each_step", made->each_step}}};
}

std::vector<Reason> bytes_causes(const VerdictEvidence& e) {
  const LevelLimit& l = e.limits.levels[e.verdict.limit];
  const double compulsory = compulsory_total(e);
  if (!(compulsory > 0)) return {};
  const double beyond_fills = (l.bytes - l.write_allocate) / compulsory;
  std::vector<Reason> causes;
  if (std::optional<Reason> conflicts = conflict_cause(e)) {
    causes.push_back(*std::move(conflicts));  // crowded sets are the cause; the size of the footprint is not
  } else if (std::optional<Reason> weights = transformed_weights_cause(e, l)) {
    causes.push_back(*std::move(weights));
  } else if (beyond_fills > e.rules[Rule::reuse_lost_ratio]) {
    causes.push_back({ReasonKind::cause_reuse_lost,
                      {{"times", beyond_fills},
                       {"footprint_bytes", e.model.op_footprint_bytes[e.op->id]},
                       {"cache_bytes", e.model.op_capacity_bytes[e.op->id][l.link]},
                       {"level", e.model.inner[l.link]}}});
  } else if (beyond_fills <= e.rules[Rule::compulsory_ratio]) {
    causes.push_back({ReasonKind::cause_compulsory, {{"weights", weight_share(e) >= 0.5}}});
  }
  if (l.write_allocate >= e.rules[Rule::write_allocate_ratio] * l.bytes) {
    causes.push_back(
        {ReasonKind::cause_line_fills, {{"fills_ratio", l.write_allocate / l.bytes}, {"from_memory", l.link == 0}}});
  }
  return causes;
}

}  // namespace

void add_reasons(const VerdictEvidence& e, Verdict& v) {
  const double t = e.time_ns;
  const auto add = [&](std::optional<Reason> reason) {
    if (reason) v.reasons.push_back(*std::move(reason));
  };
  const bool noise = v.bound == Bound::too_short;
  add(time_reason(e.time));
  if (t != e.time.median) add(Reason{ReasonKind::scattered_times, {{"time_ns", t}}});
  if (!noise && e.limits.used_threads < e.limits.run_threads) {
    add(Reason{ReasonKind::few_threads,
               {{"used_threads", e.limits.used_threads},
                {"run_threads", e.limits.run_threads},
                {"roof_threads", e.limits.threads}}});
  }
  if (!noise && e.limits.flops > 0) add(arithmetic_reason(e.limits, t, e.op == nullptr));
  if (!noise) add(filtering_reason(e));
  bool beside = false;  // what was measured beside the run matters
  for (size_t i = 0; i < e.limits.levels.size() && !noise; ++i) {
    const LevelLimit& l = e.limits.levels[i];
    if (i != e.verdict.limit && l.time_ns <= kWorthSaying * t) continue;
    add(level_reason(l, e.limits, t));
    beside = beside || std::ranges::any_of(e.capture.machine().beside, [&](const RoofBeside& b) {
               return b.level == l.level && b.threads == e.limits.threads;
             });
  }
  if (std::string words = roofs_beside_words(e.capture.machine()); beside && !words.empty()) {
    add(Reason{ReasonKind::roofs_beside, {{"words", std::move(words)}}});
  }
  const bool compared = !noise && v.bound != Bound::inconsistent;
  if (compared) add(above_roof_reason(e.limits, t));
  if (compared && lower_bound_ns(e.limits, 0) > 0) add(roofs_reason(e, t));
  add(decision_reason(e));
  add(misses_reason(e));
  if (compared) add(refuted_start_reason(e));
  if (v.bound == Bound::inconsistent) return;
  for (const std::string& level : e.limits.unmeasured) add(Reason{ReasonKind::unmeasured_level, {{"level", level}}});
  add(other_amounts_reason(e.limits));
  add(corners_reason(e, v));
  if (!std::isfinite(v.next_speedup) || v.bound == Bound::balanced) return;
  add(Reason{
      ReasonKind::without_limit,
      {{"of", describe(e.verdict, e.limits)}, {"speedup_ratio", v.next_speedup}, {"whole_step", e.op == nullptr}}});
}

namespace {

/// Where sharing an op among all threads would win more than starting them costs.
std::optional<Reason> few_threads_cause(const VerdictEvidence& e) {
  const bool judged = e.verdict.bound == Bound::memory || e.verdict.bound == Bound::compute ||
                      e.verdict.bound == Bound::balanced || e.verdict.bound == Bound::latency ||
                      e.verdict.bound == Bound::overhead;
  if (e.op == nullptr || !judged || e.limits.used_threads >= e.limits.run_threads || chain_of(e)) return {};
  const OpLimits all = op_limits(e.capture, e.model, *e.op, e.limits.run_threads);
  const double now = std::max(e.limits.compute_ns, e.limits.data_ns(0, 1)),
               then = std::max(all.compute_ns, all.data_ns(0, 1));
  if (!all.known || all.threads == e.limits.threads || !(then > 0)) return {};
  const double won = e.time_ns * (1 - then / now), start = e.capture.machine().fork_join_ns;
  if (!(won > std::max(start, 0.0))) return {};
  return Reason{
      ReasonKind::cause_few_threads,
      {{"used_threads", e.limits.used_threads}, {"run_threads", e.limits.run_threads}, {"speedup_ratio", now / then}}};
}

std::vector<Reason> causes_of_class(const VerdictEvidence& e) {
  switch (e.verdict.bound) {
    case Bound::memory: return e.op == nullptr ? std::vector<Reason>() : bytes_causes(e);
    case Bound::dispatch: return {{ReasonKind::cause_little_work}};
    case Bound::overhead: {
      std::vector<Reason> causes{
          {ReasonKind::cause_far_from_roof,
           {{"used_ratio", lower_bound_ns(e.limits, 0) / e.time_ns}, {"roof", e.limits.nearest_roof()}}}};
      if (const auto filtering = filtering_reason(e)) {
        causes.push_back(
            {ReasonKind::cause_transforms, {{"direct_ratio", filtering->number("direct_roof_ns") / e.time_ns}}});
      }
      return causes;
    }
    case Bound::latency:
      if (e.verdict.limit >= e.limits.levels.size()) return {{ReasonKind::cause_chain_of_multiply_adds}};
      if (std::optional<Reason> conflicts = conflict_cause(e)) return {*std::move(conflicts)};
      if (!chain_of(e)) return {{ReasonKind::cause_scattered_access}};
      return {{ReasonKind::cause_chain, {{"nearest_cache", e.verdict.limit + 1 == e.limits.levels.size()}}}};
    default: return {};
  }
}

}  // namespace

std::vector<Reason> find_causes(const VerdictEvidence& e) {
  std::vector<Reason> causes = causes_of_class(e);
  if (std::optional<Reason> threads = few_threads_cause(e)) causes.push_back(*std::move(threads));
  return causes;
}

}  // namespace profiler
