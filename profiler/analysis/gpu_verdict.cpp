// SPDX-License-Identifier: Apache-2.0
// Classes of ops and steps of a GPU, with the reasoning in words.
#include "profiler/analysis/gpu_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "profiler/analysis/groups.h"
#include "profiler/analysis/limits.h"
#include "profiler/analysis/overlap.h"

namespace profiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Compulsory bytes bound the traffic with device memory from below; tiles re-read some (design notes, section 6.3: modelled 20 %).
constexpr double kBand = 0.20;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }

/// What the GPU counted of the op between two levels, else what the sector model says; null: neither.
const TrafficRecord* best_record(const TrafficSource* counted, const TrafficSource* sectors, OpId op, const char* outer, const char* inner, Origin& origin) {
  for (const TrafficSource* source : {counted, sectors}) {
    if (source == nullptr) continue;
    const TrafficRecord* record = source->of(op, static_cast<uint32_t>(source->link_between(outer, inner)));
    if (record == nullptr || !record->known()) continue;
    origin = source->origin;
    return record;
  }
  return nullptr;
}

GpuLevelUse use_of(const TrafficRecord& record, Origin origin, double bytes_per_s) {
  return {record.total_bytes(), record.total_bytes() / bytes_per_s * 1e9, std::isnan(record.error_band) ? 0 : std::min(record.error_band, kMostBand), origin};
}

/// Time at the roofs, from the data sheet and the bytes that have to move.
GpuCase case_of(const Capture& capture, const OpRecord& op, const GpuOpWork& work, const TrafficSource* sectors, GpuRoofs& roofs) {
  GpuCase c;
  c.kernel_ns = work.kernels == 0 ? 0 : work.kernel_ns.median;
  c.call_ns = work.call_ns, c.exposed_ns = work.exposed_ns, c.waves = work.waves, c.communication_ns = work.communication_ns;
  c.compute_ns = c.memory_at_most_ns = kUnknown;
  c.levels.fill({kUnknown, kUnknown, kBand, Origin::exact});
  roofs = {kUnknown, kUnknown, kUnknown, kUnknown};
  for (const GpuDevice& device : capture.gpu().devices) {
    if (device.device != work.device) continue;
    roofs = gpu_roofs(device, dtype_of(capture, op), capture.facts(op.id).format);
    const double bytes = compulsory_read(capture, op) + compulsory_written(capture, op);
    if (op.flops >= 0) c.compute_ns = op.flops / roofs.flop_per_s * 1e9;
    GpuLevelUse &memory = c.levels[static_cast<size_t>(GpuLevel::memory)], &l2 = c.levels[static_cast<size_t>(GpuLevel::l2)];
    const double compulsory_ns = bytes / roofs.bytes_per_s * 1e9;
    const TrafficSource* counted = capture.traffic_of(Origin::measured);
    Origin origin = Origin::exact;
    // Operands that fit into the L2 may come from there: the memory's roof then says nothing.
    if (bytes > roofs.l2_bytes || bytes == 0) memory = {bytes, compulsory_ns, kBand, Origin::exact};
    else c.memory_at_most_ns = compulsory_ns;
    if (const TrafficRecord* record = best_record(counted, sectors, op.id, "DRAM", "L2", origin); record != nullptr && (origin == Origin::measured || record->total_bytes() > memory.bytes)) {
      memory = use_of(*record, origin, roofs.bytes_per_s);
    }
    if (const TrafficRecord* record = best_record(counted, sectors, op.id, "L2", "L1", origin)) l2 = use_of(*record, origin, roofs.l2_bytes_per_s);
  }
  return c;
}

std::string_view describe(const GpuClass& c) {
  switch (c.bound) {
    case Bound::launch: return "launches";
    case Bound::transfer: return "copies";
    case Bound::communication: return "communication";
    case Bound::compute: return "arithmetic";
    case Bound::memory: return c.level == GpuLevel::l2 ? "L2 bandwidth" : "device memory bandwidth";
    case Bound::balanced: return c.level == GpuLevel::l2 ? "balance of arithmetic and L2" : "balance of arithmetic and memory";
    case Bound::parallelism: return "too small a grid";
    case Bound::latency: return "latency";
    default: return name(c.bound);
  }
}

std::string headline(Bound bound, GpuLevel level = GpuLevel::memory) {
  switch (bound) {
    case Bound::launch: return "launch-bound";
    case Bound::transfer: return "transfer-bound";
    case Bound::communication: return "communication";
    case Bound::compute: return "compute-bound";
    case Bound::memory: return fmt::format("memory-bound at {}", name(level));
    case Bound::balanced: return fmt::format("balanced between compute and {}", name(level));
    case Bound::parallelism: return "grid too small";
    case Bound::latency: return "latency-bound";
    case Bound::inconsistent: return "inconsistent: faster than its roofs";
    default: return "unknown";
  }
}

/// Step 5 for a GPU: roofs of a data sheet are no measurement, so only what needs none of them can be firm.
void test_firmness(const GpuCase& c, const GpuClass& found, const Spread& time, const VerdictRules& rules, Verdict& v) {
  std::map<std::string_view, int> others;
  int cases = 0, agreeing = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 1.0 : -1.0; };
    GpuCase pushed = c;
    pushed.kernel_ns += sign(0) * time.mad;
    if (c.kernel_ns > 0 && pushed.kernel_ns <= 0) continue;  // work that some steps do not do
    for (GpuLevelUse& level : pushed.levels) level.ns *= (1 + sign(1) * level.band) / (1 + sign(2) * rules[Rule::roof_band_ratio]);
    pushed.compute_ns /= 1 + sign(2) * rules[Rule::roof_band_ratio];
    const GpuClass other = classify_gpu(pushed, rules);
    ++cases;
    other.same(found) ? ++agreeing : ++others[describe(other)];
  }
  const bool needs_roofs = v.bound != Bound::launch && v.bound != Bound::transfer && v.bound != Bound::communication;
  v.firm = others.empty() && !needs_roofs;
  const auto most = std::ranges::max_element(others, {}, [](const auto& entry) { return entry.second; });
  if (most != others.end()) v.runner_up = most->first;
  v.why.push_back(v.firm ? fmt::format("Firm: the same answer in all {} corners of the error bands.", cases)
                         : fmt::format("Likely: the same answer in {} of {} corners of the error bands{}{}.", agreeing, cases,
                                       v.runner_up.empty() ? "" : "; else " + v.runner_up,
                                       needs_roofs ? "; roofs are the data sheet's, not measured" : ""));
  if (!v.firm) v.headline += " (likely)";
}

/// Rate of an op's copies, each by itself, against the fastest of their directions in the capture.
std::string copy_sentence(const GpuOpWork& work, const VerdictRules& rules) {
  if (std::isnan(work.copy_use_ratio)) return "How fast the copies are cannot be said: their sizes are unknown.";
  const char* why = work.copy_use_ratio >= rules[Rule::link_use_ratio] ? "the link is full"
                    : work.pageable                                  ? "pageable memory or small copies hold them back"
                                                                     : "small copies, or others beside them, hold them back";
  return fmt::format("Copies run at {} each, {} of the fastest of their direction in this capture (limit {}): {}.",
                     format_quantity(work.copy_bytes_per_s, Quantity::bytes_per_s), percent(work.copy_use_ratio), rules.text(Rule::link_use_ratio), why);
}

void write_why(const GpuOpWork& work, const GpuCase& c, bool ours, const VerdictRules& rules, Verdict& v) {
  if (work.kernels > 0) {
    const double whole = std::round(work.kernels);
    const std::string count = std::abs(work.kernels - whole) < 0.005 ? fmt::format("{:.0f}", whole) : fmt::format("{:.2f}", work.kernels);
    v.why.push_back(fmt::format("{} kernel{} of {} in a step ({} of {} steps).", count, count == "1" ? "" : "s", duration(c.kernel_ns), ours ? "median" : "mean",
                                work.kernel_ns.samples));
  }
  if (work.communication_ns > 0) {
    v.why.push_back(fmt::format("{} of them carry data between GPUs for {}, {} of that with nothing beside it that computes: such kernels wait for other ranks and "
                                "for the network, no roof of this GPU bounds them.",
                                c.communication_ns < c.kernel_ns ? percent(c.communication_ns / c.kernel_ns) : "All", duration(c.communication_ns),
                                percent(work.exposed_communication_ns / work.communication_ns)));
  }
  if (work.copies > 0) v.why.push_back(copy_sentence(work, rules));
  if (work.copies > 0) {
    v.why.push_back(fmt::format("Copies run alone for {} (limit {} of copies and kernels together).", duration(c.exposed_ns), rules.text(Rule::transfer_ratio)));
  }
  if (!std::isnan(c.call_ns) && work.kernels > 0) {
    v.why.push_back(fmt::format("The calls that launch them take {}: {} of calls and kernels together (limit {}).", duration(c.call_ns),
                                percent(c.call_ns / (c.call_ns + c.kernel_ns)), rules.text(Rule::launch_ratio)));
  }
  if (!std::isnan(c.compute_ns) && work.kernels > 0) v.why.push_back(fmt::format("Arithmetic would take {} at the data sheet's peak (specified): {} used.", duration(c.compute_ns), percent(c.compute_ns / c.kernel_ns)));
  for (size_t i = 0; i < kGpuLevels && work.kernels > 0; ++i) {
    const GpuLevelUse& level = c.levels[i];
    const std::string what = level.origin == Origin::exact ? std::string("compulsory bytes")
                                                           : fmt::format("{} {} between {} ({})", format_quantity(level.bytes, Quantity::bytes),
                                                                         level.origin == Origin::measured ? "that the GPU counted" : "of the sector model",
                                                                         i == 0 ? "L2 and its memory" : "L2 and the multiprocessors", name(level.origin));
    if (!std::isnan(level.ns)) {
      v.why.push_back(fmt::format("The {} would take {} at the data sheet's bandwidth (specified): {} used.", what, duration(level.ns), percent(level.ns / c.kernel_ns)));
    } else if (!std::isnan(level.bytes) && i > 0) {
      v.why.push_back(fmt::format("{} cross; how many it can deliver is not published for this chip, so that L2 is left out.", what));
    }
  }
  if (!std::isnan(c.memory_at_most_ns) && std::isnan(c.levels[0].ns) && work.kernels > 0) {
    v.why.push_back(fmt::format("The operands fit into L2: device memory would be used to {} at most.", percent(c.memory_at_most_ns / c.kernel_ns)));
  }
  if (!std::isnan(c.waves)) {
    v.why.push_back(fmt::format("Its longest kernel fills {:.2g} waves of blocks{}.", c.waves,
                                c.waves < rules[Rule::waves_count] ? fmt::format(": a grid too small for this GPU (limit {})", rules.text(Rule::waves_count)) : ""));
  }
}

}  // namespace

std::string_view name(GpuLevel level) { return level == GpuLevel::l2 ? "L2" : "device memory"; }

GpuClass classify_gpu(const GpuCase& c, const VerdictRules& rules) {
  if (c.exposed_ns > 0 && c.exposed_ns >= rules[Rule::transfer_ratio] * (c.exposed_ns + c.kernel_ns)) return {Bound::transfer};
  if (!(c.kernel_ns > 0)) return {};
  if (c.communication_ns > 0.5 * c.kernel_ns) return {Bound::communication};
  if (c.call_ns >= rules[Rule::launch_ratio] * (c.call_ns + c.kernel_ns)) return {Bound::launch};
  std::array<double, kGpuLevels> ns{};
  for (size_t i = 0; i < kGpuLevels; ++i) ns[i] = c.levels[i].ns;
  // What device memory cannot have been busy with does not matter, however much of it came from L2.
  if (std::isnan(ns[0]) && c.memory_at_most_ns < rules[Rule::busy_ratio] * c.kernel_ns) ns[0] = c.memory_at_most_ns;
  if (std::isnan(c.compute_ns) || std::isnan(ns[0])) return {};
  double least = c.compute_ns;
  size_t most = 0;
  for (size_t i = 0; i < kGpuLevels; ++i) {
    if (std::isnan(ns[i])) continue;
    least = std::max(least, ns[i] * (1 - c.levels[i].band));
    if (ns[i] > ns[most]) most = i;
  }
  const auto level = static_cast<GpuLevel>(most);
  if (c.kernel_ns < rules[Rule::inconsistent_ratio] * least) return {Bound::inconsistent};
  const double compute = c.compute_ns / c.kernel_ns, memory = ns[most] / c.kernel_ns, used = std::max(compute, memory);
  if (used < rules[Rule::busy_ratio]) return {c.waves < rules[Rule::waves_count] ? Bound::parallelism : Bound::latency};
  const bool mostly = used < rules[Rule::saturated_ratio];
  if (std::abs(compute - memory) < rules[Rule::balanced_ratio]) return {Bound::balanced, level, mostly};
  return compute > memory ? GpuClass{Bound::compute, GpuLevel::memory, mostly} : GpuClass{Bound::memory, level, mostly};
}

namespace {

/// What the use of the busiest roof means.
std::string use_sentence(double used, const VerdictRules& rules) {
  const std::string limits = fmt::format("limits: {} saturated, {} busy", rules.text(Rule::saturated_ratio), rules.text(Rule::busy_ratio));
  if (used >= rules[Rule::saturated_ratio]) return fmt::format("Its busiest roof is used to {} ({}): it is full.", percent(used), limits);
  if (used >= rules[Rule::busy_ratio]) return fmt::format("Its busiest roof is used to {} ({}): mostly that, with some waiting.", percent(used), limits);
  return fmt::format("Its busiest roof is used to {} ({}): the GPU waits.", percent(used), limits);
}

/// The longest any roof demands but the binding one; 0: none is known.
double second_ns(const GpuCase& c, const GpuClass& found) {
  double second = found.bound == Bound::compute || std::isnan(c.compute_ns) ? 0 : c.compute_ns;
  for (size_t i = 0; i < kGpuLevels; ++i) {
    const bool binds = found.bound == Bound::memory && static_cast<GpuLevel>(i) == found.level;
    if (!binds && !std::isnan(c.levels[i].ns)) second = std::max(second, c.levels[i].ns);
  }
  return second;
}

}  // namespace

Verdict judge_on_gpu(const Capture& capture, const OpRecord& op, const GpuOpWork& work, const TrafficSource* sectors, const VerdictRules& rules) {
  GpuRoofs device_roofs;
  const GpuCase c = case_of(capture, op, work, sectors, device_roofs);
  const GpuClass found = classify_gpu(c, rules);
  Verdict v;
  v.bound = found.bound;
  v.headline = (found.mostly ? "mostly " : "") + headline(found.bound, found.level);
  v.utilisation = v.next_speedup = kUnknown;
  write_why(work, c, capture.run().source.empty(), rules, v);
  if (v.bound == Bound::unknown) {
    v.why.push_back("Whether arithmetic or memory binds is unknown: the capture lacks this GPU's peaks, or the operands fit into its L2.");
    return v;
  }
  if (v.bound == Bound::memory) v.level = name(found.level);
  const double roofs = second_ns(c, {});  // of all: nothing binds here
  if (c.kernel_ns > 0 && roofs > 0 && v.bound != Bound::inconsistent && v.bound != Bound::communication) v.utilisation = roofs / c.kernel_ns;
  const double second = second_ns(c, found);
  switch (v.bound) {
    case Bound::transfer:
      if (c.kernel_ns > 0) v.next_speedup = (c.exposed_ns + c.kernel_ns) / c.kernel_ns;
      v.cause = "copies with nothing beside them: copy the next input while this one is computed";
      break;
    case Bound::communication:
      v.cause = work.exposed_communication_ns > 0.5 * work.communication_ns
                    ? "communication with nothing beside it: start it earlier beside other work, or send fewer bytes"
                    : "communication, mostly beside work that computes";
      break;
    case Bound::launch:
      v.next_speedup = (c.call_ns + c.kernel_ns) / c.kernel_ns;
      v.cause = "kernels shorter than the calls that launch them: fusion, a CUDA graph or a bigger batch can help";
      break;
    case Bound::parallelism:
      v.cause = "too few blocks for the multiprocessors: a bigger batch can help";
      [[fallthrough]];
    case Bound::latency:
      if (roofs > 0) v.next_speedup = std::max(1.0, c.kernel_ns / roofs);
      break;
    case Bound::memory:
      v.cause = gpu_memory_cause(capture, op, c.levels[static_cast<size_t>(found.level)], found.level, device_roofs.l2_bytes, rules);
      [[fallthrough]];
    case Bound::compute:
      if (second > 0) v.next_speedup = std::max(1.0, c.kernel_ns / second);
      break;
    default: break;
  }
  const bool by_roofs = v.bound == Bound::memory || v.bound == Bound::compute || v.bound == Bound::balanced || v.bound == Bound::latency || v.bound == Bound::parallelism;
  if (by_roofs && roofs > 0) v.why.push_back(use_sentence(v.utilisation, rules));
  if (v.bound != Bound::inconsistent) test_firmness(c, found, work.kernel_ns, rules, v);
  return v;
}

Verdict judge_step_on_gpu(const Capture& capture, const std::vector<Verdict>& verdicts, const VerdictRules& rules) {
  const Overlap o = overlap(capture, rules);
  Verdict v;
  v.utilisation = v.next_speedup = kUnknown;
  std::map<GpuBound, size_t> count;
  double span = 0, exposed = 0, idle = 0, communication = 0;
  for (const GpuRegion& r : o.regions) {
    ++count[r.bound], span += r.span_ns, exposed += r.exposed_ns(), idle += r.idle_ns, communication += r.exposed_communication_ns;
  }
  const auto most = std::ranges::max_element(count, {}, [](const auto& entry) { return entry.second; });
  v.why = o.findings;
  if (most != count.end() && (most->first == GpuBound::transfer || most->first == GpuBound::launch || most->first == GpuBound::communication)) {
    v.bound = most->first == GpuBound::transfer ? Bound::transfer : most->first == GpuBound::launch ? Bound::launch : Bound::communication;
    const double lost = v.bound == Bound::transfer ? exposed : v.bound == Bound::launch ? idle : communication;
    if (span > lost) v.next_speedup = span / (span - lost);
    v.firm = most->second == o.regions.size();
    v.why.push_back(fmt::format("{} of {} regions (a step on a device) are {} (limits {}: communication alone, {}: copies alone, {}: idle, {}: idle before the launch).",
                                most->second, o.regions.size(), name(most->first), rules.text(Rule::communication_ratio), rules.text(Rule::transfer_ratio), rules.text(Rule::launch_idle_ratio), rules.text(Rule::launch_host_ratio)));
  } else {
    std::map<std::pair<Bound, std::string>, double> time;  // by class and level
    double all = 0;
    const auto work = gpu_work(capture);
    for (OpId op = 0; op < work.size(); ++op) {
      if (work[op]) time[{verdicts[op].bound, verdicts[op].level}] += work[op]->kernel_ns.median, all += work[op]->kernel_ns.median;
    }
    const auto longest = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
    if (longest != time.end() && all > 0) {
      v.bound = longest->first.first, v.level = longest->first.second;
      v.why.push_back(fmt::format("{} of the kernels' time is {}.", percent(longest->second / all), headline(v.bound, v.level == name(GpuLevel::l2) ? GpuLevel::l2 : GpuLevel::memory)));
    }
  }
  v.headline = headline(v.bound, v.level == name(GpuLevel::l2) ? GpuLevel::l2 : GpuLevel::memory) + (v.firm || v.bound == Bound::unknown || v.bound == Bound::inconsistent ? "" : " (likely)");
  return v;
}

}  // namespace profiler
