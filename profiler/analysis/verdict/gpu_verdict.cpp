// SPDX-License-Identifier: Apache-2.0
// Classes of ops and steps of a GPU, with their reasons.
#include "profiler/analysis/verdict/gpu_verdict.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"

namespace profiler {
namespace {

/// Compulsory bytes bound the traffic with device memory from below; tiles re-read some (design notes, section 6.3:
/// modelled 20 %).
constexpr double kBand = 0.20;

/// What the GPU counted of the op between two levels, else what the sector model says; null: neither.
const TrafficRecord* best_record(const TrafficSource* counted, const TrafficSource* sectors, OpId op, const char* outer,
                                 const char* inner, Origin& origin) {
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
  return {record.total_bytes(), record.total_bytes() / bytes_per_s * 1e9,
          std::isnan(record.error_band) ? 0 : std::min(record.error_band, kMostBand), origin};
}

/// Time at the roofs, from the data sheet and the bytes that have to move.
GpuCase case_of(const Capture& capture, const OpRecord& op, const GpuOpWork& work, const TrafficSource* sectors,
                GpuRoofs& roofs) {
  GpuCase c;
  c.kernel_ns = work.kernels == 0 ? 0 : work.kernel_ns.median;
  c.call_ns = work.call_ns, c.exposed_ns = work.exposed_ns, c.waves = work.waves,
  c.communication_ns = work.communication_ns;
  c.compute_ns = c.memory_at_most_ns = kUnknown;
  c.levels.fill({kUnknown, kUnknown, kBand, Origin::exact});
  roofs = {kUnknown, kUnknown, kUnknown, kUnknown};
  for (const GpuDevice& device : capture.gpu().devices) {
    if (device.device != work.device) continue;
    roofs = gpu_roofs(device, dtype_of(capture, op), capture.facts(op.id).format);
    const double bytes = compulsory_read(capture, op) + compulsory_written(capture, op);
    if (op.flops >= 0) c.compute_ns = work.flops_ratio * op.flops / roofs.flop_per_s * 1e9;
    GpuLevelUse &memory = c.levels[static_cast<size_t>(GpuLevel::memory)],
                &l2 = c.levels[static_cast<size_t>(GpuLevel::l2)];
    const double compulsory_ns = bytes / roofs.bytes_per_s * 1e9;
    const TrafficSource* counted = capture.traffic_of(Origin::measured);
    Origin origin = Origin::exact;
    // Operands that fit into the L2 may come from there: the memory's roof then says nothing.
    if (bytes > roofs.l2_bytes || bytes == 0) memory = {bytes, compulsory_ns, kBand, Origin::exact};
    else c.memory_at_most_ns = compulsory_ns;
    if (const TrafficRecord* record = best_record(counted, sectors, op.id, "DRAM", "L2", origin);
        record != nullptr && (origin == Origin::measured || record->total_bytes() > memory.bytes)) {
      memory = use_of(*record, origin, roofs.bytes_per_s);
    }
    if (const TrafficRecord* record = best_record(counted, sectors, op.id, "L2", "L1", origin))
      l2 = use_of(*record, origin, roofs.l2_bytes_per_s);
  }
  return c;
}

std::string describe(const GpuClass& c) {
  switch (c.bound) {
    case Bound::launch: return say("launches");
    case Bound::transfer: return say("copies");
    case Bound::communication: return say("communication");
    case Bound::compute: return say("arithmetic");
    case Bound::memory: return c.level == GpuLevel::l2 ? say("L2 bandwidth") : say("device memory bandwidth");
    case Bound::balanced:
      return c.level == GpuLevel::l2 ? say("balance of arithmetic and L2") : say("balance of arithmetic and memory");
    case Bound::parallelism: return say("too small a grid");
    case Bound::latency: return say("latency");
    case Bound::overhead: return say("kernel inefficiency");
    default: return std::string(name(c.bound));
  }
}

/// Step 5 for a GPU: roofs of a data sheet are no measurement, so only what needs none of them can be firm.
void test_firmness(const GpuCase& c, const GpuClass& found, const Spread& time, const VerdictRules& rules, Verdict& v) {
  std::map<std::string, int> others;
  int cases = 0, agreeing = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 1.0 : -1.0; };
    GpuCase pushed = c;
    pushed.kernel_ns += sign(0) * time.mad;
    if (c.kernel_ns > 0 && pushed.kernel_ns <= 0) continue;  // work that some steps do not do
    for (GpuLevelUse& level : pushed.levels)
      level.ns *= (1 + sign(1) * level.band) / (1 + sign(2) * rules[Rule::roof_band_ratio]);
    pushed.compute_ns /= 1 + sign(2) * rules[Rule::roof_band_ratio];
    const GpuClass other = classify_gpu(pushed, rules);
    ++cases;
    other.same(found) ? ++agreeing : ++others[describe(other)];
  }
  const bool needs_roofs = v.bound != Bound::launch && v.bound != Bound::transfer && v.bound != Bound::communication;
  v.firm = others.empty() && !needs_roofs;
  const auto most = std::ranges::max_element(others, {}, [](const auto& entry) { return entry.second; });
  if (most != others.end()) v.runner_up = most->first;
  Reason tested{ReasonKind::gpu_corners,
                {{"firm", v.firm}, {"corners", cases}, {"agreeing", agreeing}, {"specified_roofs", needs_roofs}}};
  if (!v.runner_up.empty()) tested.values.emplace_back("runner_up", v.runner_up);
  v.reasons.push_back(std::move(tested));
}

void add_level_reason(const GpuLevelUse& level, bool memory, double kernel_ns, Verdict& v) {
  const bool unpublished = std::isnan(level.ns) && !std::isnan(level.bytes) && !memory;
  if (std::isnan(level.ns) && !unpublished) return;
  Reason r{unpublished ? ReasonKind::gpu_level_unpublished : ReasonKind::gpu_level,
           {{"memory", memory}, {"roof_ns", level.ns}, {"time_ns", kernel_ns}}};
  if (level.origin != Origin::exact) {
    r.values.emplace_back("bytes", level.bytes);
    r.values.emplace_back("origin", name(level.origin));
    r.values.emplace_back("counted", level.origin == Origin::measured);
  }
  v.reasons.push_back(std::move(r));
}

void add_reasons(const GpuOpWork& work, const GpuCase& c, bool ours, const VerdictRules& rules, Verdict& v) {
  const auto limit = [&](Rule rule) { return ReasonValue("limit", rules.threshold(rule)); };
  const auto add = [&](ReasonKind kind, std::vector<ReasonValue> values) {
    v.reasons.push_back({kind, std::move(values)});
  };
  const ReasonValue time{"time_ns", c.kernel_ns};
  if (work.kernels > 0) {
    add(ReasonKind::gpu_kernels,
        {{"kernels", work.kernels}, time, {"median", ours}, {"samples", work.kernel_ns.samples}});
  }
  if (work.communication_ns > 0) {
    add(ReasonKind::gpu_communication, {time,
                                        {"communication_ns", c.communication_ns},
                                        {"alone_ratio", work.exposed_communication_ns / work.communication_ns}});
  }
  if (work.copies > 0) {
    add(ReasonKind::gpu_copies, {{"use_ratio", work.copy_use_ratio},
                                 {"bytes_per_s", work.copy_bytes_per_s},
                                 {"pageable", work.pageable},
                                 limit(Rule::link_use_ratio)});
    add(ReasonKind::gpu_copies_alone, {{"alone_ns", c.exposed_ns}, limit(Rule::transfer_ratio)});
  }
  if (work.kernels > 0) {
    if (!std::isnan(c.call_ns)) add(ReasonKind::gpu_calls, {{"calls_ns", c.call_ns}, time, limit(Rule::launch_ratio)});
    if (!std::isnan(c.compute_ns))
      add(ReasonKind::gpu_arithmetic, {{"roof_ns", c.compute_ns}, time, {"flops_ratio", work.flops_ratio}});
    for (size_t i = 0; i < kGpuLevels; ++i) add_level_reason(c.levels[i], i == 0, c.kernel_ns, v);
    if (!std::isnan(c.memory_at_most_ns) && std::isnan(c.levels[0].ns))
      add(ReasonKind::gpu_fits_l2, {{"roof_ns", c.memory_at_most_ns}, time});
  }
  if (!std::isnan(c.waves)) add(ReasonKind::gpu_waves, {{"waves", c.waves}, limit(Rule::waves_count)});
}

}  // namespace

std::string_view name(GpuLevel level) { return level == GpuLevel::l2 ? "L2" : "device memory"; }

GpuClass classify_gpu(const GpuCase& c, const VerdictRules& rules) {
  if (c.exposed_ns > 0 && c.exposed_ns >= rules[Rule::transfer_ratio] * (c.exposed_ns + c.kernel_ns))
    return {Bound::transfer};
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
  if (used < rules[Rule::busy_ratio]) {
    if (c.waves < rules[Rule::waves_count]) return {Bound::parallelism};
    // What moved is known only where it was counted. Compulsory bytes leave open whether more moved, or work waited.
    const bool counted = std::ranges::any_of(c.levels, [](const auto& l) { return l.origin == Origin::measured; });
    return {counted ? Bound::latency : Bound::overhead};
  }
  const bool mostly = used < rules[Rule::saturated_ratio];
  if (std::abs(compute - memory) < rules[Rule::balanced_ratio]) return {Bound::balanced, level, mostly};
  return compute > memory ? GpuClass{Bound::compute, GpuLevel::memory, mostly} : GpuClass{Bound::memory, level, mostly};
}

namespace {

/// The longest any roof demands but the binding one; 0: none is known.
double second_ns(const GpuCase& c, const GpuClass& found) {
  double second = found.bound == Bound::compute || std::isnan(c.compute_ns) ? 0 : c.compute_ns;
  for (size_t i = 0; i < kGpuLevels; ++i) {
    const bool binds = found.bound == Bound::memory && static_cast<GpuLevel>(i) == found.level;
    if (!binds && !std::isnan(c.levels[i].ns)) second = std::max(second, c.levels[i].ns);
  }
  return second;
}

/// In words of verdicts.
std::string nearest_roof(const GpuCase& c) {
  double most = std::isnan(c.compute_ns) ? 0 : c.compute_ns;
  std::string words = cause_words(Bound::compute, {});
  for (size_t i = 0; i < kGpuLevels; ++i) {
    if (!(c.levels[i].ns > most)) continue;
    most = c.levels[i].ns;
    words = cause_words(Bound::memory, std::string(name(static_cast<GpuLevel>(i))));
  }
  return words;
}

}  // namespace

Verdict judge_on_gpu(const Capture& capture, const OpRecord& op, const GpuOpWork& work, const TrafficSource* sectors,
                     const VerdictRules& rules) {
  GpuRoofs device_roofs;
  const GpuCase c = case_of(capture, op, work, sectors, device_roofs);
  const GpuClass found = classify_gpu(c, rules);
  Verdict v;
  v.bound = found.bound;
  v.mostly = found.mostly;
  v.utilisation = v.next_speedup = kUnknown;
  add_reasons(work, c, capture.run().source.empty(), rules, v);
  if (v.bound == Bound::unknown) {
    v.reasons.push_back({ReasonKind::gpu_class_unknown,
                         {{"flops", op.flops >= 0},
                          {"bytes", !std::isnan(compulsory_read(capture, op) + compulsory_written(capture, op))},
                          {"peak", !std::isnan(device_roofs.flop_per_s)},
                          {"winograd", std::isnan(work.flops_ratio)},
                          {"bandwidth", !std::isnan(device_roofs.bytes_per_s)}}});
    return v;
  }
  if (v.bound == Bound::memory) v.level = name(found.level);
  if (v.bound == Bound::balanced) v.beside = name(found.level);
  const double roofs = second_ns(c, {});  // of all: nothing binds here
  if (c.kernel_ns > 0 && roofs > 0 && v.bound != Bound::inconsistent && v.bound != Bound::communication)
    v.utilisation = roofs / c.kernel_ns;
  const double second = second_ns(c, found);
  // Operands that fit into L2 may come from memory all the same: no less time is promised than that would take.
  const double floor = std::max(roofs, std::isnan(c.memory_at_most_ns) ? 0 : c.memory_at_most_ns);
  switch (v.bound) {
    case Bound::transfer:
      if (c.kernel_ns > 0) v.next_speedup = (c.exposed_ns + c.kernel_ns) / c.kernel_ns;
      v.causes = {{ReasonKind::cause_gpu_copies_alone}};
      break;
    case Bound::communication:
      v.causes = {{ReasonKind::cause_gpu_communication,
                   {{"alone", work.exposed_communication_ns > 0.5 * work.communication_ns}}}};
      break;
    case Bound::launch:
      v.next_speedup = (c.call_ns + c.kernel_ns) / c.kernel_ns;
      v.causes = {{ReasonKind::cause_gpu_short_kernels}};
      break;
    case Bound::parallelism: v.causes = {{ReasonKind::cause_gpu_few_blocks}}; [[fallthrough]];
    case Bound::latency:
    case Bound::overhead:
      if (floor > 0) v.next_speedup = std::max(1.0, c.kernel_ns / floor);
      if (v.bound == Bound::overhead) v.nearest = nearest_roof(c);
      break;
    case Bound::memory:
      v.causes = gpu_memory_causes(capture, op, c.levels[static_cast<size_t>(found.level)], found.level,
                                   device_roofs.l2_bytes, rules);
      [[fallthrough]];
    case Bound::compute:
      if (second > 0) v.next_speedup = std::max(1.0, c.kernel_ns / second);
      break;
    default: break;
  }
  const bool by_roofs = v.bound == Bound::memory || v.bound == Bound::compute || v.bound == Bound::balanced ||
                        v.bound == Bound::latency || v.bound == Bound::overhead || v.bound == Bound::parallelism;
  if (by_roofs && roofs > 0) {
    v.reasons.push_back({ReasonKind::gpu_use,
                         {{"used_ratio", v.utilisation},
                          {"saturated_limit", rules.threshold(Rule::saturated_ratio)},
                          {"busy_limit", rules.threshold(Rule::busy_ratio)}}});
  }
  if (v.bound != Bound::inconsistent) test_firmness(c, found, work.kernel_ns, rules, v);
  return v;
}

Verdict judge_step_on_gpu(const Capture& capture, const std::vector<Verdict>& verdicts, const VerdictRules& rules) {
  const Overlap o = overlap(capture, rules);
  Verdict v;
  v.utilisation = v.next_speedup = kUnknown;
  std::map<GpuBound, size_t> count;
  double span = 0, exposed = 0, idle = 0, communication = 0;
  IdleCauses idle_of;  // of all regions
  for (const GpuRegion& r : o.regions) {
    idle_of += r.idle;
    ++count[r.bound == GpuBound::host ? GpuBound::launch : r.bound], span += r.span_ns, exposed += r.exposed_ns(),
        idle += r.idle_ns, communication += r.exposed_communication_ns;
  }
  const auto most = std::ranges::max_element(count, {}, [](const auto& entry) { return entry.second; });
  for (const std::string& words : o.findings) v.reasons.push_back({ReasonKind::gpu_overlap, {{"words", words}}});
  if (most != count.end() && (most->first == GpuBound::transfer || most->first == GpuBound::launch ||
                              most->first == GpuBound::communication)) {
    v.bound = most->first == GpuBound::transfer ? Bound::transfer
              : most->first == GpuBound::launch ? Bound::launch
                                                : Bound::communication;
    const bool of_host = v.bound == Bound::launch && idle_of.host_is_busy();
    if (of_host) v.level = kHostLevel;
    const double lost = v.bound == Bound::transfer ? exposed : v.bound == Bound::launch ? idle : communication;
    if (span > lost) v.next_speedup = span / (span - lost);
    v.firm = most->second == o.regions.size();
    v.reasons.push_back({ReasonKind::gpu_regions,
                         {{"regions", most->second},
                          {"of", o.regions.size()},
                          {"class", name(of_host ? GpuBound::host : most->first)},
                          {"communication_limit", rules.threshold(Rule::communication_ratio)},
                          {"transfer_limit", rules.threshold(Rule::transfer_ratio)},
                          {"idle_limit", rules.threshold(Rule::launch_idle_ratio)},
                          {"host_limit", rules.threshold(Rule::launch_host_ratio)}}});
  } else {
    std::map<std::pair<Bound, std::string>, double> time;  // by class and level
    double all = 0;
    const auto work = gpu_work(capture);
    for (OpId op = 0; op < work.size(); ++op) {
      if (work[op])
        time[{verdicts[op].bound, verdicts[op].level}] += work[op]->kernel_ns.median, all += work[op]->kernel_ns.median;
    }
    const auto longest = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
    if (longest != time.end() && all > 0) {
      v.bound = longest->first.first, v.level = longest->first.second;
      if (v.bound == Bound::balanced) v.beside = name(GpuLevel::memory);
      v.reasons.push_back(
          {ReasonKind::gpu_kernel_share, {{"time_ratio", longest->second / all}, {"class", class_text(v)}}});
    }
  }
  return v;
}

}  // namespace profiler
