// SPDX-License-Identifier: Apache-2.0
// The sentences of a verdict: its reasoning with numbers, and the cause behind it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/analysis.h"
#include "profiler/analysis/groups.h"
#include "profiler/analysis/limits.h"
#include "profiler/analysis/verdict_class.h"
#include "profiler/memory/op_access.h"
#include "profiler/model/noise.h"
#include "profiler/model/roofs_beside.h"
#include "profiler/model/roofs_trust.h"

namespace profiler {
namespace {

/// Levels used less than this are not worth a sentence unless they bind.
constexpr double kWorthSaying = 0.3;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string percent(double ratio) {
  if (ratio > 0 && ratio < 0.01) return "less than 1 %";
  return fmt::format("{:.0f} %", 100 * ratio);
}
std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string time_sentence(const Spread& t) {
  if (t.samples == 1) return fmt::format("Takes {} (one step measured).", duration(t.median));
  return fmt::format("Takes {} (median of {} steps; {} {} to {}).", duration(t.median), t.samples,
                     t.samples < kSamplesOfAnInterval ? "all within" : "95 % interval", duration(t.low), duration(t.high));
}

/// "93 % of the measured"; of a roof that something went above, that it bounds nothing.
std::string of_measured(double ratio) {
  return above_roof(ratio) ? std::string("above the roof, which is no bound here: the measured") : percent(ratio) + " of the measured";
}

/// Where an op runs on fewer threads than the run has: on how many, and whose roofs it is held against.
std::string few_threads_sentence(const OpLimits& limits) {
  if (limits.used_threads >= limits.run_threads) return {};
  const std::string where = fmt::format("Runs on {} of the run's {}", limits.used_threads, threads_text(limits.run_threads));
  if (limits.threads == limits.used_threads) return where + ", and is held against the roofs of as many.";
  return fmt::format("{0}, but is held against the roofs of {1}: `tensortide probe --threads {2}` measures those of {2}.", where, limits.threads, limits.used_threads);
}

std::string compute_sentence(const OpLimits& limits, double time_ns, bool step) {
  return fmt::format("Computes {} in {} = {}, {} {} ({}, {}).",
                     format_quantity(limits.flops, Quantity::flops), duration(time_ns),
                     format_quantity(limits.flops / time_ns * 1e9, Quantity::flop_per_s),
                     of_measured(limits.compute_ns / time_ns),
                     format_quantity(limits.peak_flop_per_s, Quantity::flop_per_s),
                     step ? std::string_view("peaks of the ops' dtypes") : engine::name(limits.dtype), threads_text(limits.threads));
}

std::string level_sentence(const LevelLimit& l, const OpLimits& limits, double time_ns) {
  return fmt::format(
      "Moves {} from {} ({}, ± {}) in {} = {}, {} {} ({}, {} writes).",
      format_quantity(l.bytes, Quantity::bytes), l.level, name(l.origin), percent(l.band), duration(time_ns),
      format_quantity(l.bytes / time_ns * 1e9, Quantity::bytes_per_s), of_measured(l.time_ns / time_ns),
      format_quantity(l.bytes_per_s, Quantity::bytes_per_s), threads_text(limits.threads),
      percent(l.written / l.bytes));
}

/// A use above 100 % that the error band allows: said, because it bounds the bytes from above.
std::string excess_sentence(const OpLimits& limits, double time_ns) {
  for (const LevelLimit& l : limits.levels) {
    if (!above_roof(l.time_ns / time_ns)) continue;
    return fmt::format(
        "That is more than {} can deliver: the true bytes are at most {}, within the error band of "
        "the {} {}.",
        l.level, format_quantity(l.bytes * time_ns / l.time_ns, Quantity::bytes),
        name(l.origin), format_quantity(l.bytes, Quantity::bytes));
  }
  return {};
}

/// "146 µs for DRAM + 67 µs for L3 + 83 µs for L2": what OpLimits::data_ns() adds; empty where one level is all of it.
std::string level_parts(const OpLimits& limits, double data_ns) {
  std::vector<std::string> parts;
  double sum = 0;
  for (const LevelLimit& l : limits.levels) {
    const double own = std::max(0.0, l.time_ns - l.nearer_time_ns);
    sum += own;
    if (own >= 0.005 * data_ns) parts.push_back(fmt::format("{} for {}", duration(own), l.level));
  }
  // Else the longest level alone takes more than the sum.
  return parts.size() < 2 || sum < 0.995 * data_ns ? std::string() : fmt::format("{}", fmt::join(parts, " + "));
}

std::string roofs_sentence(const VerdictEvidence& e, double time_ns) {
  const OpLimits& limits = e.limits;
  const double data = limits.data_ns(0, 1), roofs = std::max(limits.compute_ns, data);
  const std::string parts = level_parts(limits, data);
  std::string text = fmt::format("At the roofs it would take {} (arithmetic {}, data {}{}); it takes {} that.", duration(roofs), duration(limits.compute_ns), duration(data),
                                 parts.empty() ? "" : " = " + parts, format_quantity(time_ns / roofs, Quantity::ratio));
  if (parts.empty()) return text;
  text += " Times of levels add up (ECM: transfers between caches of a core do not overlap), of each what it takes beyond the pace of the next nearer one; "
          "shares of single roofs are of one level alone.";
  if (roofs > limits.compute_ns && time_ns < e.rules[Rule::inconsistent_ratio] * roofs) {
    text += " Faster than that sum: transfers overlapped after all, or fewer bytes moved; no single roof demands more than the time within its error band, so the figures do not contradict each other.";
  }
  return text;
}

/// The op's chain of loads, if it is one.
std::optional<ChainAccess> chain_of(const VerdictEvidence& e) {
  return e.op == nullptr ? std::nullopt : chain_access(e.capture, *e.op);
}

/// "waiting for L3 and nearer levels takes about 3 ms (80 % of the time, limit 50 %)"; time that was fitted is no evidence, and says so.
std::string waiting_text(const VerdictEvidence& e, std::string_view what) {
  double sum = 0;
  for (const double w : e.waiting.ns) sum += w;
  const std::string& level = e.limits.levels[e.verdict.limit].level;
  if (e.waiting.limited()) {
    return fmt::format("{} {} and nearer levels, limited to the measured time, takes about {} (all of the misses would take {})",
                       what, level, duration(sum), duration(e.waiting.unlimited_ns));
  }
  return fmt::format("{} {} and nearer levels takes about {} ({} of the time, limit {})", what, level, duration(sum), percent(sum / e.time.median),
                     e.rules.text(Rule::latency_ratio));
}

/// Which roof is contradicted, and which bytes by what origin.
std::string contradiction_sentence(const VerdictEvidence& e) {
  const size_t at = lower_bound_limit(e.limits, -1);
  const std::string demanded = duration(lower_bound_ns(e.limits, -1)), limit = e.rules.text(Rule::inconsistent_ratio);
  if (at >= e.limits.levels.size()) {
    return fmt::format("At the roof of arithmetic it would take {}: that roof, or the count of FLOPs, is wrong here (limit {} of that), so there is no verdict.", demanded, limit);
  }
  const LevelLimit& l = e.limits.levels[at];
  return fmt::format("Even with bytes at the low edge of their error band the roof of {} demands {}: the {} bytes or the roof are wrong here (limit {} of that), so there is no verdict.",
                     l.level, demanded, name(l.origin), limit);
}

std::string decision_sentence(const VerdictEvidence& e) {
  const double t = e.time.median;
  switch (e.verdict.bound) {
    case Bound::too_short:
      return fmt::format("One time stamp costs {}: below {} of them a duration is noise.",
                         duration(e.start.timer_ns), e.rules.text(Rule::too_short_ticks));
    case Bound::dispatch:
      return fmt::format(
          "Starting and joining {} costs {} ({} of the time; limit {}): {} too small to be "
          "split.",
          threads_text(e.limits.threads), duration(e.start.fork_join_ns),
          percent(e.start.fork_join_ns / t), e.rules.text(Rule::dispatch_ratio), e.op == nullptr ? "its ops are" : "the op is");
    case Bound::inconsistent:
      return contradiction_sentence(e);
    case Bound::compute:
      return fmt::format("Arithmetic takes longer than moving the data, and the time is within {} times that (limit).", e.rules.text(Rule::slack_ratio));
    case Bound::memory:
      return fmt::format("Moving data takes longer than arithmetic, {} is the slowest level, and the time is within {} times that (limit; a level shared by all threads decides alone from {} of its bandwidth on).",
                         e.limits.levels[e.verdict.limit].level, e.rules.text(Rule::slack_ratio), e.rules.text(Rule::saturated_ratio));
    case Bound::balanced:
      return fmt::format("Arithmetic and data differ by less than {} of the longer (limit).",
                         e.rules.text(Rule::balanced_ratio));
    case Bound::latency: {
      if (const auto chain = chain_of(e)) {
        return fmt::format("Each load names the address of the next, so that one is under way at a time: {} loads take {} each, and {}.",
                           format_quantity(chain->loads, Quantity::count), duration(t / chain->loads), waiting_text(e, "waiting for"));
      }
      if (e.op == nullptr) return waiting_text(e, "Waiting for what no prefetcher foresees, at") + ".";
      return fmt::format("Strided or random access defeats the prefetchers: {}; {:.0f} misses are under way per core.", waiting_text(e, "waiting for"),
                         e.rules[Rule::parallel_misses]);
    }
    case Bound::overhead:
      return fmt::format(
          "That is more than {} times the time at the roofs, and no waiting for misses "
          "explains it: instructions, branches{} TLB misses{} do.",
          e.rules.text(Rule::slack_ratio), e.limits.threads > 1 ? "," : " or", e.limits.threads > 1 ? " or idle threads" : "");
    default:  // the others are of GPUs, and unknown needs no decision
      break;
  }
  return {};
}

/// Where the op itself refutes what the probe says a start of the threads costs.
std::string refuted_start_sentence(const VerdictEvidence& e) {
  const double start = e.capture.machine().fork_join_ns;
  if (e.op == nullptr || e.limits.threads <= 1 || !(start > e.time.median) || on_one_thread(e.capture.facts(e.op->id)) || e.op->threads == 1) return {};
  return fmt::format("Starting and joining {} took the probe {}, which is more than this op takes: what it costs here is unknown.",
                     threads_text(e.limits.threads), duration(start));
}

/// " (of DRAM from 50.2 GB/s to 104 GB/s)": roofs with room beyond the usual band.
std::string room_text(const OpLimits& limits) {
  std::string text;
  for (const LevelLimit& l : limits.levels) {
    if (!(l.low_roof_ns > l.high_roof_ns)) continue;
    text += fmt::format(" (of {} from {} to {})", l.level, format_quantity(l.bytes / l.low_roof_ns * 1e9, Quantity::bytes_per_s),
                        format_quantity(l.bytes / l.high_roof_ns * 1e9, Quantity::bytes_per_s));
  }
  return text;
}

double bytes_through(const std::vector<LevelLimit>& levels, size_t link) {
  const auto level = std::ranges::find(levels, link, &LevelLimit::link);
  return level == levels.end() ? 0 : level->bytes;
}

/// "More may move than that, as much as 41.9 MB from DRAM": what the corners hold besides the bands.
std::string amounts_sentence(const OpLimits& limits) {
  std::vector<std::string> more, less;
  for (const LevelLimit& l : limits.most) {
    if (l.bytes > bytes_through(limits.levels, l.link)) more.push_back(fmt::format("{} from {}", format_quantity(l.bytes, Quantity::bytes), l.level));
  }
  for (const LevelLimit& l : limits.levels) {
    if (const double least = bytes_through(limits.least, l.link); least < l.bytes) less.push_back(fmt::format("{} from {}", format_quantity(least, Quantity::bytes), l.level));
  }
  std::string text;
  if (!more.empty()) text = fmt::format("More may move than that, as much as {}", fmt::join(more, ", "));
  if (!less.empty()) text += fmt::format("{}, as little as {}", text.empty() ? "Less may move than that" : "; or less", fmt::join(less, ", "));
  return text.empty() ? text : text + ": where a working set is of about a cache's size, or bytes are a lower bound. The corners hold that, too.";
}

std::string firmness_sentence(const VerdictEvidence& e, const Verdict& v) {
  double band = 0;
  for (const LevelLimit& l : e.limits.levels) band = std::max(band, l.band);
  const double idle = idle_time_ratio(e.capture.honesty().foreign_load_ratio);
  const std::string pushed =
      fmt::format("bytes ± {} at most, roofs{} ± {}, {}", percent(band), room_text(e.limits),
                  percent(e.rules[Rule::roof_band_ratio]),
                  e.time.samples == 1 ? std::string("the time of the one step") : "time ± " + percent(e.time.median > 0 ? e.time.mad / e.time.median : 0)) +
      (idle < 1 ? fmt::format(", and a time shorter by the background load ({})", percent(1 - idle)) : "");
  if (v.firm) return fmt::format("Firm: the same answer in all {} corners of {}.", e.cases, pushed);
  std::string text = fmt::format("Likely: the same answer in {} of {} corners of {}", e.agreeing, e.cases, pushed);
  if (v.bound == Bound::latency && e.waiting.limited()) text += ", but the waiting was fitted to the time it should explain";
  if (unseen_misses(e)) text += ", but modelled bytes do not know in which order an op walks its operands: record with --collect simulate, which counts the misses no prefetcher foresees";
  return text + (v.runner_up.empty() ? "." : fmt::format("; else {}.", v.runner_up));
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
  const bool at_level = e.verdict.bound == Bound::memory || e.verdict.bound == Bound::latency || e.verdict.bound == Bound::balanced;
  if (e.op == nullptr || simulated == nullptr || !at_level || e.verdict.limit >= e.limits.levels.size()) return nullptr;
  const std::string& outer = e.limits.levels[e.verdict.limit].level;
  const auto found = std::ranges::find_if(simulated->causes, [&](const MissCauses& m) { return m.op == e.op->id && m.link < simulated->links.size() && simulated->links[m.link].outer == outer; });
  return found == simulated->causes.end() ? nullptr : &*found;
}

std::string misses_sentence(const VerdictEvidence& e) {
  const MissCauses* misses = misses_of(e);
  if (misses == nullptr) return {};
  return fmt::format("Of the lines missing in {} (simulated), {} are first uses, {} are lost to its capacity and {} to crowded sets (conflicts; limit {}).",
                     e.model.inner[e.limits.levels[e.verdict.limit].link], percent(misses->compulsory_ratio), percent(misses->capacity_ratio), percent(misses->conflict_ratio),
                     e.rules.text(Rule::conflict_ratio));
}

std::string conflict_cause(const VerdictEvidence& e) {
  const MissCauses* misses = misses_of(e);
  if (misses == nullptr || misses->conflict_ratio < e.rules[Rule::conflict_ratio]) return {};
  return fmt::format("conflict misses: {} of the lines missing in {} would be there if they could lie in any set (simulated), as with strides of a power of two: other row lengths or padding can help",
                     percent(misses->conflict_ratio), e.model.inner[e.limits.levels[e.verdict.limit].link]);
}

/// What an op's distinct bytes do to a cache of its threads: "because its footprint of 2 MiB exceeds the 48 KiB of L1".
std::string footprint_text(const VerdictEvidence& e, size_t link) {
  const double footprint = e.model.op_footprint_bytes[e.op->id], capacity = e.model.op_capacity_bytes[e.op->id][link];
  const std::string set = format_quantity(footprint, Quantity::capacity_bytes), cache = format_quantity(capacity, Quantity::capacity_bytes);
  if (footprint > capacity) return fmt::format("because its footprint (distinct bytes) of {} exceeds the {} of {}", set, cache, e.model.inner[link]);
  return fmt::format("though its footprint (distinct bytes) of {} is no larger than the {} of {}", set, cache, e.model.inner[link]);
}

std::string bytes_cause(const VerdictEvidence& e) {
  const LevelLimit& l = e.limits.levels[e.verdict.limit];
  const double compulsory = compulsory_total(e);
  if (!(compulsory > 0)) return {};
  const double beyond_fills = (l.bytes - l.write_allocate) / compulsory;
  const bool fills = l.write_allocate >= e.rules[Rule::write_allocate_ratio] * l.bytes;
  const std::string fill_text = fmt::format("{} of the bytes are lines fetched only to be overwritten: {} would save them", percent(l.write_allocate / l.bytes),
                                            l.link == 0 ? "non-temporal stores" : "computing in place");
  std::string text = conflict_cause(e);
  if (!text.empty()) {
    // crowded sets are the cause; the size of the footprint is not
  } else if (beyond_fills > e.rules[Rule::reuse_lost_ratio]) {
    text = fmt::format("reuse lost: {:.1f} times the compulsory bytes cross, {}", beyond_fills, footprint_text(e, l.link));
  } else if (beyond_fills <= e.rules[Rule::compulsory_ratio]) {
    text = weight_share(e) >= 0.5
               ? "compulsory: mostly weights, so only a bigger batch or a smaller dtype can help"
               : "compulsory: only fusion or a smaller dtype can help";
  }
  if (!fills) return text;
  return text.empty() ? fill_text : text + "; " + fill_text;
}

}  // namespace

void write_why(const VerdictEvidence& e, Verdict& v) {
  const double t = e.time.median;
  v.why.push_back(time_sentence(e.time));
  const bool noise = v.bound == Bound::too_short;
  if (std::string words = few_threads_sentence(e.limits); !noise && !words.empty()) v.why.push_back(std::move(words));
  if (!noise && e.limits.flops > 0) v.why.push_back(compute_sentence(e.limits, t, e.op == nullptr));
  bool beside = false;  // what was measured beside the run matters
  for (size_t i = 0; i < e.limits.levels.size() && !noise; ++i) {
    const LevelLimit& l = e.limits.levels[i];
    if (i != e.verdict.limit && l.time_ns <= kWorthSaying * t) continue;
    v.why.push_back(level_sentence(l, e.limits, t));
    beside = beside || std::ranges::any_of(e.capture.machine().beside, [&](const RoofBeside& b) { return b.level == l.level && b.threads == e.limits.threads; });
  }
  if (std::string words = roofs_beside_words(e.capture.machine()); beside && !words.empty()) v.why.push_back(std::move(words));
  const bool compared = !noise && v.bound != Bound::inconsistent;
  if (const std::string excess = excess_sentence(e.limits, t); compared && !excess.empty())
    v.why.push_back(excess);
  if (compared && lower_bound_ns(e.limits, 0) > 0) v.why.push_back(roofs_sentence(e, t));
  v.why.push_back(decision_sentence(e));
  if (std::string words = misses_sentence(e); !words.empty()) v.why.push_back(std::move(words));
  if (std::string words = refuted_start_sentence(e); compared && !words.empty()) v.why.push_back(std::move(words));
  if (v.bound == Bound::inconsistent) return;
  for (const std::string& level : e.limits.unmeasured) {
    v.why.push_back(fmt::format(
        "The probe has no {} bandwidth, so {} is left out and the verdict cannot be firm.", level,
        level));
  }
  if (std::string words = amounts_sentence(e.limits); !words.empty()) v.why.push_back(std::move(words));
  v.why.push_back(firmness_sentence(e, v));
  if (!std::isfinite(v.next_speedup) || v.bound == Bound::balanced) return;
  const std::string limit = describe(e.verdict, e.limits), ratio = format_quantity(v.next_speedup, Quantity::ratio);
  v.why.push_back(v.next_speedup > 1 && ratio != format_quantity(1, Quantity::ratio)
                      ? fmt::format("Without this limit ({}) the {} could be at most {} as fast.", limit, e.op == nullptr ? "step" : "op", ratio)
                      : fmt::format("Without this limit ({}) nothing is won: the next one is as near.", limit));
}

namespace {

/// "runs on 1 of 2 threads: shared among all, its roofs would allow up to 1.9x": where that would win more than starting the threads costs.
std::string few_threads_cause(const VerdictEvidence& e) {
  const bool judged = e.verdict.bound == Bound::memory || e.verdict.bound == Bound::compute || e.verdict.bound == Bound::balanced || e.verdict.bound == Bound::latency ||
                      e.verdict.bound == Bound::overhead;
  if (e.op == nullptr || !judged || e.limits.used_threads >= e.limits.run_threads || chain_of(e)) return {};
  const OpLimits all = op_limits(e.capture, e.model, *e.op, e.limits.run_threads);
  const double now = std::max(e.limits.compute_ns, e.limits.data_ns(0, 1)), then = std::max(all.compute_ns, all.data_ns(0, 1));
  if (!all.known || all.threads == e.limits.threads || !(then > 0)) return {};
  const double won = e.time.median * (1 - then / now), start = e.capture.machine().fork_join_ns;
  if (!(won > std::max(start, 0.0))) return {};
  return fmt::format("runs on {} of {}: shared among all, its roofs would allow up to {}", e.limits.used_threads, threads_text(e.limits.run_threads), format_quantity(now / then, Quantity::ratio));
}

std::string cause_of_class(const VerdictEvidence& e) {
  switch (e.verdict.bound) {
    case Bound::memory:
      return e.op == nullptr ? std::string() : bytes_cause(e);
    case Bound::dispatch:
      return "too little work per thread: a bigger batch, fusion or fewer threads can help";
    case Bound::overhead:
      return fmt::format("the kernel uses {} of its nearest roof, {}",
                         percent(lower_bound_ns(e.limits, 0) / e.time.median),
                         e.limits.nearest_roof());
    case Bound::latency:
      if (std::string text = conflict_cause(e); !text.empty()) return text;
      if (chain_of(e)) return "a chain of loads: several chains at once, or a working set that fits a nearer cache, can help";
      return "strided or random access: a layout in which the op walks memory in order can help";
    default:
      return {};
  }
}

}  // namespace

std::string find_cause(const VerdictEvidence& e) {
  std::string text = cause_of_class(e);
  const std::string threads = few_threads_cause(e);
  return threads.empty() || text.empty() ? text + threads : text + "; " + threads;
}

}  // namespace profiler
